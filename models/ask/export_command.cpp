// SPDX-License-Identifier: Apache-2.0
// cleave export: traces in the formats of other tools.
#include <fmt/format.h>

#include <memory>

#include <cleave/command_line/output.hpp>
#include <cleave/file.hpp>
#include <cleave/trace/trace_file.hpp>

#include "models/ask/arguments.hpp"
#include "models/export/exports.hpp"
#include "models/study/study_folder.hpp"

namespace cleave::models {

namespace {

struct ExportArguments {
  std::vector<std::string> traces;
  std::string out;
};

void run(ExportArguments& arguments) {
  require_option(arguments.traces, "a trace or a study's folder",
                 "cleave export sort-study --out sort.csv");
  require_option(arguments.out, "--out", "--out sort.csv");
  const bool is_timeline = arguments.out.ends_with(".json");
  const std::vector<std::string> files = traces_of(arguments.traces);
  detail::check_is_not_read("--out", arguments.out, files);
  if (is_timeline && files.size() != 1) {
    throw UsageError(fmt::format("a timeline shows one trace, not {}: give one, for example {}",
                                 files.size(), files.front()));
  }
  const std::vector<detail::Trace> traces = read_traces(files);
  write_file(arguments.out, is_timeline ? to_trace_events(traces.front()) : to_span_csv(traces));
}

}  // namespace

void add_export_command(CLI::App& program) {
  auto arguments = std::make_shared<ExportArguments>();
  CLI::App* command =
      program.add_subcommand("export", "Traces as a timeline for Perfetto, or as CSV");
  command->add_option("traces", arguments->traces, "Traces (*.trace.jsonl), or a study's folder");
  command->add_option("--out", arguments->out,
                      "File to write: of one trace a timeline if it is *.json, else CSV");
  command->footer("Examples:\n  cleave export sort-study --out sort.csv");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace cleave::models
