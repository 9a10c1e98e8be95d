// SPDX-License-Identifier: Apache-2.0
#include "models/theory/search_runs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include <cleave/error.hpp>
#include <cleave/trace/words.hpp>

#include "models/theory/trace_run.hpp"

namespace cleave::models {

namespace {

/// Adds what one repetition took, and what its workers did.
void add_repetition(SearchRun& run, double seconds,
                    const std::vector<detail::WorkerStatistics>& workers) {
  double visits = 0;
  for (const detail::WorkerStatistics& worker : workers) {
    visits += seconds_of(worker.searching_ns);
    run.local_tried += static_cast<double>(worker.local_tried);
    run.local_made += static_cast<double>(worker.local_made);
    run.remote_tried += static_cast<double>(worker.remote_tried);
    run.remote_made += static_cast<double>(worker.remote_made);
    const auto found = std::find_if(run.workers.begin(), run.workers.end(), [&](const auto& w) {
      return w.rank == worker.rank && w.thread == worker.thread;
    });
    WorkerTotals& totals = found != run.workers.end()
                               ? *found
                               : run.workers.emplace_back(WorkerTotals{worker.rank, worker.thread});
    totals.nodes += static_cast<double>(worker.nodes);
  }
  run.seconds.push_back(seconds);
  run.visits.push_back(visits / static_cast<double>(workers.size()));
}

void add_trace(std::map<RunIdentity, SearchRun>& runs, const detail::Trace& trace,
               const QuietRepetitions& quiet) {
  const RunInformation& r = trace.run;
  std::map<int, std::vector<detail::WorkerStatistics>> by_repetition;
  for (const auto& [repetition, statistics] : trace.workers) {
    by_repetition[repetition].push_back(statistics);
  }
  for (const detail::Trace::Run& repetition : trace.repetitions) {
    const auto workers = by_repetition.find(repetition.index);
    if (!quiet.counts(trace, repetition) || workers == by_repetition.end()) {
      continue;
    }
    const RunIdentity identity = identity_of(r, repetition);
    SearchRun& run = runs[identity];
    run.disturbed = quiet.chance_disturbed(identity);
    run.ranks = r.ranks;
    run.threads = r.threads;
    run.ranks_per_host = r.ranks_per_host;
    run.oversubscribed = r.oversubscribed;
    run.is_rehearsed = !r.rehearsed.empty();
    run.sizes = quiet.sizes_of(identity, repetition);
    run.given = given_by(r.options);
    run.options = r.options;
    add_repetition(run, seconds_of(repetition.elapsed_ns), workers->second);
  }
}

bool has_nodes(const detail::Trace& trace) {
  return std::all_of(trace.repetitions.begin(), trace.repetitions.end(), [](const auto& run) {
    const auto found = run.sizes.find("nodes");
    return found != run.sizes.end() && found->second > 0;
  });
}

}  // namespace

double SearchRun::nodes() const { return static_cast<double>(sizes.at("nodes")); }

SearchRuns collect_search_runs(std::span<const detail::Trace> traces,
                               const QuietRepetitions& quiet) {
  SearchRuns result;
  std::map<RunIdentity, SearchRun> runs;
  for (const detail::Trace& trace : traces) {
    const std::string file = trace.file.string();
    if (trace.workers.empty()) {
      result.notes.push_back(fmt::format(
          "{}: left out, since it does not say what the workers did: measure again", file));
    } else if (!has_nodes(trace)) {
      result.notes.push_back(
          fmt::format("{}: left out, since its runs do not say how many nodes they had", file));
    } else {
      add_trace(runs, trace, quiet);
    }
  }
  for (auto& [key, run] : runs) {
    std::sort(run.workers.begin(), run.workers.end(), [](const auto& a, const auto& b) {
      return std::pair(a.rank, a.thread) < std::pair(b.rank, b.thread);
    });
    result.runs.push_back(std::move(run));
  }
  return result;
}

}  // namespace cleave::models
