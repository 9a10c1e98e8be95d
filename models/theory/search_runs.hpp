// SPDX-License-Identifier: Apache-2.0
// From traces of work stealing to what a run's time went to: searching, stealing, starting and
// ending, which add up to it (docs/explanation/model.md, eq. 17).
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include <cleave/sizes.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/trace/worker_statistics.hpp>

#include "models/theory/quiet.hpp"

namespace cleave::models {

/// What a worker did, summed over the counted repetitions of one run.
struct WorkerTotals {
  int rank = 0;
  int thread = 0;
  double nodes = 0;
};

/// A repetition of a run that counts, as traced.
struct SearchRepetition {
  double seconds = 0;  ///< of the whole call
  std::vector<detail::WorkerStatistics> workers;
};

/// One size of a run on one number of ranks and threads. Of the parts there is one value a
/// repetition of the faster half, in seconds: means over the workers that count, which are all or
/// those of one rank.
struct SearchRun {
  int ranks = 1;
  int threads = 1;
  int ranks_per_host = 1;
  bool oversubscribed = false;
  NamedSizes sizes;
  double disturbed = 0;             ///< RunPoint::disturbed
  std::vector<double> seconds;      ///< of the whole call
  std::vector<double> search;       ///< visiting nodes
  std::vector<double> steal;        ///< without nodes: looking for some, in vain too
  std::vector<double> start_up;     ///< until the workers have their first nodes, and all the rest
  std::vector<double> termination;  ///< from the last node to the end
  // Summed over the workers that count and the counted repetitions.
  double searches = 0;  ///< times that a worker had nodes after it had none
  double local_tried = 0;
  double local_made = 0;
  double remote_tried = 0;
  double remote_made = 0;
  double bytes_received = 0;
  std::vector<WorkerTotals> workers;  ///< that count, by rank and thread
  std::vector<SearchRepetition> traced;

  int all_workers() const { return ranks * threads; }
  double counted_workers() const { return static_cast<double>(workers.size()); }
  int workers_per_host() const { return ranks_per_host * threads; }
  double repetitions() const { return static_cast<double>(seconds.size()); }
  /// How often a worker ran dry in a repetition and got nodes again, the first nodes left out.
  double steals_per_worker() const;
  /// To other ranks in a repetition, and those of them that brought nothing.
  double requests_per_worker() const;
  double requests_in_vain_per_worker() const;
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
