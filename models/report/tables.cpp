// SPDX-License-Identifier: Apache-2.0
#include "models/report/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/span.hpp>

#include "models/report/cells.hpp"
#include "models/report/measured.hpp"
#include "models/theory/trace_run.hpp"

namespace cleave::models {

namespace {

/// Div, Comb, Seq, as Printista and Saez name coefficients.
std::string short_name(detail::Block block) {
  static const std::map<detail::Block, std::string> kShort = {
      {detail::Block::divide, "Div"},     {detail::Block::combine, "Comb"},
      {detail::Block::sequential, "Seq"}, {detail::Block::conquer, "Conq"},
      {detail::Block::skeleton, "HDC"},   {detail::Block::sample, "Samp"},
      {detail::Block::pivot, "Piv"},      {detail::Block::partition, "Part"}};
  const auto found = kShort.find(block);
  return found == kShort.end() ? std::string(name_of(block)) : found->second;
}

/// For which the paper's figures stand in the tables: R^2 and equation 6.
bool has_papers_forms(const Model& model) { return model.forms == "paper"; }

/// A row for each coefficient (Div_0, Div_1 ...) and number of ranks per host.
void add_coefficients(Table& table, const std::string& name, const std::string& short_form,
                      const Law& law, int samples, std::optional<double> share,
                      bool has_r_squared) {
  const Hypothesis& first = law.hypotheses.front();
  bool is_first = true;
  for (const auto& [ranks_per_host, factor] : first.factors) {
    for (std::size_t i = 0; i < first.form.size(); ++i) {
      const auto row = static_cast<Eigen::Index>(i);
      const double error = first.deviation * std::sqrt(std::max(0.0, first.covariance(row, row)));
      table.rows.push_back(
          {text(name), whole(ranks_per_host), text(fmt::format("{}_{}", short_form, i)),
           text(first.form[i].text()),
           number(first.coefficients[row], fmt::format("{:.4g}", first.coefficients[row])),
           number(error, fmt::format("{:.2g}", error)), percent(first.weight),
           number(factor, fmt::format("{:.3f}", factor)), percent(law.median_abs_relative_residual),
           whole(samples), share ? percent(*share) : text("")});
      if (has_r_squared) {
        table.rows.back().push_back(r_squared_of(law.r_squared));
      }
      for (std::size_t column = 0; column < table.columns.size() && !is_first; ++column) {
        const bool is_of_block = column == 0 || column == 6 || column > 7;
        if (is_of_block) {
          table.rows.back()[column].shown.clear();
        }
      }
      is_first = false;
    }
  }
}

Table coefficients_table(const Model& model, const Measurements& measurements) {
  const auto shares = largest_shares(measurements);
  Table table{
      .id = "coefficients",
      .title = "Coefficients of the blocks",
      .note =
          "A coefficient is seconds for each unit of its term, with one rank per host. Weight: how "
          "likely the form is, of all that were tried; the likeliest is shown. Factor: what it is "
          "multiplied by with so many ranks per host. Residual: the median of |measured - fitted| "
          "/ measured. Up to: the largest part of any run that the block takes.",
      .columns = {{"block"},
                  {"ranks per host", true},
                  {.name = "coefficient", .is_detail = true},
                  {"term"},
                  {"value", true},
                  {"std. error", true, true},
                  {"weight", true, true},
                  {"factor", true},
                  {"residual", true},
                  {"samples", true, true},
                  {"up to", true}}};
  const bool has_r_squared = has_papers_forms(model);
  if (has_r_squared) {
    table.columns.push_back({"R²", true, true});
  }
  if (const TableModel* run = model.table()) {
    add_coefficients(table, "run", "Run", run->law, run->rows, std::nullopt, has_r_squared);
    return table;
  }
  for (const BlockModel& block : model.hypercube()->blocks) {
    const auto share = shares.find(block.block);
    add_coefficients(
        table, std::string(name_of(block.block)), short_name(block.block), block.law, block.samples,
        share == shares.end() ? std::nullopt : std::optional(share->second), has_r_squared);
  }
  return table;
}

Table refused_table(const Model& model) {
  Table table{.id = "refused",
              .title = "Blocks that could not be fitted",
              .note = "",
              .columns = {{"block"}, {"reason"}}};
  for (const RefusedBlock& block : model.refused) {
    table.rows.push_back({text(std::string(name_of(block.block))), text(block.reason)});
  }
  return table;
}

Table times_table(const std::vector<JudgedRun>& comparisons) {
  std::map<NamedSizes, std::map<RanksAndThreads, const JudgedRun*>> by_size;
  std::set<RanksAndThreads> workers;
  for (const JudgedRun& c : comparisons) {
    by_size[c.run.sizes][{c.run.ranks, c.run.threads}] = &c;
    workers.insert({c.run.ranks, c.run.threads});
  }
  const std::vector<std::string> names = size_names(comparisons);
  Table table{.id = "times",
              .title = "Measured times against size",
              .note = "Quiet times, the medians of the faster half of the repetitions.",
              .columns = {}};
  for (const std::string& name : names) {
    table.columns.push_back({name, true});
  }
  for (const auto& [ranks, threads] : workers) {
    table.columns.push_back({format_workers(ranks, threads) + " (s)", true});
  }
  for (const auto& [sizes, by_workers] : by_size) {
    std::vector<Cell> row;
    for (const std::string& name : names) {
      row.push_back(count(size_or_zero(sizes, name)));
    }
    for (const RanksAndThreads& of_column : workers) {
      const auto found = by_workers.find(of_column);
      row.push_back(found == by_workers.end() ? text("") : seconds(found->second->measured_s));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table predictions_table(const std::vector<JudgedRun>& comparisons, const Model& model) {
  const bool is_search = model.search() != nullptr;
  const bool has_blocks = model.hypercube() != nullptr;
  const bool has_equation_6 = has_blocks && has_papers_forms(model);
  const std::vector<std::string> names = size_names(comparisons);
  Table table{
      .id = "predictions",
      .title = "Predicted against measured",
      .note = fmt::format(
          "Measured is the quiet time, the median of the faster half of the repetitions. Predicted "
          "is {}, with the range that holds the quiet time with 95 % probability, and the one that "
          "holds a single run on a host as it was. Error: (predicted - measured) / measured. "
          "Spread: how far the faster half lies apart (1.4826 MAD, relative).",
          is_search     ? "what the visits of nodes take, over the efficiency"
          : !has_blocks ? "the law of the table"
                        : "the schedule played with the blocks' medians"),
      .columns = {{"ranks", true}}};
  if (is_search) {
    table.columns.push_back({"threads", true});
  }
  for (const std::string& name : names) {
    table.columns.push_back({name, true});
  }
  const auto add_columns = [&table](const std::vector<Column>& columns) {
    table.columns.insert(table.columns.end(), columns.begin(), columns.end());
  };
  add_columns({{"measured (s)", true},
               {"predicted (s)", true},
               {"95 % from (s)", true},
               {"to (s)", true},
               {"a run from (s)", true, true},
               {"a run to (s)", true, true}});
  if (has_equation_6) {
    add_columns({{"eq. 6 (s)", true, true}});
  }
  add_columns({{"error", true}, {"spread", true, true}, {"repetitions", true, true}, {"run was"}});
  for (const JudgedRun& c : comparisons) {
    std::vector<Cell> row = {whole(c.run.ranks)};
    if (is_search) {
      row.push_back(whole(c.run.threads));
    }
    for (const std::string& name : names) {
      row.push_back(count(size_or_zero(c.run.sizes, name)));
    }
    const Prediction& p = c.prediction;
    row.insert(row.end(),
               {seconds(c.measured_s), time_of(p), known(p.is_answer(), seconds(p.low)),
                known(p.is_answer(), seconds(p.high)), known(p.knows_runs(), seconds(p.run_low)),
                known(p.knows_runs(), seconds(p.run_high))});
    if (has_equation_6) {
      row.push_back(known(p.is_answer(), seconds(p.sum_of_maxima_s.value_or(0))));
    }
    row.insert(row.end(),
               {known(p.is_answer(), signed_percent(c.relative_error)), percent(c.spread),
                whole(std::ssize(c.run.seconds)), text(c.held_out ? "held out" : "fitted")});
    table.rows.push_back(std::move(row));
  }
  return table;
}

/// For each number of ranks the run that took longest: what its blocks took, and were predicted to.
Table shares_table(const std::vector<JudgedRun>& comparisons, const Measurements& measurements) {
  const auto blocks = measured_blocks(measurements);
  std::map<int, const JudgedRun*> longest;
  for (const JudgedRun& c : comparisons) {
    const JudgedRun*& best = longest[c.run.ranks];
    if (best == nullptr || c.measured_s > best->measured_s) {
      best = &c;
    }
  }
  Table table{.id = "blocks",
              .title = "Where the time goes",
              .note =
                  "The longest run on each number of ranks. Each block: the sum over levels of "
                  "the longest over the ranks, as in equation 6; such sums may exceed the run's "
                  "time, since one rank need not be the slowest everywhere.",
              .columns = {{"ranks", true},
                          {"sizes"},
                          {"block"},
                          {"measured (s)", true},
                          {"predicted (s)", true},
                          {"of the run", true}}};
  for (const auto& [ranks, run] : longest) {
    std::map<detail::Block, double> predicted;
    for (const BlockShare& share : run->prediction.shares) {
      predicted[share.block] += share.seconds;
    }
    const auto measured = blocks.find({ranks, run->run.sizes});
    if (measured == blocks.end()) {
      continue;
    }
    for (const auto& [block, of_block] : measured->second) {
      const auto found = predicted.find(block);
      table.rows.push_back({whole(ranks), text(format_sizes(run->run.sizes)),
                            text(std::string(name_of(block))), seconds(of_block),
                            found == predicted.end()
                                ? text("")
                                : known(run->prediction.is_answer(), seconds(found->second)),
                            percent(of_block / run->measured_s)});
    }
  }
  return table;
}

Table scaling_table(const Model& model) {
  Table table{
      .id = "sizes",
      .title = "How the sizes of a block follow from those of the run",
      .note =
          "In a group of g of p ranks: run size * scale * (g/p)^exponent. Exponent 1: halves; "
          "0: the whole at every level.",
      .columns = {{"block"}, {"size"}, {"scale", true}, {"exponent", true}, {"exponent from"}}};
  for (const Scaling& s : model.hypercube()->scaling) {
    if (s.block == detail::Block::wait || s.block == detail::Block::skeleton) {
      continue;
    }
    table.rows.push_back({text(std::string(name_of(s.block))), text(s.size),
                          number(s.scale, fmt::format("{:.4g}", s.scale)),
                          number(s.exponent, fmt::format("{:.3g}", s.exponent)),
                          text(s.measured ? "this block" : "the size's other blocks")});
  }
  return table;
}

}  // namespace

std::vector<Table> make_tables(const Model& model, const Measurements& measurements,
                               const std::vector<JudgedRun>& comparisons, const Network& network) {
  std::vector<Table> tables = {predictions_table(comparisons, model)};
  if (model.search() != nullptr) {
    tables.insert(tables.end(), {workers_table(measurements.searches),
                                 parts_table(comparisons, measurements.searches),
                                 stealing_coefficients_table(model)});
  } else if (model.table() != nullptr) {
    tables.push_back(coefficients_table(model, measurements));
  } else {
    tables.insert(tables.end(), {coefficients_table(model, measurements),
                                 shares_table(comparisons, measurements), scaling_table(model)});
  }
  tables.insert(tables.end(),
                {refused_table(model), times_table(comparisons), latency_gap_table(network)});
  std::erase_if(tables, [](const Table& table) { return table.rows.empty(); });
  return tables;
}

}  // namespace cleave::models
