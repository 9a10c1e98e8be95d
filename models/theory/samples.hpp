// SPDX-License-Identifier: Apache-2.0
// From traces to samples: what each block took on each rank at each level, with the sizes that its
// time may depend on, and from these to the observations of a fit. Repetitions, and traces of the
// same run, are pooled.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <cleave/schedule/schedule.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/trace_file.hpp>

#include "models/theory/law.hpp"

namespace cleave::models {

/// The type of a run of which nothing is known but its sizes.
inline constexpr const char* kTableType = "table";

/// A time counts as at least this long, the resolution of the clock.
inline constexpr double kShortest_s = 1e-9;

inline double seconds_of(std::int64_t ns) { return static_cast<double>(ns) * 1e-9; }

/// The standard deviation of normal noise over the median distance from its middle.
inline constexpr double kDeviationsPerMedian = 1.4826;
/// Half of the range that holds 95 % of normal noise, in standard deviations.
inline constexpr double kDeviationsOf95 = 1.96;

/// 1.4826 * median |x - m| / m, for the median m: of normal noise, the standard deviation over the
/// mean. 0 where the median is 0. \pre  !values.empty()
inline double relative_spread(const std::vector<double>& values) {
  const double middle = detail::median(values);
  std::vector<double> distances;
  for (const double value : values) {
    distances.push_back(std::abs(value - middle));
  }
  return middle == 0 ? 0 : kDeviationsPerMedian * detail::median(std::move(distances)) / middle;
}

/// The value between `part` of the values and the rest, between two neighbours in proportion.
/// \pre  !values.empty(), 0 <= part <= 1
inline double quantile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  const double place = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

/// The key of repetitions, of one trace or of two, that measure the same: ranks, threads, sizes,
/// ranks per host, whether they share cores, whether they were rehearsed, options, a search's seed.
/// The nodes of a search that prunes differ by repetition and are not in it.
using RunIdentity = std::tuple<int, int, NamedSizes, int, bool, bool,
                               std::map<std::string, std::string>, std::uint64_t>;
RunIdentity identity_of(const RunInformation& run, const detail::Trace::Run& repetition);

/// The options that say what is solved: all but the network of a rehearsal.
std::map<std::string, std::string> problem_options(std::map<std::string, std::string> options);

/// The arguments of the law of a table.
inline NamedValues table_sizes(int ranks, const NamedSizes& sizes) {
  NamedValues values(sizes.begin(), sizes.end());
  values[kRanksSize] = ranks;
  return values;
}

/// How many of so many elements the choice of a splitter looks at.
inline double sampled(double elements) {
  constexpr double kMost = 9e18;
  return static_cast<double>(
      detail::sample_of(static_cast<std::int64_t>(std::clamp(elements, 0.0, kMost))));
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
  std::map<std::string, std::string> options{};  ///< problem_options
  std::vector<double> seconds;       ///< quiet, of the whole call, one a round: the median over it
  std::vector<double> wall_seconds;  ///< as the host was, one a repetition
  std::int64_t peak_memory_bytes = 0;  ///< of the rank that had most; 0 where no trace says it
};

/// One block on one rank at one level of one run point. Waiting for messages of another length is
/// another sample. The skeleton's work includes what a rank does between its blocks.
struct Sample {
  detail::Block block = detail::Block::sequential;
  int ranks = 1;
  int ranks_per_host = 1;
  bool oversubscribed = false;
  bool is_rehearsed = false;
  NamedSizes run_sizes;
  int rank = 0;
  int level = 0;
  int group = 1;  ///< ranks that shared the subproblem
  /// Sizes of this block: medians over rounds; the largest where several spans are added up.
  NamedValues sizes;
  double spans = 1;             ///< in one repetition; their times and bytes are added up
  double bytes = 0;             ///< in one repetition
  std::vector<double> seconds;  ///< quiet, one a round: the median over its repetitions
};

/// A run point of work stealing, and what its time went to: visiting nodes, and all else
/// (docs/explanation/model.md, "Searches").
struct SearchRun : RunPoint {
  std::string network;         ///< the name of its file, of a rehearsal
  std::vector<double> visits;  ///< of `seconds`, what a worker visits nodes, the mean over all
  // Summed over the workers and the counted repetitions.
  double local_tried = 0;
  double local_made = 0;
  double remote_tried = 0;
  double remote_made = 0;
  std::map<std::pair<int, int>, double> nodes_of;  ///< a worker, by rank and thread

