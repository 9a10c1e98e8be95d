// The recorder: what one rank keeps in memory of its blocks while the timed region runs. Nothing
// is written here; write_trace does that afterwards (trace_file.hpp).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "skeleton/trace/sizes.hpp"
#include "skeleton/trace/span.hpp"
#include "skeleton/trace/worker_statistics.hpp"

namespace cleave {

/// A clock: nanoseconds from any fixed moment, never going back.
using Clock = std::int64_t (*)();

/// The system's monotonic clock.
std::int64_t monotonic_ns();

/// What is known of the spans of one block at one level that did not fit into the memory given.
struct DroppedSpans {
  Block block = Block::skeleton;
  std::int16_t level = 0;
  std::int64_t spans = 0;
  std::int64_t total_ns = 0;
  std::int64_t total_bytes = 0;
};

/// A worker of a search in one repetition.
struct WorkerOfRepetition {
  std::int32_t repetition = 0;
  WorkerStatistics statistics;
};

/// One repetition of a whole call: the sizes of its problem and solution, and its time.
struct Repetition {
  std::int32_t index = 0;
  bool warm_up = false;
  std::int64_t elapsed_ns = 0;    ///< the longest over the ranks
  std::int64_t yardstick_ns = 0;  ///< of the slowest core, before and after; 0: not measured
  Sizes sizes;
};

/// The spans of one rank over any number of calls and repetitions.
///
/// Memory is bounded: the first `capacity` spans are kept whole (64 B each); of every later one
/// only the count, time and bytes by block and level are kept, so totals stay exact on a run of
/// any length. Recording costs two readings of the clock and one store (docs/formats.md).
/// Not thread-safe: one recorder belongs to one thread of one rank.
class Recorder {
 public:
  static constexpr std::size_t kDefaultCapacity = std::size_t{1} << 20;

  explicit Recorder(Clock clock = monotonic_ns, std::size_t capacity = kDefaultCapacity);

  /// Every span from here on belongs to repetition `index`.
  void begin_repetition(std::int32_t index, bool warm_up);

  /// Ends the repetition with its time, the longest over the ranks, and what their yardsticks took
  /// before and after it (yardstick.hpp), the most of all, where that was measured.
  void end_repetition(std::int64_t elapsed_ns, std::int64_t yardstick_ns = 0);

  /// The sizes of the whole problem, told by the executor; later names are added to earlier ones.
  void add_run_sizes(const Sizes& sizes) { current_.sizes.add(sizes); }

  std::int64_t now_ns() const { return clock_(); }

  void record(Block block, int level, int group, std::int64_t begin_ns, std::int64_t end_ns,
              std::int64_t bytes, const Sizes& sizes) {
    if (spans_.size() == capacity_) {
      drop(block, level, begin_ns, end_ns, bytes);
      return;
    }
    Span& span = spans_.emplace_back();
    span.begin_ns = begin_ns;
    span.end_ns = end_ns;
    span.bytes = bytes;
    span.repetition = current_.index;
    span.group = group;
    span.level = static_cast<std::int16_t>(level);
    span.block = block;
    span.size_names = names_of(sizes);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      span.size_values[i] = sizes.begin()[i].value;
    }
  }

  /// Adds what `other`, of another thread of this rank, has recorded, to the current repetition.
  void append(const Recorder& other);

  /// What a worker of this rank did in the current repetition.
  void add_worker(const WorkerStatistics& statistics) {
    workers_.push_back({current_.index, statistics});
  }

  Clock clock() const { return clock_; }
  std::span<const Span> spans() const { return spans_; }
  std::span<const DroppedSpans> dropped() const { return dropped_; }
  std::span<const Repetition> repetitions() const { return repetitions_; }
  std::span<const WorkerOfRepetition> workers() const { return workers_; }

  /// The sizes of `span` with their names.
  Sizes sizes_of(const Span& span) const;

 private:
  struct Names {
    std::array<std::string_view, Sizes::kMaxSizes> names;
    std::size_t count = 0;

    /// Whether `sizes` has these names at these addresses: mostly the same literals as last time.
    bool are_literals_of(const Sizes& sizes) const {
      bool same = count == sizes.size();
      for (std::size_t i = 0; same && i < count; ++i) {
        same = names[i].data() == sizes.begin()[i].name.data() &&
               names[i].size() == sizes.begin()[i].name.size();
      }
      return same;
    }
  };

  std::uint8_t names_of(const Sizes& sizes) {
    return !names_.empty() && names_[last_names_].are_literals_of(sizes) ? last_names_
                                                                         : find_names(sizes);
  }
  std::uint8_t find_names(const Sizes& sizes);
  void drop(Block block, int level, std::int64_t begin_ns, std::int64_t end_ns, std::int64_t bytes);
  DroppedSpans& dropped_of(Block block, std::int16_t level);

  Clock clock_;
  std::size_t capacity_;
  Repetition current_;
  std::vector<Span> spans_;
  std::vector<Names> names_;
  std::uint8_t last_names_ = 0;
  std::vector<DroppedSpans> dropped_;
  std::vector<Repetition> repetitions_;
  std::vector<WorkerOfRepetition> workers_;
};

}  // namespace cleave
