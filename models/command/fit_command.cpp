// SPDX-License-Identifier: Apache-2.0
// cleave fit: traces and a machine to a model.
#include <fmt/format.h>

#include <memory>

#include "models/command/arguments.hpp"
#include "models/command/commands.hpp"
#include "models/command/study_folder.hpp"
#include "models/command/study_plan.hpp"
#include "models/files.hpp"
#include "models/model_file.hpp"
#include "models/report/text.hpp"

namespace cleave::models {

namespace {

struct Arguments {
  std::vector<std::string> traces;
  std::string machine;
  std::string out;
  FitArguments fit;
};

std::string seconds_text(const BlockFit& fit) {
  std::string text;
  for (std::size_t i = 0; i < fit.form.size(); ++i) {
    text += fmt::format("{}{:.3g} s * {}", i == 0 ? "" : " + ",
                        fit.fit.coefficients[static_cast<Eigen::Index>(i)], fit.form[i].text());
  }
  return text;
}

void print_steals(const char* where, const std::optional<Steals>& steals) {
  if (steals) {
    fmt::print("{:<10}  {:<14}  {}\n", "steal", where, seconds_text(steals->seconds));
  }
}

void print_rounds(const char* name, const BlockFit& fit) {
  fmt::print("{:<10}  {}\n", name, seconds_text(fit));
}

void print_stealing(const StealingModel& stealing) {
  print_steals("inside a rank", stealing.inside);
  print_steals("between ranks", stealing.between);
  print_rounds("start-up", stealing.start_up);
  print_rounds("ending", stealing.termination);
}

void print_fit(const Model& model) {
  for (const BlockModel& block : model.blocks) {
    fmt::print("{:<10}  {:<7} per host  {:<20}  R² {:.4f}  median residual {:.2f} %\n",
               name_of(block.block), format_ranks(block.ranks_per_host), block.fit.text(),
               block.fit.r_squared, 100 * block.fit.median_abs_relative_residual);
  }
  if (model.stealing) {
    print_stealing(*model.stealing);
  }
  for (const RefusedBlock& block : model.refused) {
    fmt::print("{:<10}  {:<7} per host  refused: {}\n", name_of(block.block),
               format_ranks(block.ranks_per_host), block.reason);
  }
  fmt::print("{}", notes_text(model.notes));
}

/// That of the command line, else the one of the study; empty if there is none.
std::string machine_file(const Arguments& arguments,
                         const std::optional<std::filesystem::path>& folder) {
  if (!arguments.machine.empty()) {
    return machine_of(arguments.machine).string();
  }
  return folder ? machine_if_any(*folder).value_or("").string() : "";
}

void run(const Arguments& arguments, const std::string& command_line) {
  require_option(arguments.traces, "a trace or a study's folder",
                 "cleave fit sort-study, or cleave fit *.trace.jsonl --out sort.model.json");
  const std::optional<std::filesystem::path> folder = only_folder(arguments.traces);
  if (!folder) {
    require_option(arguments.out, "--out", "--out sort.model.json");
  }
  const FitOptions options = arguments.fit.options();
  const std::vector<std::string> files = traces_of(arguments.traces);
  const std::optional<Machine> machine = read_machine_if_given(machine_file(arguments, folder));
  const Measurements measurements = arguments.fit.measurements(read_traces(files));
  const std::filesystem::path out = arguments.out.empty()
                                        ? model_to_write(*folder, file_name_of(measurements.app))
                                        : std::filesystem::path(arguments.out);
  const Model model = fit_model(measurements, machine, options,
                                provenance_here("cleave fit", command_line, "none"));
  write_model(out, model);
  print_fit(model);
  if (arguments.out.empty()) {
    fmt::print("written: {}\n", out.string());
  }
}

}  // namespace

void add_fit_command(CLI::App& program, const std::string& command_line) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("fit", "Fit a model to traces");
  command->add_option("traces", arguments->traces,
                      "Traces (*.trace.jsonl) of one application, or a study's folder");
  command->add_option("--machine", arguments->machine,
                      "Calibrated latency and gap; without it those in the study's folder, else "
                      "they are fitted to the traces");
  command->add_option("--out", arguments->out,
                      "The model to write (*.model.json); without it that of the study's folder");
  arguments->fit.add_to(*command);
  command->callback([arguments, command_line] { run(*arguments, command_line); });
}

}  // namespace cleave::models
