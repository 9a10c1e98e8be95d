// SPDX-License-Identifier: Apache-2.0
// Trace files (*.trace.jsonl): what a run was, and every span of every rank. JSON Lines, one object
// a line; docs/reference/formats.md describes each field.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/file.hpp>
#include <cleave/trace.hpp>

namespace cleave::detail {

/// The refusal of a name for which `is_size_name` is false.
std::string wrong_size_name(std::string_view name);
/// The field "sizes".
void sizes_field(JsonFields& object, NamedSizes& sizes);

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
  AtomicFile file_;
  std::int64_t lines_ = 0;
};

/// Before anything of `recorder` is written. \throws Error  if a size has a name that no file may
/// hold
void check_size_names(const Recorder& recorder);

/// Spans [first, first + count) of `recorder` as lines of a trace; fewer where it has fewer.
std::string span_lines(const Recorder& recorder, int rank, std::size_t first, std::size_t count);

/// How many spans found no room in `recorder`, and the statistics of a search's workers on this
/// rank, as lines of a trace.
std::string last_lines(const Recorder& recorder, int rank);

/// A trace as read back.
struct Trace {
  struct RankSpan {
    int rank = 0;
    Span span;
  };
  struct Run {
    int index = 0;
    bool warm_up = false;
    std::int64_t elapsed_ns = 0;
    NamedSizes sizes;
  };

  std::filesystem::path file;
  RunInformation run;
  std::vector<Run> repetitions;
  std::vector<RankSpan> spans;
  std::int64_t dropped = 0;                 ///< spans of all ranks that found no room in memory
  std::vector<WorkerOfRepetition> workers;  ///< of a search
  std::vector<std::vector<std::string>> size_names;  ///< by Span::size_names

  /// The sizes of `span`, which is one of `spans`.
  NamedSizes sizes_of(const Span& span) const;
};

/// Reads a whole trace.
/// \throws FileError  naming the line and field; a file that was cut short is refused
Trace read_trace(const std::filesystem::path& path);

}  // namespace cleave::detail
