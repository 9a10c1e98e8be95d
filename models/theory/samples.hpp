// SPDX-License-Identifier: Apache-2.0
// From traces to samples: what each block took on each rank at each level, with the sizes that its
// time may depend on. Repetitions, and traces of the same run, are pooled.
#pragma once

#include <map>
#include <set>
#include <span>
#include <string>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/schedule/messages.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/span.hpp>
#include <cleave/trace/trace_file.hpp>

#include "models/theory/quiet.hpp"
#include "models/theory/search_runs.hpp"

namespace cleave::models {

/// Sizes as numbers: measured ones are counts, those derived by a model need not be whole.
using NamedValues = std::map<std::string, double>;

/// The type of a run of which nothing is known but its sizes, and the size that is its ranks.
inline constexpr const char* kTableType = "table";
inline constexpr const char* kRanksSize = "ranks";

/// A time counts as at least this long, the resolution of the clock.
inline constexpr double kShortest_s = 1e-9;

/// What the law of a table is a function of.
inline NamedValues table_sizes(int ranks, const NamedSizes& sizes) {
  NamedValues values = {{kRanksSize, ranks}};
  for (const auto& [name, value] : sizes) {
    values[name] = static_cast<double>(value);
  }
  return values;
}

/// One size of a run at one number of ranks, measured in one or more traces.
struct RunPoint {
  int ranks = 1;
  int threads = 1;  ///< of a rank
  int ranks_per_host = 1;
  bool oversubscribed = false;
  bool is_rehearsed = false;
  NamedSizes sizes;                              ///< of the whole problem and its solution
  NamedSizes given;                              ///< by --size, and by options that are counts
  std::map<std::string, std::string> options{};  ///< that say what is solved
  std::vector<double> seconds;                   ///< of the whole call, one a repetition
  double disturbed = 0;                ///< chance that it was so in all rounds (quiet.hpp)
  std::int64_t peak_memory_bytes = 0;  ///< of the rank that had most; 0 where no trace says it
  std::vector<std::string> files;
};

/// One block on one rank at one level of one run point. Waiting for messages of different lengths
/// are samples of their own. The skeleton's work includes what a rank of the hypercube does between
/// its blocks.
struct Sample {
  detail::Block block = detail::Block::sequential;
  int ranks = 1;
  int ranks_per_host = 1;
  bool oversubscribed = false;
  NamedSizes run_sizes;
  int rank = 0;
  int level = 0;
  int group = 1;  ///< ranks that shared the subproblem
  /// Sizes of this block: medians over repetitions; the largest where several spans are added up.
  NamedValues sizes;
  double spans = 1;             ///< in one repetition; their times and bytes are added up
  double bytes = 0;             ///< in one repetition
  std::vector<double> seconds;  ///< one a repetition of the faster half
  double disturbed = 0;         ///< RunPoint::disturbed
};

/// What the time of the block is a function of. The skeleton's own work is one of the bytes that it
/// finds room for.
NamedValues sizes_of_block(const Sample& sample);

/// What the traces of one application hold.
struct Measurements {
  std::string app;
  std::string type;
  std::string placement;
  int threads = 1;  ///< of a rank, of the first trace; runs of work stealing may differ in it
  std::map<std::string, std::string> options;  ///< those that are the same in every trace
  std::vector<std::int64_t> cache_bytes;       ///< of the first trace's host (Provenance)
  int cores = 0;                               ///< the same
  Costs costs;      ///< that the application declares, of the first trace
  /// Names of the sizes that every run was given by --size; none where a problem is told otherwise,
  /// as by a file.
  std::set<std::string> given_sizes;
  std::vector<RunPoint> points;     ///< ascending in ranks, then in sizes
  std::vector<Sample> samples;      ///< none of work stealing, which has
  std::vector<SearchRun> searches;  ///< these
  std::vector<std::string> notes;   ///< what was left out, in sentences
};

/// How many of so many elements the choice of a splitter looks at.
inline double sampled(double elements) {
  constexpr double kMost = 9e18;
  return static_cast<double>(
      detail::sample_of(static_cast<std::int64_t>(std::clamp(elements, 0.0, kMost))));
}

/// Collects the repetitions of all traces. Of blocks those of the faster half count (quiet.hpp). A
/// trace that dropped spans gives its total times only, and a note says so.
///
/// \throws UsageError  if there is no trace, one is of a rehearsal of the hypercube or on a network
/// that is
///                     assumed, or they differ
///                     in application, type, placement or (but for work stealing) threads, or none
///                     has a counted repetition
Measurements collect_measurements(std::span<const detail::Trace> traces);
/// The same of ranks that were rehearsed; the time of a point is the rank's without messages.
Measurements collect_rehearsals(std::span<const detail::Trace> traces);

/// Leaves out the runs with more ranks than cores, and says so in a note.
/// \throws Error  if nothing remains
Measurements without_oversubscribed(Measurements measurements);

}  // namespace cleave::models
