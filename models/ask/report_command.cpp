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
  std::vector<std::string> traces;
  std::string model;
  std::string out;
  TableChoice table;
  Answering answering;
};

void run(const ReportArguments& arguments) {
  require_option(arguments.traces, "a study's folder, a trace or a table",
                 "cleave report sort-study, or cleave report times.csv --model times.model.json "
                 "--out pages");
  const std::string& first = arguments.traces.front();
  const std::string folder = arguments.traces.size() == 1 && is_folder(first) ? first : "";
  if (folder.empty()) {
    require_option(arguments.model, "--model", "--model sort.model.json");
    require_option(arguments.out, "--out", "--out pages");
  }
  const std::filesystem::path model_file =
      model_of(arguments.model.empty() ? folder : arguments.model);
  const Model model = read_model(model_file);
  const std::vector<std::string> files = traces_of(arguments.traces);
  const Measurements measurements = read_measurements(files, arguments.table);
  Report report = make_report(model, measurements);
  report.origin = {.model = model_file.string()};
  const std::filesystem::path out = arguments.out.empty() ? folder : arguments.out;
  make_folder(out);
  write_report(out, report);
  const Answering& answering = arguments.answering;
  answering.print([&](detail::JsonFields& object) {
    object("app", model.app)("page", (out / "report.html").string());
    fields(object, report);
  });
  answering.say(to_terminal(report));
}

}  // namespace

void add_report_command(CLI::App& program) {
  auto arguments = std::make_shared<ReportArguments>();
  CLI::App* command =
      program.add_subcommand("report", "Compare a model with traces or a table: a page");
  command->add_option("traces", arguments->traces,
                      "Traces (*.trace.jsonl) of the application, a study's folder, or a table");
  command->add_option("--model", arguments->model,
                      "A model (*.model.json); without it that of the study's folder");
  command->add_option("--out", arguments->out,
                      "Folder to write into, made if its parent exists; without it the study's");
  add_table_options(*command, arguments->table);
  arguments->answering.add_to(*command);
  command->footer("Examples:\n  cleave report *.trace.jsonl --model sort.model.json --out pages");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace cleave::models
