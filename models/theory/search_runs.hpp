// SPDX-License-Identifier: Apache-2.0
// From traces of work stealing to what a run's time went to: visiting nodes, and all else
// (docs/explanation/model.md, "Searches").
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include <cleave/sizes.hpp>
#include <cleave/trace/trace_file.hpp>

#include "models/theory/quiet.hpp"

namespace cleave::models {

/// What a worker did, summed over the counted repetitions of one run.
struct WorkerTotals {
  int rank = 0;
  int thread = 0;
  double nodes = 0;
};

/// One size of a run on one number of ranks and threads, real or rehearsed. Of times there is one
/// value a repetition of the faster half, in seconds.
struct SearchRun {
  int ranks = 1;
  int threads = 1;
  int ranks_per_host = 1;
  bool oversubscribed = false;
  bool is_rehearsed = false;
  NamedSizes sizes;
  NamedSizes given;                            ///< by --size, and by options that are counts
  std::map<std::string, std::string> options;  ///< of the application
  double disturbed = 0;                        ///< RunPoint::disturbed
  std::vector<double> seconds;                 ///< of the whole call
  std::vector<double> visits;  ///< in which a worker visits nodes, the mean over all
  // Summed over the workers and the counted repetitions.
  double local_tried = 0;
  double local_made = 0;
  double remote_tried = 0;
  double remote_made = 0;
  std::vector<WorkerTotals> workers;  ///< by rank and thread

  int workers_per_host() const { return ranks_per_host * threads; }
  double repetitions() const { return static_cast<double>(seconds.size()); }
  /// The run's size "nodes".
  double nodes() const;
};

/// What the traces hold of runs by work stealing, and in sentences what they lack.
struct SearchRuns {
  std::vector<SearchRun> runs;
  std::vector<std::string> notes;
};

/// Collects the repetitions of all traces that count. A trace without workers (version 1) or whose
/// runs have no size "nodes" is left out with a note.
SearchRuns collect_search_runs(std::span<const detail::Trace> traces,
                               const QuietRepetitions& quiet);

}  // namespace cleave::models
