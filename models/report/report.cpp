// SPDX-License-Identifier: Apache-2.0
#include "models/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "models/files.hpp"
#include "models/forecast.hpp"
#include "models/remarks.hpp"
#include "models/report/figures.hpp"
#include "models/report/measured.hpp"
#include "models/report/stealing_tables.hpp"
#include "models/report/tables.hpp"
#include "models/statistics.hpp"

namespace cleave::models {

namespace {

/// A block counts in the verdicts where it takes more than this part of a run.
constexpr double kShareThatCounts = 0.05;
constexpr double kMedianErrorWanted = 0.05;
constexpr double kRSquaredWanted = 0.99;
constexpr double kResidualWanted = 0.03;

std::vector<Comparison> compare(const Model& model, const Measurements& measurements,
                                const PredictOptions& options) {
  std::vector<Comparison> comparisons;
  for (const RunPoint& point : measurements.points) {
    Comparison c{.run = point, .measured_s = median(point.seconds)};
    c.spread = relative_spread(point.seconds);
    c.held_out = !model.is_fitted_to(point);
    const Forecast f = forecast(model, point, options);
    c.prediction = f.prediction;
    c.sum_of_maxima_s = f.prediction.seconds;
    if (f.path) {
      c.critical_path_s = f.path->seconds;
    }
    c.prediction.seconds = f.seconds;
    c.prediction.low = f.low;
    c.prediction.high = f.high;
    c.relative_error = c.measured_s > 0 ? (c.prediction.seconds - c.measured_s) / c.measured_s : 0;
    comparisons.push_back(std::move(c));
  }
  return comparisons;
}

Verdict error_verdict(const std::vector<double>& errors, bool worst) {
  const double value = worst ? *std::max_element(errors.begin(), errors.end()) : median(errors);
  const double wanted = worst ? kPaperError : kMedianErrorWanted;
  return {value <= wanted,
          worst
              ? fmt::format("Worst error on held-out runs: {:.2f} % (the paper's worst: {:.2f} %)",
                            100 * value, 100 * wanted)
              : fmt::format("Median error on {} held-out runs: {:.2f} % (wanted: at most {:.0f} %)",
                            errors.size(), 100 * value, 100 * wanted)};
}

std::vector<Verdict> verdicts_of(const Model& model, const Measurements& measurements,
                                 const std::vector<Comparison>& comparisons) {
  std::vector<Verdict> verdicts;
  std::vector<double> held_out;
  for (const Comparison& c : comparisons) {
    if (c.held_out) {
      held_out.push_back(std::abs(c.relative_error));
    }
  }
  if (!held_out.empty()) {
    verdicts.push_back(error_verdict(held_out, false));
    verdicts.push_back(error_verdict(held_out, true));
  }
  const auto shares = largest_shares(measurements);
  for (const BlockModel& block : model.blocks) {
    const auto share = shares.find({block.block, block.ranks_per_host});
    if (share == shares.end() || share->second <= kShareThatCounts) {
      continue;
    }
    const SegmentedFit& fit = block.fit;
    verdicts.push_back(
        {fit.r_squared >= kRSquaredWanted && fit.median_abs_relative_residual <= kResidualWanted,
         fmt::format("{}, {} per host: R² {:.4f} (wanted: at least {:.2f}), median residual "
                     "{:.2f} % (wanted: at most {:.0f} %; a single repetition is off by {:.2f} %)",
                     name_of(block.block), format_ranks(block.ranks_per_host), fit.r_squared,
                     kRSquaredWanted, 100 * fit.median_abs_relative_residual, 100 * kResidualWanted,
                     100 * block.repetition_deviation)});
  }
  return verdicts;
}

std::vector<std::pair<std::string, std::string>> facts_of(const Model& model,
                                                          const LatencyGaps& gaps) {
  const Provenance& p = model.provenance;
  std::vector<std::pair<std::string, std::string>> facts = {
      {"application", fmt::format("{}, {}, {}", model.app, model.type, model.placement)},
      {"host", fmt::format("{}, {}, {} cores", p.host, p.processor, p.cores)},
      {"latency and gap from", gaps.source},
      {"forms", fmt::format("{}, {} weights", model.forms,
                            model.weights == Weights::relative ? "relative" : "ordinary")},
      {"runs", fmt::format("{} fitted, {} held out", model.fitted.size(), model.held_out.size())},
      {"model made", fmt::format("{} by {} {} ({})", p.created, p.program, p.version, p.commit)}};
  if (model.sum_of_maxima) {
    const double of_sum = 100 * model.sum_of_maxima->median_abs_error;
    facts.push_back(
        {"composition",
         model.critical_path
             ? fmt::format("{} is closer to the fitted runs: median error of equation 6 {:.2f} %, "
                           "of the critical path {:.2f} %",
                           model.path_is_closer() ? "the critical path" : "equation 6", of_sum,
                           100 * model.critical_path->median_abs_error)
             : fmt::format("{}, median error on the fitted runs {:.2f} %",
                           model.stealing ? "means over the workers" : "equation 6", of_sum)});
  }
  if (!model.exchange.empty()) {
    const ExchangeModel& exchange = model.exchange.front();
    facts.insert(facts.begin() + 3,
                 {"exchange", fmt::format("{:.4g} (l + K g), {}", exchange.factor,
                                          exchange.factor_is_fitted
                                              ? "factor fitted to the traces (the paper: 2)"
                                              : "factor as in the paper")});
  }
  return facts;
}

/// Adds the notes that are not among them yet.
void add_new(std::vector<std::string>& notes, const std::vector<std::string>& others) {
  for (const std::string& other : others) {
    if (std::find(notes.begin(), notes.end(), other) == notes.end()) {
      notes.push_back(other);
    }
  }
}

}  // namespace

Report make_report(const Model& model, const Measurements& measurements,
                   const std::optional<Machine>& machine) {
  if (measurements.app != model.app) {
    throw UsageError(
        fmt::format("the traces are of {}, the model is of {}", measurements.app, model.app));
  }
  PredictOptions options;
  if (machine) {
    options.latency_gaps = latency_gaps_of(*machine);
  }
  const LatencyGaps& gaps = options.latency_gaps ? *options.latency_gaps : model.latency_gaps;

  Report report{.title = fmt::format("{}: predicted and measured", model.app),
                .facts = facts_of(model, gaps),
                .comparisons = compare(model, measurements, options),
                .notes = measurements.notes};
  report.verdicts = verdicts_of(model, measurements, report.comparisons);
  Remarks remarks;
  for (const Comparison& c : report.comparisons) {
    remarks.add(c.prediction);
  }
  add_new(report.notes, model.notes);
  add_new(report.notes, remarks.texts());

  report.tables = make_tables(model, measurements, report.comparisons, gaps);
  report.figures = make_figures(model, report.comparisons, gaps);
  if (const std::optional<Figure> shares = workers_figure(measurements.stealing)) {
    report.figures.push_back(*shares);
  }
  return report;
}

}  // namespace cleave::models
