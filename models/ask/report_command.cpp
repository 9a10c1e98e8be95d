// SPDX-License-Identifier: Apache-2.0
// cleave report: what a model predicts beside what traces measured, as tables and figures.

#include <memory>

#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/trace_file.hpp>

#include "models/ask/arguments.hpp"
#include "models/report/report.hpp"
#include "models/report/table.hpp"
#include "models/study/study_folder.hpp"
#include "models/theory/model_file.hpp"

namespace cleave::models {

namespace {

struct ReportArguments {
  std::string study;
  std::vector<std::string> traces;
  std::string out;
  Answering answering;
};

void run(const ReportArguments& arguments) {
  require_option(arguments.study, "a study's folder or a model",
                 "cleave report sort-study, or cleave report times.model.json times.csv --out "
                 "pages");
  const std::filesystem::path model_file = model_of(arguments.study);
  const std::vector<std::string> of_study(is_folder(arguments.study) ? 1 : 0, arguments.study);
  const std::vector<std::string>& given = arguments.traces.empty() ? of_study : arguments.traces;
  require_option(given, "a trace or a table", "sort.trace.jsonl");
  if (given != of_study) {
    require_option(arguments.out, "--out", "--out pages");
  }
  const Model model = read_model(model_file);
  const std::vector<std::string> files = traces_of(given);
  const Measurements measurements =
      read_measurements(files, {.only = "", .usual = are_tables(files) ? model.app : ""});
  Report report = make_report(model, measurements);
  report.origin = {.model = model_file.string()};
  const std::filesystem::path out = arguments.out.empty() ? arguments.study : arguments.out;
  make_folder(out);
  write_report(out, report);
  const std::string page = (out / "report.html").string();
  arguments.answering.print([&](detail::JsonFields& object) {
    object("app", model.app)("page", page);
    fields(object, report);
  });
  for (const JudgedRun& judged : report.comparisons) {
    if (judged.held_out) {
      report.asked.push_back(answer_of(report.model, judged.prediction));
    }
  }
  arguments.answering.say(told(report, page));
}

}  // namespace

void add_report_command(CLI::App& program) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command =
      program.add_subcommand("report", "Compare a model with traces or a table: a page");
  command->add_option("study", arguments->study, "A study's folder, or a model (*.model.json)");
  command->add_option("traces", arguments->traces,
                      "Traces (*.trace.jsonl) or a table; without them the study's");
  command->add_option("--out", arguments->out,
                      "Folder to write into, made if its parent exists; without it the study's");
  arguments->answering.add_to(*command);
  command->footer("Examples:\n  cleave report sort.model.json *.trace.jsonl --out pages");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace cleave::models
