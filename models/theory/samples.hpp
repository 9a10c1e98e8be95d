// SPDX-License-Identifier: Apache-2.0
// From traces to samples: what each block took on each rank at each level, with the sizes that its
// time may depend on, and from these to the observations of a fit. Repetitions, and traces of the
// same run, are pooled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <vector>

#include <cleave/error.hpp>
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

inline double seconds_of(std::int64_t ns) {
  constexpr double kSecondsPerNanosecond = 1e-9;
  return static_cast<double>(ns) * kSecondsPerNanosecond;
}

/// The key of repetitions, of one trace or of two, that measure the same: ranks, threads, sizes,
/// ranks per host, whether they share cores, whether they were rehearsed, options, a search's seed.
using RunIdentity = std::tuple<int, int, NamedSizes, int, bool, bool,
                               std::map<std::string, std::string>, std::uint64_t>;
RunIdentity identity_of(const RunInformation& run, const detail::Trace::Run& repetition);

/// `sizes` without those that differ by repetition: the nodes of a search that prunes.
NamedSizes lasting_sizes(const RunInformation& run, NamedSizes sizes);

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

/// The chance that a run was disturbed in all its rounds, by their medians: 0.1 of one round, 0.005
/// of rounds within 5 %, else 0.2.
double chance_disturbed(const std::vector<double>& round_medians_s);

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
  std::vector<double> seconds;                   ///< of the whole call, one a repetition
  double disturbed = 0;                          ///< chance_disturbed
  std::int64_t peak_memory_bytes = 0;  ///< of the rank that had most; 0 where no trace says it
  std::vector<std::string> files;
};

/// One block on one rank at one level of one run point. Waiting for messages of another length is
/// another sample. The skeleton's work includes what a rank does between its blocks.
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

  /// The arguments of the time; the skeleton's, of the bytes that it finds room for.
  NamedValues sizes_of_block() const {
    return block == detail::Block::skeleton ? NamedValues{{"bytes", bytes}} : sizes;
  }
};

/// A run point of work stealing, of which the repetitions of the faster half count, and what its
/// time went to: visiting nodes, and all else (docs/explanation/model.md, "Searches").
struct SearchRun : RunPoint {
  std::string network;         ///< the name of its file, of a rehearsal
  std::vector<double> visits;  ///< seconds in which a worker visits nodes, the mean over all
  // Summed over the workers and the counted repetitions.
  double local_tried = 0;
  double local_made = 0;
  double remote_tried = 0;
  double remote_made = 0;
  std::map<std::pair<int, int>, double> nodes_of;  ///< a worker, by rank and thread

  int workers_per_host() const { return ranks_per_host * threads; }
  double repetitions() const { return static_cast<double>(seconds.size()); }
  double nodes() const { return static_cast<double>(sizes.at("nodes")); }
};

/// The contents of the traces of one application.
struct Measurements {
  std::string app;
  std::string type;
  std::string placement;
  int threads = 1;  ///< of a rank, of the first trace; runs of work stealing may differ in it
  std::map<std::string, std::string> options;  ///< those that are the same in every trace
  std::vector<std::int64_t> cache_bytes;       ///< of the first trace's host (Provenance)
  int cores = 0;                               ///< the same
  /// The sizes that every run was given by --size; none where a file or so tells the problem.
  std::set<std::string> given_sizes;
  std::vector<RunPoint> points;     ///< ascending in ranks, then in sizes
  std::vector<Sample> samples;      ///< none of work stealing, which has
  std::vector<SearchRun> searches;  ///< these
  std::vector<std::string> notes;   ///< what was left out, in sentences
};

/// Collects the repetitions of all traces. Of those of a run size, over all its rounds (traces),
/// the blocks of the faster half count, by the time of the whole call; warm-ups never do. A note
/// names a trace that dropped spans, which gives total times only, and a search without workers or
/// nodes.
///
/// \throws UsageError  if there is no trace, one is of a rehearsal of the hypercube or on a usual
///                     network that nobody measured, or they differ in application, type, placement
///                     or (but for work stealing) threads, or none has a counted repetition
Measurements collect_measurements(std::span<const detail::Trace> traces);
/// Samples of ranks that were rehearsed; the time of a point is the rank's without messages.
Measurements collect_rehearsals(std::span<const detail::Trace> traces);

/// Leaves out the runs with more ranks than cores, and says so in a note.
/// \throws Error  if nothing remains
Measurements without_oversubscribed(Measurements measurements);

/// One observation for the ranks of the same sizes at a level of a run: the median of medians.
std::vector<Observation> observations_of(const std::vector<Sample>& samples);

/// The largest message of each level of each run, in bytes, with the largest sizes over its ranks.
std::vector<Observation> message_bytes(const std::vector<Sample>& samples);

/// Bytes of an element in a sample of the sorting form; 0 where none was taken.
double splitter_bytes(const std::vector<Sample>& samples);

/// Why a form must not be chosen by itself: two sizes always go together, so that a choice would be
/// a guess. Where runs are given `free` sizes alone, the others follow from these.
std::optional<Refusal> refuse_choice(const std::vector<Observation>& observations,
                                     std::size_t free = std::numeric_limits<std::size_t>::max());

/// How many counts differ in what the runs were given; no limit where none does.
std::size_t free_sizes(const std::vector<RunPoint>& points);

}  // namespace cleave::models
