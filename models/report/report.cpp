// SPDX-License-Identifier: Apache-2.0
#include "models/report/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
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
    facts.emplace_back("exchange", fmt::format("{:.4g} (l + K g), {}", exchange.factor,
                                               exchange.factor_is_fitted
                                                   ? "factor fitted to the traces"
                                                   : "factor as Printista and Saez have it"));
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
  std::vector<Answer> answers;
  for (const Answer& answer : report.asked) {
    if (answer.prediction) {  // its line tells forms apart
      answers.push_back({.ranks = answer.ranks, .notes = answer.prediction->remarks});
    }
  }
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

std::string answers_text(const Report& report) {
  constexpr std::size_t kIndent = 4;
  std::string text =
      fmt::format("{}\n{}", wrapped(report.title),
                  wrapped("  " + sentence_of(report.model.verdict, reach_of(report)), kIndent));
  for (const Answer& answer : first_answers(report)) {
    text += wrapped("  " + answer.line, kIndent);
  }
  text += '\n';
  for (const Note& note : report.notes) {
    constexpr std::size_t kTexts = 8;
    text += wrapped("  note  " + note.text, kTexts);
  }
  return text;
}

std::string to_terminal(const Report& report) {
  std::string text = answers_text(report) + '\n';
  for (const auto& [name, value] : report.facts) {
    constexpr std::size_t kValues = 24;
    text += wrapped(fmt::format("  {:<22}{}", name, value), kValues);
  }
  for (const Table& table : report.tables) {
    text += fmt::format("\n{}\n\n{}", table.title, to_terminal(table));
  }
  return text;
}

std::string to_brief(const Report& report) {
  const std::string verdict = sentence_of(report.model.verdict, reach_of(report));
  const std::string brief = wrapped(fmt::format("{}: {}{}{}", report.model.app, report.kept_state,
                                                report.kept_state.empty() ? "" : "; ",
                                                verdict.substr(0, verdict.find(';'))));
  // By ranks, threads and sizes: what was predicted, and what was measured of the longest run.
  std::map<std::tuple<int, int, NamedSizes>, std::pair<const Prediction*, std::string>> lines;
  const auto add = [&](const Prediction& p, const std::string& measured) {
    NamedSizes sizes;
    for (const std::string& name : report.model.size_names()) {
      sizes[name] = p.sizes.at(name);
    }
    auto& line = lines[{p.ranks, p.threads, sizes}];
    line = {&p, measured.empty() ? line.second : measured};
  };
  const auto by_workers = [](const JudgedRun& c) {
    return std::tuple(c.run.ranks, c.run.threads, c.measured_s);
  };
  if (const auto run = std::ranges::max_element(report.comparisons, {}, by_workers);
      run != report.comparisons.end()) {
    add(run->prediction, detail::format_seconds(run->measured_s));
  }
  std::string refusals;
  const std::vector<Answer> answers = first_answers(report);
  for (const Answer& answer : answers) {
    if (answer.prediction) {
      add(*answer.prediction, "");
    } else {
      refusals += wrapped("  " + answer.line, 4);
    }
  }
  Table table{
      .columns = {
          {"  sizes"}, {"workers"}, {"measured", true}, {"predicted", true}, {"+- (95 %)", true}}};
  for (const auto& [of, line] : lines) {
    const auto& [ranks, threads, sizes] = of;
    const Prediction& p = *line.first;
    table.rows.push_back({text("  " + format_sizes(sizes)), text(format_workers(ranks, threads)),
                          text(line.second), seconds(p.seconds),
                          text(fmt::format("{:.1f} %", 100 * p.half_width()))});
  }
  return brief + to_terminal(table) + refusals;
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
