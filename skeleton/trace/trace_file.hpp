// Trace files (*.trace.jsonl): what a run was, and every span of every rank. JSON Lines, one object
// a line; docs/formats.md describes each field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "skeleton/trace/atomic_file.hpp"
#include "skeleton/trace/provenance.hpp"
#include "skeleton/trace/recorder.hpp"

namespace cleave {

inline constexpr int kTraceVersion = 2;
/// The oldest that is read: without workers.
inline constexpr int kOldestTraceVersion = 1;

/// Sizes as a file has them: any names.
using NamedSizes = std::map<std::string, std::int64_t>;

/// What was run.
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
  Provenance provenance;
};

/// Writes a trace; it appears under its name only when `commit` succeeds.
class TraceWriter {
 public:
  /// \throws FileError
  TraceWriter(const std::filesystem::path& path, const RunInformation& run);

  void add(const Repetition& repetition);

  /// Adds lines made by `span_lines`, on this rank or another. \throws FileError
  void add_lines(std::string_view lines);

  /// \throws FileError
  void commit();

 private:
  void add_line(const std::string& line);

  AtomicFile file_;
  std::int64_t lines_ = 0;
};

/// Spans [first, first + count) of `recorder` as lines of a trace; fewer where it has fewer.
std::string span_lines(const Recorder& recorder, int rank, std::size_t first, std::size_t count);

/// The totals of the spans that found no room in `recorder`, as lines of a trace; mostly none.
std::string dropped_lines(const Recorder& recorder, int rank);

/// What the workers of a search did on this rank, as lines of a trace.
std::string worker_lines(const Recorder& recorder, int rank);

/// A trace as read back.
struct Trace {
  struct RankSpan {
    int rank = 0;
    Span span;
  };
  struct RankDropped {
    int rank = 0;
    DroppedSpans dropped;
  };
  struct Run {
    int index = 0;
    bool warm_up = false;
    std::int64_t elapsed_ns = 0;
    std::int64_t yardstick_ns = 0;  ///< 0 where it was not measured
    NamedSizes sizes;
  };

  std::filesystem::path file;
  RunInformation run;
  std::vector<Run> repetitions;
  std::vector<RankSpan> spans;
  std::vector<RankDropped> dropped;
  std::vector<WorkerOfRepetition> workers;           ///< of a search
  std::vector<std::vector<std::string>> size_names;  ///< by Span::size_names

  /// The sizes of `span`, which is one of `spans`.
  NamedSizes sizes_of(const Span& span) const;
};

/// Reads a whole trace.
/// \throws FileError  naming the line and field; a file that was cut short is refused
Trace read_trace(const std::filesystem::path& path);

}  // namespace cleave
