// SPDX-License-Identifier: Apache-2.0
#include "models/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include <cleave/error.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/median.hpp>
#include <cleave/trace/provenance.hpp>
#include <cleave/trace/span.hpp>

#include "models/report/answer.hpp"
#include "models/report/measured.hpp"
#include "models/report/residuals.hpp"
#include "models/report/stealing_tables.hpp"
#include "models/report/tables.hpp"
#include "models/theory/remarks.hpp"
#include "models/theory/statistics.hpp"

namespace cleave::models {

namespace {

/// A block counts in the verdicts where it takes more than this part of a run.
constexpr double kShareThatCounts = 0.05;
constexpr double kMedianErrorWanted = 0.05;
/// The largest error of the paper: of graphs on 8 processors.
constexpr double kWorstErrorWanted = 0.0883;
constexpr double kRSquaredWanted = 0.99;
constexpr double kResidualWanted = 0.03;

std::vector<Comparison> compare(const Model& model, const Measurements& measurements,
                                const PredictOptions& options) {
  std::vector<Comparison> comparisons;
  for (const RunPoint& point : measurements.points) {
    Comparison c{.run = point, .measured_s = detail::median(point.seconds)};
    c.spread = relative_spread(point.seconds);
    c.held_out = !model.is_fitted_to(point);
    c.prediction = predict(model, point, options);
    c.relative_error = c.measured_s > 0 ? (c.prediction.seconds - c.measured_s) / c.measured_s : 0;
    comparisons.push_back(std::move(c));
  }
  return comparisons;
}

Verdict error_verdict(const std::vector<double>& errors, bool worst) {
  const double value =
      worst ? *std::max_element(errors.begin(), errors.end()) : detail::median(errors);
  const double wanted = worst ? kWorstErrorWanted : kMedianErrorWanted;
  return {
      .holds = value <= wanted,
      .text = worst
                  ? fmt::format("Worst error on held-out runs: {:.2f} % (wanted: at most {} %)",
                                100 * value, 100 * wanted)
                  : fmt::format("Median error on {} held-out runs: {:.2f} % (wanted: at most {} %)",
                                errors.size(), 100 * value, 100 * wanted),
      .advice =
          "Measure more rounds (--rounds) on an idle machine, and sizes near those that "
          "you ask for."};
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
  if (model.hypercube() == nullptr) {
    return verdicts;
  }
  for (const BlockModel& block : model.hypercube()->blocks) {
    const auto share = shares.find(block.block);
    if (share == shares.end() || share->second <= kShareThatCounts) {
      continue;
    }
    const Fit& fit = block.fit;
    verdicts.push_back(
        {.holds = fit.r_squared >= kRSquaredWanted &&
                  fit.median_abs_relative_residual <= kResidualWanted,
         .text = fmt::format(
             "{}: R² {:.4f} (wanted: at least {:.2f}), median residual "
             "{:.2f} % (wanted: at most {:.0f} %; a single repetition is off by {:.2f} %)",
             name_of(block.block), fit.r_squared, kRSquaredWanted,
             100 * fit.median_abs_relative_residual, 100 * kResidualWanted,
             100 * block.repetition_deviation),
         .advice =
             fit.median_abs_relative_residual <= block.repetition_deviation
                 ? "Single repetitions scatter as much: measure more repetitions."
                 : "Its time depends on something else than its sizes: declare it by costs()."});
  }
  return verdicts;
}

std::vector<std::pair<std::string, std::string>> facts_of(const Model& model,
                                                          const Network& network) {
  const detail::Provenance& p = model.provenance;
  std::vector<std::pair<std::string, std::string>> facts = {
      {"application", fmt::format("{}, {}, {}", model.app, model.type, model.placement)},
      {"host", fmt::format("{}, {}, {} cores", p.host, p.processor, p.cores)},
      {"latency and gap from", network.source},
      {"forms", fmt::format("{}, {} weights", model.forms,
                            model.weights == Weights::relative ? "relative" : "ordinary")},
      {"runs", fmt::format("{} fitted, {} held out", model.fitted.size(), model.held_out.size())},
      {"model made", fmt::format("{} by {} {} ({})", p.created, p.program, p.version, p.commit)}};
  if (model.calibration.runs > 0) {
    facts.push_back(
        {"intervals", fmt::format("widened by {:.1f} %, by what {} held-out runs say",
                                  100 * model.calibration.error, model.calibration.runs)});
  }
  if (model.hypercube() != nullptr && model.hypercube()->exchange) {
    const ExchangeModel& exchange = *model.hypercube()->exchange;
    facts.insert(
        facts.begin() + 3,
        {"exchange", fmt::format("{:.4g} (l + K g), {}", exchange.factor,
                                 exchange.factor_is_fitted
                                     ? "factor fitted to the traces (Printista and Saez: 2)"
                                     : "factor as Printista and Saez have it")});
  }
  return facts;
}

/// Adds the notes that are not among them yet.
void add_new(std::vector<Note>& notes, const std::vector<std::string>& others, bool is_grave) {
  for (const std::string& other : others) {
    if (std::ranges::find(notes, other, &Note::text) == notes.end()) {
      notes.push_back({other, is_grave});
    }
  }
}

/// First what a fit should be distrusted for.
std::vector<Note> notes_of(const Model& model, const Measurements& measurements,
                           const std::vector<Comparison>& comparisons) {
  Remarks remarks;
  for (const Comparison& c : comparisons) {
    remarks.add(c.prediction);
  }
  std::vector<Note> notes;
  add_new(notes, model.notes, true);
  add_new(notes, measurements.notes, false);
  add_new(notes, remarks.texts(), false);
  return notes;
}

}  // namespace

Report make_report(const Model& model, const Measurements& measurements,
                   const std::optional<detail::Machine>& machine) {
  if (measurements.app != model.app) {
    throw UsageError(
        fmt::format("the traces are of {}, the model is of {}", measurements.app, model.app));
  }
  PredictOptions options;
  if (machine) {
    options.network = network_of(*machine);
  }
  const Network& network = options.network ? *options.network : model.network;

  Report report{.title = fmt::format("{}: predicted and measured", model.app),
                .facts = facts_of(model, network),
                .comparisons = compare(model, measurements, options),
                .worker_shares = worker_shares_of(measurements.searches),
                .model = model};
  report.model.network = network;
  report.answers = answers_of(report.model);
  report.notes = notes_of(model, measurements, report.comparisons);
  report.verdicts = verdicts_of(model, measurements, report.comparisons);
  report.residuals = residuals_of(model, measurements, report.comparisons);
  report.tables = make_tables(model, measurements, report.comparisons, network);
  return report;
}

}  // namespace cleave::models
