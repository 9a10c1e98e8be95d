// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include <cleave/trace/median.hpp>

#include "models/report/cells.hpp"
#include "models/report/tables.hpp"
#include "models/theory/statistics.hpp"
#include "models/theory/trace_run.hpp"

namespace cleave::models {

namespace {

Cell rounded(double value) { return number(value, fmt::format("{:.0f}", value)); }

Cell success(double made, double tried) { return tried > 0 ? percent(made / tried) : text(""); }

/// The longest run of each number of ranks and threads.
std::map<RanksAndThreads, const SearchRun*> longest_of(const std::vector<SearchRun>& runs) {
  std::map<RanksAndThreads, const SearchRun*> longest;
  for (const SearchRun& run : runs) {
    const SearchRun*& best = longest[{run.ranks, run.threads}];
    if (best == nullptr || detail::median(run.seconds) > detail::median(best->seconds)) {
      best = &run;
    }
  }
  return longest;
}

/// Each worker's part of the nodes that all have visited.
std::vector<double> shares_of(const SearchRun& run) {
  double all = 0;
  for (const WorkerTotals& worker : run.workers) {
    all += worker.nodes;
  }
  std::vector<double> shares;
  for (const WorkerTotals& worker : run.workers) {
    shares.push_back(all > 0 ? worker.nodes / all : 0);
  }
  return shares;
}

}  // namespace

Table workers_table(const std::vector<SearchRun>& runs) {
  Table table{.id = "workers",
              .title = "What the workers did (DistBag_DFS, table 1 and figure 3)",
              .note =
                  "Steals tried in one run and the part of them that was made, from workers of "
                  "the same rank and from other ranks; and the shares of single workers in all "
                  "nodes. Means over the repetitions.",
              .columns = {{"ranks", true},
                          {"threads", true},
                          {"nodes", true},
                          {"time (s)", true},
                          {"nodes/s", true},
                          {"tried inside", true, true},
                          {"success", true, true},
                          {"tried between", true, true},
                          {"success", true, true},
                          {"least share", true},
                          {"mean share", true, true},
                          {"largest share", true},
                          {"max/mean", true}}};
  for (const SearchRun& run : runs) {
    const double seconds_of_run = detail::median(run.seconds);
    const double rate = run.nodes() / seconds_of_run;
    const std::vector<double> shares = shares_of(run);
    const double mean = 1 / static_cast<double>(shares.size());
    const auto [minimum, maximum] = std::minmax_element(shares.begin(), shares.end());
    table.rows.push_back(
        {whole(run.ranks), whole(run.threads), count(run.sizes.at("nodes")),
         seconds(seconds_of_run), number(rate, fmt::format("{:.2f} M", rate / 1e6)),
         rounded(run.local_tried / run.repetitions()), success(run.local_made, run.local_tried),
         rounded(run.remote_tried / run.repetitions()), success(run.remote_made, run.remote_tried),
         percent(*minimum), percent(mean), percent(*maximum),
         number(*maximum / mean, fmt::format("{:.3f}", *maximum / mean))});
  }
  return table;
}

std::vector<WorkerShares> worker_shares_of(const std::vector<SearchRun>& runs) {
  std::vector<WorkerShares> all;
  for (const auto& [workers, run] : longest_of(runs)) {
    WorkerShares of_run{
        .ranks = workers.ranks, .threads = workers.threads, .of_even = shares_of(*run)};
    if (of_run.of_even.size() < 2) {
      continue;
    }
    for (double& share : of_run.of_even) {
      share *= static_cast<double>(of_run.of_even.size());
    }
    all.push_back(std::move(of_run));
  }
  return all;
}

Table parts_table(const std::vector<JudgedRun>& comparisons, const std::vector<SearchRun>& runs) {
  Table table{.id = "parts",
              .title = "Where the time goes",
              .note =
                  "The longest run on each number of ranks and threads: visits of nodes, and all "
                  "else (steals, waiting, begin and end). Means over the workers, medians over the "
                  "repetitions.",
              .columns = {{"ranks", true},
                          {"threads", true},
                          {"nodes", true},
                          {"part"},
                          {"measured (s)", true},
                          {"predicted (s)", true},
                          {"of the run", true}}};
  for (const auto& [workers, run] : longest_of(runs)) {
    const auto comparison =
        std::find_if(comparisons.begin(), comparisons.end(), [&, of = run](const JudgedRun& c) {
          return c.run.ranks == of->ranks && c.run.threads == of->threads &&
                 c.run.sizes == of->sizes && c.run.is_rehearsed == of->is_rehearsed;
        });
    if (comparison == comparisons.end()) {
      continue;
    }
    const double seconds_of_run = detail::median(run->seconds);
    const double visits_s = detail::median(run->visits);
    for (const BlockShare& share : comparison->prediction.shares) {
      const double of_part =
          share.block == detail::Block::sequential ? visits_s : seconds_of_run - visits_s;
      table.rows.push_back({whole(run->ranks), whole(run->threads), count(run->sizes.at("nodes")),
                            text(std::string(share.name())), seconds(of_part),
                            known(comparison->prediction.is_answer(), seconds(share.seconds)),
                            percent(of_part / seconds_of_run)});
    }
  }
  return table;
}

Table stealing_coefficients_table(const Model& model) {
  const SearchModel& search = *model.search();
  Table table{
      .id = "coefficients",
      .title = "Coefficients of a search",
      .note =
          "Of the search: seconds that a worker visits nodes, for each unit of the term. Of "
          "1 / efficiency: no unit. Nodes: a worker's share.",
      .columns = {{"part"},
                  {"where"},
                  {"term"},
                  {"value", true},
                  {"std. error", true},
                  {"residual", true}}};
  const auto short_number = [](double value) {
    return number(value, fmt::format("{:.4g}", value));
  };
  const auto add = [&](const std::string& part, const std::string& where, const Law& law,
                       double factor = 1) {
    const Hypothesis& first = law.hypotheses.front();
    for (std::size_t i = 0; i < first.form.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      const double error = first.deviation * std::sqrt(std::max(0.0, first.covariance(row, row)));
      table.rows.push_back({text(part), text(where), text(first.form[i].text()),
                            short_number(factor * first.coefficients[row]),
                            short_number(factor * error),
                            percent(law.median_abs_relative_residual)});
    }
  };
  if (search.visits) {
    for (const auto& [workers, factor] : search.visits->hypotheses.front().factors) {
      add("search", fmt::format("{} {} per host", workers, workers == 1 ? "worker" : "workers"),
          *search.visits, factor);
    }
  }
  if (search.inverse_efficiency) {
    add("1 / efficiency", "", *search.inverse_efficiency);
  }
  return table;
}

}  // namespace cleave::models
