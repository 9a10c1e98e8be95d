// SPDX-License-Identifier: Apache-2.0
// cleave fit: traces and a machine to a model.
#include <fmt/format.h>

#include <memory>

#include "models/command/arguments.hpp"
#include "models/command/commands.hpp"
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

void run(const Arguments& arguments, const std::string& command_line) {
  const FitOptions options = arguments.fit.options();
  const std::optional<Machine> machine = read_machine_if_given(arguments.machine);
  const Measurements measurements = arguments.fit.measurements(read_traces(arguments.traces));
  const Model model = fit_model(measurements, machine, options,
                                provenance_here("cleave fit", command_line, "none"));
  write_model(arguments.out, model);
  print_fit(model);
}

}  // namespace

void add_fit_command(CLI::App& program, const std::string& command_line) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("fit", "Fit a model to traces");
  command->add_option("traces", arguments->traces, "Traces (*.trace.jsonl) of one application")
      ->required();
  command->add_option("--machine", arguments->machine,
                      "Calibrated latency and gap; without it they are fitted to the traces");
  command->add_option("--out", arguments->out, "The model to write (*.model.json)")->required();
  arguments->fit.add_to(*command);
  command->callback([arguments, command_line] { run(*arguments, command_line); });
}

}  // namespace cleave::models
