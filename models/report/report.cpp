// SPDX-License-Identifier: Apache-2.0
#include "models/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <system_error>
#include <tuple>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/trace.hpp>

#include "models/report/page/page.hpp"

namespace cleave::models {

namespace {

std::vector<std::pair<std::string, std::string>> facts_of(const Model& model) {
  const detail::Provenance& p = model.provenance;
  std::vector<std::pair<std::string, std::string>> facts = {
      {"application", fmt::format("{}, {}{}{}", model.app, model.type,
                                  model.placement.empty() ? "" : ", ", model.placement)}};
  if (model.table() == nullptr) {  // nobody knows where a table was measured
    facts.insert(facts.end(),
                 {{"host", fmt::format("{}, {}, {} cores", p.host, p.processor, p.cores)},
                  {"latency and gap from", model.network.source}});
  }
  if (model.hypercube() != nullptr && model.hypercube()->exchange) {
    const ExchangeModel& exchange = *model.hypercube()->exchange;
    facts.emplace_back("an exchange takes",
                       fmt::format("{:.3g} times a calibrated message, {}", exchange.factor,
                                   exchange.factor_is_fitted ? "as in the traces"
                                                             : "as Printista and Saez have it"));
  }
  facts.insert(
      facts.end(),
      {{"forms",
        model.forms == "paper" ? "Printista and Saez, ordinary least squares" : model.forms},
       {"runs", fmt::format("{} fitted, {} held out once", model.fitted.size(),
                            model.verdict.checks.size())},
       {"model made", fmt::format("{} by {} {} ({})", p.created, p.program, p.version, p.commit)}});
  return facts;
}

/// First what a fit should be distrusted for.
std::vector<Note> notes_of(const Report& report, const Measurements& measurements) {
  std::vector<Answer> answers = report.asked;
  for (const JudgedRun& c : report.comparisons) {
    answers.push_back({.ranks = c.prediction.ranks, .notes = c.prediction.remarks});
  }
  std::vector<Note> notes;
  const auto add = [&](const std::vector<std::string>& texts, bool is_grave) {
    for (const std::string& text : texts) {
      if (std::ranges::find(notes, text, &Note::text) == notes.end()) {
        notes.push_back({text, is_grave});
      }
    }
  };
  for (const RefusedBlock& block : report.model.refused) {
    add({fmt::format("{} cannot be fitted: {}", name_of(block.block), block.reason)}, true);
  }
  add(report.model.notes, true);
  add(measurements.notes, false);
  add(notes_of(answers), false);
  return notes;
}

/// Adds runs that are held out to the model's own checks.
void add_checks(Verdict& verdict, const std::vector<JudgedRun>& runs) {
  for (const JudgedRun& judged : runs) {
    const Prediction& p = judged.prediction;
    const bool is_known = std::ranges::any_of(verdict.checks, [&](const Check& check) {
      return check.ranks == p.ranks && check.threads == p.threads && check.sizes == p.sizes;
    });
    if (judged.held_out && !is_known) {
      verdict.checks.push_back(check_of(p, judged.measured_s));
    }
  }
  std::ranges::stable_sort(verdict.checks, {}, &Check::reach);
}

}  // namespace

Report make_report(const Model& model, const Measurements& measurements) {
  if (measurements.app != model.app) {
    throw UsageError(
        fmt::format("the traces are of {}, the model is of {}", measurements.app, model.app));
  }
  Report report{.title = fmt::format("{}: {}", model.app,
                                     measurements.kept_state.empty() ? "predicted and measured"
                                                                     : measurements.kept_state),
                .kept_state = measurements.kept_state,
                .model = model};
  report.facts = facts_of(model);
  for (const RunPoint& point : measurements.points) {
    report.comparisons.push_back(judge_run(report.model, point));
  }
  add_checks(report.model.verdict, report.comparisons);
  report.asked = answers_of_rehearsals(report.model);
  report.answers = answers_of(report.model);
  report.notes = notes_of(report, measurements);
  report.tables = make_tables(model, measurements, report.comparisons);
  return report;
}

std::vector<Answer> first_answers(const Report& report) {
  std::vector<Answer> first;
  std::ranges::copy_if(report.asked.empty() ? report.answers : report.asked,
                       std::back_inserter(first), &Answer::comes_first);
  return first;
}

double reach_of(const Report& report) {
  std::optional<double> reach;
  for (const Answer& answer : first_answers(report)) {
    if (answer.prediction) {
      reach = std::max(reach.value_or(0), answer.prediction->reach);
    }
  }
  return reach.value_or(report.model.verdict.reach());
}

Table answers_table(const std::vector<Answer>& answers, const std::vector<JudgedRun>& runs) {
  Table table{.columns = {{"sizes"},
                          {"workers", true},
                          {"measured", true, runs.empty()},
                          {"time", true},
                          {"95 % from", true},
                          {"to", true},
                          {"a run to", true},
                          {"held back by"},
                          {"verdict"}}};
  for (const Answer& answer : answers) {
    if (answer.prediction) {
      const Prediction& p = *answer.prediction;
      const auto run = std::ranges::find_if(runs, [&](const JudgedRun& judged) {
        return std::tie(judged.run.ranks, judged.run.threads, judged.prediction.sizes) ==
               std::tie(p.ranks, p.threads, p.sizes);
      });
      const auto most = held_back_by(p).value_or(std::pair("", 0.0));
      table.rows.push_back({text(format_sizes(p.sizes)), text(format_workers(p.ranks, p.threads)),
                            run == runs.end() ? text("") : seconds(run->measured_s),
                            seconds(p.seconds), seconds(p.low), seconds(p.high),
                            seconds(p.run_high), text(std::string(most.first)),
                            text(std::string(name_of(p.state)))});
    }
  }
  hide_equal(table);
  return table;
}

std::string answers_text(const Report& report, std::ptrdiff_t lines) {
  const std::vector<Answer> answers = first_answers(report);
  const Table table = answers_table(answers, report.comparisons);
  const bool is_table = table.rows.size() > 1;
  const bool is_of_one_size = is_table && table.columns.front().is_detail;
  const bool is_whole = report.kept_state.empty();
  std::string text = is_whole ? "" : wrapped(report.title);
  text += wrapped((is_whole ? report.model.app + ": " : "") +
                  verdict_of(report.model, answers, reach_of(report)).second) +
          (is_of_one_size ? '\n' + table.rows[0][0].shown + ":\n" : "\n") +
          (is_table ? to_terminal(table) : "");
  for (const Answer& answer : answers) {
    text += answer.prediction && is_table ? "" : wrapped(answer.line);
  }
  std::vector<std::string> notes;
  std::ranges::transform(report.notes, std::back_inserter(notes), &Note::text);
  return text + notes_text(notes, lines - std::ranges::count(text, '\n'));
}

void make_folder(const std::filesystem::path& folder) {
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (error || !std::filesystem::is_directory(folder)) {
    throw FileError(
        folder, "cannot make this folder: " + (error ? error.message() : "a file has its name"));
  }
}

void write_report(const std::filesystem::path& folder, const Report& report) {
  write_file(folder / "report.html", to_html(report));
}

}  // namespace cleave::models
