// SPDX-License-Identifier: Apache-2.0
// Traces: the recorder keeps in memory what one rank did while the timed region runs. write_trace
// (write_trace.hpp) writes what all ranks recorded to one file afterwards
// (docs/reference/formats.md).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/sizes.hpp>
#include <cleave/trace/provenance.hpp>
#include <cleave/trace/span.hpp>

namespace cleave {

/// A clock: nanoseconds from any fixed moment, never going back.
using Clock = std::int64_t (*)();

/// The system's monotonic clock.
std::int64_t monotonic_ns();

/// The spans of one rank over any number of calls and repetitions.
///
/// Memory is bounded: the first `capacity` spans are kept (64 B each), or as many as there is
/// memory for; the others are counted. Recording costs two readings of the clock and one store
/// (docs/reference/formats.md). Not thread-safe: one recorder belongs to one thread of one rank.
class Recorder {
 public:
  static constexpr std::size_t kDefaultCapacity = std::size_t{1} << 20;

  explicit Recorder(Clock clock = monotonic_ns, std::size_t capacity = kDefaultCapacity);

  /// Every span from here on belongs to repetition `index`.
  void begin_repetition(std::int32_t index, bool warm_up);

  /// Ends the repetition with its time, the longest over the ranks.
  void end_repetition(std::int64_t elapsed_ns);

  /// The sizes of the whole problem, told by the executor; later names are added to earlier ones.
  void add_run_sizes(const Sizes& sizes) { current_.sizes.add(sizes); }
  /// The sizes that this repetition has so far.
  const Sizes& run_sizes() const { return current_.sizes; }

  std::int64_t now_ns() const { return clock_(); }

  void record(detail::Block block, int level, int group, std::int64_t begin_ns, std::int64_t end_ns,
              std::int64_t bytes, const Sizes& sizes);

  /// Adds what `other`, of another thread of this rank, has recorded, to the current repetition.
  void append(const Recorder& other);

  /// Adds the statistics of a worker of this rank in the current repetition.
  void add_worker(const detail::WorkerStatistics& statistics) {
    workers_.push_back({current_.index, statistics});
  }

  Clock clock() const { return clock_; }
  std::span<const detail::Span> spans() const { return spans_; }
  /// How many spans found no room.
  std::int64_t dropped() const { return dropped_; }
  std::span<const detail::Repetition> repetitions() const { return repetitions_; }
  std::span<const detail::WorkerOfRepetition> workers() const { return workers_; }

  /// The sizes of `span` with their names.
  Sizes sizes_of(const detail::Span& span) const;

 private:
  struct Names {
    std::array<std::string_view, Sizes::kMaxSizes> names;
    std::size_t count = 0;
  };

  std::uint8_t names_of(const Sizes& sizes);
  std::uint8_t find_names(const Sizes& sizes);

  Clock clock_;
  std::size_t capacity_;
  detail::Repetition current_;
  std::vector<detail::Span> spans_;
  std::vector<Names> names_;
  std::uint8_t last_names_ = 0;
  std::int64_t dropped_ = 0;
  std::vector<detail::Repetition> repetitions_;
  std::vector<detail::WorkerOfRepetition> workers_;
};

/// A run and where it was.
struct RunInformation {
  std::string app;
  std::string type;       ///< executor: sequential, hypercube, work_stealing
  std::string placement;  ///< replicated, rooted, distributed
  int ranks = 1;
  int threads = 1;
  int ranks_per_host = 1;  ///< the most on any host
  bool oversubscribed = false;
  std::uint64_t seed = 0;
  int repetitions = 0;
  int warm_up = 0;
  std::string inputs = "same";                 ///< of the repetitions: same, or new in each
  std::map<std::string, std::string> options;  ///< the application's own
  std::vector<std::int64_t> clock_offset_ns;   ///< of each rank's clock against rank 0's
  /// The most memory that a rank had at once, of the rank that had most; 0 where it is not known.
  std::int64_t peak_memory_bytes = 0;
  /// The ranks that were rehearsed one by one, without the others; none of a run.
  std::vector<int> rehearsed;
  detail::Provenance provenance;
};

}  // namespace cleave
