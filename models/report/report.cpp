// SPDX-License-Identifier: Apache-2.0
#include "models/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include <cleave/error.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/provenance.hpp>

#include "models/report/answer.hpp"
#include "models/report/remarks.hpp"
#include "models/report/tables.hpp"

namespace cleave::models {

namespace {

std::vector<JudgedRun> judged(const Model& model, const Measurements& measurements,
                              const PredictOptions& options) {
  std::vector<JudgedRun> runs;
  for (const RunPoint& point : measurements.points) {
    runs.push_back(judge_run(model, point, options));
  }
  return runs;
}

std::vector<std::pair<std::string, std::string>> facts_of(const Model& model,
                                                          const Network& network) {
  const detail::Provenance& p = model.provenance;
  std::vector<std::pair<std::string, std::string>> facts = {
      {"application", fmt::format("{}, {}{}{}", model.app, model.type,
                                  model.placement.empty() ? "" : ", ", model.placement)},
      {"host", fmt::format("{}, {}, {} cores", p.host, p.processor, p.cores)},
      {"latency and gap from", network.source},
      {"forms",
       model.forms == "paper" ? "Printista and Saez, ordinary least squares" : model.forms},
      {"runs", fmt::format("{} fitted, {} held out", model.fitted.size(), model.held_out.size())},
      {"model made", fmt::format("{} by {} {} ({})", p.created, p.program, p.version, p.commit)}};
  if (model.table() != nullptr) {  // nobody knows where it was measured
    facts.erase(facts.begin() + 1, facts.begin() + 3);
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
                           const std::vector<JudgedRun>& comparisons,
                           const std::vector<Answer>& asked) {
  Remarks remarks;
  for (const Answer& answer : asked) {
    if (answer.prediction) {
      remarks.add(*answer.prediction);
    }
  }
  for (const JudgedRun& c : comparisons) {
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
                   const std::optional<detail::Machine>& machine, PredictOptions options) {
  if (measurements.app != model.app) {
    throw UsageError(
        fmt::format("the traces are of {}, the model is of {}", measurements.app, model.app));
  }
  if (machine) {
    options.network = network_of(*machine);
  }
  const Network& network = options.network ? *options.network : model.network;

  Report report{.title = fmt::format("{}: predicted and measured", model.app),
                .facts = facts_of(model, network),
                .comparisons = judged(model, measurements, options),
                .worker_shares = worker_shares_of(measurements.searches),
                .model = model};
  report.model.network = network;
  report.asked = answers_of(report.model, options);
  report.answers = answers_of(report.model);
  report.notes = notes_of(model, measurements, report.comparisons, report.asked);
  report.verdict = judge(report.comparisons);
  if (!report.verdict.trusted) {
    report.verdict = model.verdict;
  }
  report.verdict.host = model.verdict.host;
  report.residuals = residuals_of(model, measurements, report.comparisons);
  report.tables = make_tables(model, measurements, report.comparisons, network);
  return report;
}

std::vector<Answer> first_answers(const Report& report) {
  std::vector<Answer> first;
  std::ranges::copy_if(report.asked.empty() ? report.answers : report.asked,
                       std::back_inserter(first), &Answer::comes_first);
  return first;
}

bool first_answers_by_law(const Report& report) {
  return std::ranges::any_of(first_answers(report), [](const Answer& answer) {
    return answer.prediction && !answer.prediction->is_rehearsed;
  });
}

}  // namespace cleave::models