  double repetitions() const { return static_cast<double>(wall_seconds.size()); }
  double nodes() const { return static_cast<double>(sizes.at("nodes")); }
};

/// The application, and the host of its first trace.
struct Measured {
  std::string app;
  std::string type;
  std::string placement;
  int threads = 1;  ///< of a rank; of a model of work stealing 1 where runs differ in it
  std::map<std::string, std::string> options;  ///< those that are the same in every trace
  int cores = 0;                               ///< 0 where the number is not known
  /// By name, what the runs were made from: as many values as there are different ones.
  std::map<std::string, std::set<std::string>> made_from;
  /// The sizes that every run was given by --size; none where a file or so tells the problem.
  std::set<std::string> given_sizes;
  std::vector<std::string> notes;  ///< what was left out, in sentences
};

/// A call on the hypercube whose blocks were rehearsed at its very sizes, on some of its ranks
/// (`--rehearse`, docs/reference/programs.md).
struct RehearsedRun {
  int ranks = 1;
  int ranks_per_host = 1;  ///< that were rehearsed at once
  NamedSizes sizes;
  NamedSizes given;                              ///< RunPoint::given
  std::map<std::string, std::string> options{};  ///< RunPoint::options
  /// The quiet times by block and level, of each rehearsed rank.
  std::map<std::pair<detail::Block, int>, std::map<int, Estimate>> blocks;
  std::map<int, NamedValues> leaves;  ///< the sizes of what each rank solves alone

  /// Which rehearsed rank stands for `rank`: itself, else the nearest before it, else the first.
  /// Null where the block was not rehearsed.
  const std::pair<const int, Estimate>* find(detail::Block block, int level, int rank) const;
};

/// All messages of a call, as they were measured where it is to run (`cleave-calibrate --like`).
struct MeasuredMessages {
  int ranks = 1;
  int ranks_per_host = 1;
  NamedSizes sizes;
  Estimate seconds;
};

/// The contents of the traces of one application.
struct Measurements : Measured {
  std::vector<RunPoint> points;  ///< ascending in ranks, then in sizes; of searches rehearsals, too
  std::vector<Sample> samples;   ///< none of work stealing, which has
  std::vector<SearchRun> searches;  ///< these
  std::string kept_state;           ///< by the program between repetitions: a sentence
  std::vector<RehearsedRun> rehearsed{};
  std::vector<MeasuredMessages> messages{};
};

/// Collects the repetitions of all traces, each of which is a round of its run sizes; warm-ups
/// never count. Rehearsals and calls without work are told apart. A note names each trace without
/// blocks, workers or nodes.
/// \param more  further traces
/// \throws UsageError  if there is no counted repetition of a run, or they are not of one
///                     application
Measurements collect_measurements(std::span<const detail::Trace> traces,
                                  std::span<const detail::Trace> more = {});

/// The application that a trace of the messages of `app` names.
std::string app_of_messages(const std::string& app);

/// The times of the calls of `trace` but for their blocks.
/// \throws UsageError  if it is not of the messages of `measured`'s application and placement
MeasuredMessages measured_messages(const Measured& measured, const detail::Trace& trace);

/// Moves what was rehearsed on the hypercube from the points of `measurements` to its rehearsals.
void set_rehearsals_apart(Measurements& measurements,
                          const std::vector<const detail::Trace*>& traces);

/// Leaves out the runs with more ranks than cores, and says so in a note.
/// \throws Error  if nothing remains
Measurements without_oversubscribed(Measurements measurements);

/// One observation a round for the ranks of the same sizes at a level of a run: their median.
std::vector<Observation> observations_of(const std::vector<Sample>& samples);

}  // namespace cleave::models
