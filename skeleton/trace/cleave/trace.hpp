// SPDX-License-Identifier: Apache-2.0
// Traces: the recorder keeps in memory what one rank did while the timed region runs, as spans.
// write_trace (write_trace.hpp) writes what all ranks recorded to one file afterwards
// (docs/reference/formats.md).
#pragma once

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/sizes.hpp>

namespace cleave::detail {

class JsonFields;

/// Numbers beyond these are mistakes, and no arithmetic of ours overflows up to them.
inline constexpr int kMaxRanks = 1 << 24;
inline constexpr int kMaxThreads = 1 << 16;

/// How a file was made, so that its numbers can be trusted or made again.
struct Provenance {
  std::string program;
  std::string version;
  std::string commit;
  std::string command_line;
  std::string host;
  std::string processor;
  int cores = 0;            ///< that the process may use
  std::string mpi_library;  ///< "none" for a program without MPI
  std::string clock;
  std::string created;  ///< UTC, ISO 8601
};

/// Whether the hosts of this `Provenance::mpi_library` are simulated, all ranks in one process:
/// SimGrid's SMPI.
inline bool simulates_hosts(std::string_view library) { return library.starts_with("SMPI"); }

void fields(JsonFields& object, Provenance& provenance);

/// The conceptual blocks of the skeleton. `wait` is time spent on a partner that is late, so that
/// it cannot hide in `exchange`. `skeleton` is what the skeleton itself computes (tau_HDC).
enum class Block : std::uint8_t {
  divide,
  exchange,
  combine,
  sequential,
  conquer,
  skeleton,
  wait,
  steal,
  idle,
  sample,     ///< of this rank's part, for the choice of a splitter
  pivot,      ///< gathering samples, choosing the splitter and telling it
  partition,  ///< of this rank's part around the splitter
};

inline constexpr std::array<std::string_view, 12> kBlockNames = {
    "divide", "exchange", "combine", "sequential", "conquer", "skeleton",
    "wait",   "steal",    "idle",    "sample",     "pivot",   "partition"};

constexpr std::string_view name_of(Block block) {
  return kBlockNames[static_cast<std::size_t>(block)];
}

/// One interval of one block on one rank. Times are nanoseconds of the recording rank's clock.
struct Span {
  std::int64_t begin_ns = 0;
  std::int64_t end_ns = 0;
  std::int64_t bytes = 0;  ///< of the message moved, or of the storage obtained; 0 if none
  std::array<std::int64_t, Sizes::kMaxSizes> size_values{};
  std::int32_t repetition = 0;
  std::int32_t group = 1;  ///< ranks that share the subproblem at this level
  std::int16_t level = 0;  ///< step of the recursion over ranks, 0 at the root
  Block block = Block::skeleton;
  std::uint8_t size_names = 0;  ///< which list of names `size_values` has, see Recorder::names
  float run_delay_ns = 0;       ///< of the span, what its thread was ready to run and had no core
};
static_assert(sizeof(Span) <= 64, "a span costs at most 64 bytes");

/// How long this thread was ready to run and had no core; 0 unless the program tells it
/// (mpi_program.hpp). Cost: 20 ns, and 0.4 us where it has not looked for 20 us.
inline std::int64_t (*run_delay_ns)() = [] { return std::int64_t{0}; };

/// A moment of a thread, and its run delay until then.
struct ThreadMoment {
  ThreadMoment(std::int64_t at_ns, std::int64_t delay_ns = 0) : ns(at_ns), run_delay_ns(delay_ns) {}
  std::int64_t ns;
  std::int64_t run_delay_ns;
};
inline ThreadMoment end_of(const Span& span) {
  return {span.end_ns, static_cast<std::int64_t>(span.run_delay_ns)};
}

/// One worker of a search: a thread of a rank. Times are nanoseconds.
struct WorkerStatistics {
  int rank = 0;
  int thread = 0;
  std::int64_t visits = 0;       ///< calls of `visit`, or of `conquer` and `divide`
  std::int64_t nodes = 0;        ///< what it added to the size "nodes" of its total; else `visits`
  std::int64_t searches = 0;     ///< times that it had nodes to visit, after it had none
  std::int64_t local_tried = 0;  ///< steals from another worker of the rank
  std::int64_t local_made = 0;
  std::int64_t remote_tried = 0;  ///< requests to other ranks; a rank's are its first worker's
  std::int64_t remote_made = 0;
  std::int64_t nodes_stolen = 0;    ///< by these steals
  std::int64_t bytes_received = 0;  ///< of nodes, from other ranks
  std::int64_t searching_ns = 0;
  std::int64_t searching_delay_ns = 0;  ///< of this, ready to run and without a core
  std::int64_t waiting_delay_ns = 0;    ///< of the next and of idle_ns, the same
  std::int64_t stealing_ns = 0;         ///< from running dry until it has nodes again
  std::int64_t starting_ns = 0;         ///< of this, before its first visit
  std::int64_t idle_ns = 0;             ///< from running dry to the end, or to a moment of rest
  std::int64_t ending_ns = 0;           ///< of this, the last time
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
  std::int64_t elapsed_ns = 0;  ///< the longest over the ranks
  Sizes sizes;
};

/// The middle value, which a point of a measurement is; of an even number of values the mean of the
/// middle two. \pre  !values.empty()
inline double median(std::vector<double> values) {
  assert(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return values.size() % 2 == 1 ? *middle
                                : (*middle + *std::max_element(values.begin(), middle)) / 2;
}

}  // namespace cleave::detail

namespace cleave {

/// A clock: nanoseconds from any fixed moment, never going back.
using Clock = std::int64_t (*)();

/// The system's monotonic clock.
std::int64_t monotonic_ns();

/// The spans of one rank over any number of calls and repetitions.
///
/// Memory is bounded: the first `capacity` spans are kept (64 B each), or as many as there is
/// memory for; the others are counted. Recording costs three readings of the clock and one store
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

  /// The begin of a span of this thread, and its end. A span below 20 us has no run delay.
  detail::ThreadMoment begin() const;
  detail::ThreadMoment end(const detail::ThreadMoment& begin) const;

  void record(detail::Block block, int level, int group, const detail::ThreadMoment& begin,
              const detail::ThreadMoment& end, std::int64_t bytes, const Sizes& sizes);

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
  /// By Span::size_names, the lists of names that spans have; with any values.
  std::span<const Sizes> names() const { return names_; }

 private:
  std::uint8_t names_of(const Sizes& sizes);

  Clock clock_;
  std::size_t capacity_;
  detail::Repetition current_;
  std::vector<detail::Span> spans_;
  std::vector<Sizes> names_;
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
  std::map<std::string, std::string> files;    ///< content_of "program", and of what options name
  std::vector<std::int64_t> clock_offset_ns;   ///< of each rank's clock against rank 0's
  /// The most memory that a rank had at once, of the rank that had most; 0 where it is not known.
  std::int64_t peak_memory_bytes = 0;
  /// The ranks that were rehearsed one by one, without the others; none of a run.
  std::vector<int> rehearsed;
  detail::Provenance provenance;
};

}  // namespace cleave
