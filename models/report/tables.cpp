// SPDX-License-Identifier: Apache-2.0
// The tables of a report.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include <cleave/sizes.hpp>
#include <cleave/trace.hpp>

#include "models/report/report.hpp"
#include "models/theory/samples.hpp"

namespace cleave::models {

namespace {

std::set<std::string> size_names(const std::vector<JudgedRun>& comparisons) {
  std::set<std::string> names;
  for (const JudgedRun& c : comparisons) {
    for (const auto& [name, value] : c.run.sizes) {
      names.insert(name);
    }
  }
  return names;
}

/// The run of `searches` that `judged` is of.
const SearchRun* search_of(const std::vector<SearchRun>& searches, const JudgedRun& judged) {
  const RunPoint& run = judged.run;
  const auto found = std::ranges::find_if(searches, [&](const SearchRun& search) {
    return search.ranks == run.ranks && search.threads == run.threads &&
           search.sizes == run.sizes && search.is_rehearsed == run.is_rehearsed;
  });
  return found == searches.end() ? nullptr : &*found;
}

Table predictions_table(const std::vector<JudgedRun>& comparisons, const Model& model) {
  const bool is_search = model.search() != nullptr;
  const bool has_blocks = model.hypercube() != nullptr;
  const std::set<std::string> names = size_names(comparisons);
  Table table{
      .id = "predictions",
      .title = "Predicted against measured",
      .note = fmt::format(
          "Measured is the quiet time, the median over the rounds, without what others took. "
          "Predicted "
          "is {}, with the range that holds the quiet time with 95 % probability, and the one that "
          "holds a single run on a host as it was. Error: (predicted - measured) / measured. "
          "Spread: how far the rounds lie apart (1.4826 MAD, relative).",
          is_search     ? "what the visits of nodes take, over the efficiency"
          : !has_blocks ? "the law of the table"
                        : "the schedule played with the blocks' medians"),
      .columns = {{"ranks", true}, {"threads", true}}};
  for (const std::string& name : names) {
    table.columns.push_back({name, true});
  }
  table.columns.insert(table.columns.end(), {{"measured (s)", true},
                                             {"predicted (s)", true},
                                             {"95 % from (s)", true},
                                             {"to (s)", true},
                                             {"a run from (s)", true},
                                             {"a run to (s)", true},
                                             {"eq. 6 (s)", true},
                                             {"error", true},
                                             {"spread", true},
                                             {"repetitions", true},
                                             {"run was"}});
  for (const JudgedRun& c : comparisons) {
    std::vector<Cell> row = {whole(c.run.ranks), whole(c.run.threads)};
    for (const std::string& name : names) {
      const auto size = c.run.sizes.find(name);
      row.push_back(count(size == c.run.sizes.end() ? 0 : size->second));
    }
    const Prediction& p = c.prediction;
    row.insert(row.end(),
               {seconds(c.measured_s), seconds(p.seconds), seconds(p.low), seconds(p.high),
                seconds(p.run_low), seconds(p.run_high),
                known(p.sum_of_maxima_s.has_value(), seconds(p.sum_of_maxima_s.value_or(0))),
                number(c.relative_error, fmt::format("{:+.2f} %", 100 * c.relative_error)),
                percent(c.spread), whole(std::ssize(c.run.wall_seconds)),
                text(c.held_out ? "held out" : "fitted")});
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// Measured seconds of each part of a run, by its name.
std::map<std::string, double> measured_parts(const Measurements& measurements,
                                             const JudgedRun& judged) {
  std::map<std::string, double> parts;
  if (const SearchRun* search = search_of(measurements.searches, judged)) {
    const double visits_s = detail::median(search->visits);
    return {{"search", visits_s}, {"steal", detail::median(search->seconds) - visits_s}};
  }
  const auto blocks = measured_blocks(measurements);
  if (const auto run = blocks.find({judged.run.ranks, judged.run.sizes}); run != blocks.end()) {
    for (const auto& [block, of_block] : run->second) {
      parts[std::string(name_of(block))] = of_block;
    }
  }
  return parts;
}

/// Which block holds a run back: the longest run of each number of ranks and threads.
Table blocks_table(const std::vector<JudgedRun>& comparisons, const Measurements& measurements) {
  std::map<std::pair<int, int>, const JudgedRun*> longest;
  for (const JudgedRun& c : comparisons) {
    const JudgedRun*& best = longest[{c.run.ranks, c.run.threads}];
    best = best == nullptr || c.measured_s > best->measured_s ? &c : best;
  }
  Table table{.id = "blocks",
              .title = "Where the time goes",
              .note =
                  "The longest run on each number of ranks and threads. Each block: the sum over "
                  "levels of the longest over the ranks, as in equation 6; such sums may exceed "
                  "the run's time, since one rank need not be the slowest everywhere. Of a search: "
                  "visits of nodes (mean over the workers), and all else.",
              .columns = {{"workers"},
                          {"sizes"},
                          {"block"},
                          {"measured (s)", true},
                          {"predicted (s)", true},
                          {"of the run", true}}};
  for (const auto& [workers, run] : longest) {
    const auto predicted = seconds_by_block(run->prediction);
    for (const auto& [name, of_part] : measured_parts(measurements, *run)) {
      const auto found = std::ranges::find_if(
          predicted, [&, part = name](const auto& block) { return block.first == part; });
      table.rows.push_back({text(format_workers(workers.first, workers.second)),
                            text(format_sizes(run->run.sizes)), text(name), seconds(of_part),
                            found == predicted.end() ? text("") : seconds(found->second),
                            percent(of_part / run->measured_s)});
    }
  }
  return table;
}

/// How good each fit is.
Table coefficients_table(const Model& model) {
  Table table{
      .id = "coefficients",
      .title = "Coefficients of the fits",
      .note =
          "A coefficient is seconds for each unit of its term; of 1 / efficiency it has no unit. "
          "Weight: how likely the form is, of all that were tried; the likeliest is shown. Factor: "
          "what it is multiplied by with so many ranks (of a search: workers) per host. Residual: "
          "the median of |measured - fitted| / measured.",
      .columns = {{"block"},
                  {"per host", true},
                  {"term"},
                  {"value", true},
                  {"std. error", true},
                  {"weight", true},
                  {"factor", true},
                  {"residual", true},
                  {"R²", true}}};
  const auto add = [&](const std::string& name, const Law& law) {
    const Hypothesis& first = law.hypotheses.front();
    for (const auto& [per_host, factor] : first.factors) {
      for (std::size_t i = 0; i < first.form.size(); ++i) {
        const double variance = first.covariance[i * (first.form.size() + 1)];
        const double error = first.deviation * std::sqrt(std::max(0.0, variance));
        table.rows.push_back(
            {text(name), whole(per_host), text(first.form[i].text()),
             number(first.coefficients[i], fmt::format("{:.4g}", first.coefficients[i])),
             number(error, fmt::format("{:.2g}", error)), percent(first.weight),
             number(factor, fmt::format("{:.3f}", factor)),
             percent(law.median_abs_relative_residual),
             known(law.r_squared >= 0,
                   number(law.r_squared, fmt::format("{:.4f}", law.r_squared)))});
      }
    }
  };
  if (const TableModel* run = model.table()) {
    if (run->law) {
      add("run", *run->law);
    }
  } else if (const SearchModel* search = model.search()) {
    for (const auto& [name, law] : {std::pair("search", &search->visits),
                                    std::pair("1 / efficiency", &search->inverse_efficiency)}) {
      if (*law) {
        add(name, **law);
      }
    }
  } else {
    for (const BlockModel& block : model.hypercube()->blocks) {
      add(std::string(name_of(block.block)), block.law);
    }
  }
  return table;
}

/// Whether a search was balanced, as table 1 and figure 3 of Helbecque et al., "DistBag_DFS".
Table workers_table(const std::vector<SearchRun>& runs) {
  Table table{.id = "workers",
              .title = "What the workers did",
              .note =
                  "Steals made of those tried in one run, from workers of the same rank and from "
                  "other ranks; and the largest share of a worker in all nodes, of an even one. "
                  "Means over the repetitions.",
              .columns = {{"ranks", true},
                          {"threads", true},
                          {"nodes", true},
                          {"nodes/s", true},
                          {"steals inside"},
                          {"steals between"},
                          {"max/mean", true}}};
  for (const SearchRun& run : runs) {
    const double rate = run.nodes() / detail::median(run.seconds);
    const auto steals = [&](double made, double tried) {
      return text(
          fmt::format("{:.0f} of {:.0f}", made / run.repetitions(), tried / run.repetitions()));
    };
    double all = 0;
    double most = 0;
    for (const auto& [worker, nodes] : run.nodes_of) {
      all += nodes;
      most = std::max(most, nodes);
    }
    const double share = most * static_cast<double>(run.nodes_of.size()) / std::max(all, 1.0);
    table.rows.push_back(
        {whole(run.ranks), whole(run.threads), count(run.sizes.at("nodes")),
         number(rate, fmt::format("{:.2f} M", rate / 1e6)), steals(run.local_made, run.local_tried),
         steals(run.remote_made, run.remote_tried), number(share, fmt::format("{:.3f}", share))});
  }
  return table;
}

}  // namespace

std::vector<Table> make_tables(const Model& model, const Measurements& measurements,
                               const std::vector<JudgedRun>& comparisons) {
  std::vector<Table> tables = {predictions_table(comparisons, model),
                               blocks_table(comparisons, measurements),
                               workers_table(measurements.searches), coefficients_table(model)};
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

std::map<std::pair<int, NamedSizes>, std::map<detail::Block, double>> measured_blocks(
    const Measurements& measurements) {
  std::map<std::pair<int, NamedSizes>, std::map<std::pair<detail::Block, int>, double>> longest;
  for (const Sample& sample : measurements.samples) {
    if (!sample.is_rehearsed) {
      double& of_level = longest[{sample.ranks, sample.run_sizes}][{sample.block, sample.level}];
      of_level = std::max(of_level, detail::median(sample.seconds));
    }
  }
  std::map<std::pair<int, NamedSizes>, std::map<detail::Block, double>> blocks;
  for (const auto& [run, levels] : longest) {
    for (const auto& [place, of_level] : levels) {
      blocks[run][place.first] += of_level;
    }
  }
  return blocks;
}

}  // namespace cleave::models
