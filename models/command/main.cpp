// SPDX-License-Identifier: Apache-2.0
// cleave: fits models to traces, predicts run times and reports. `cleave X` runs the program
// cleave-X of the same folder for any other X.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <string>
#include <vector>

#include "models/command/commands.hpp"
#include "models/command/program.hpp"
#include "models/command/subprocess.hpp"
#include "models/files.hpp"

namespace cleave::models {

std::filesystem::path program_folder() {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path();
}

namespace {

constexpr int kUsageStatus = 2;

/// Becomes the program cleave-NAME. \throws UsageError  if there is none
[[noreturn]] void become(const std::string& name, char** argv) {
  const std::filesystem::path program = program_folder() / ("cleave-" + name);
  if (name.find('/') != std::string::npos || !std::filesystem::exists(program)) {
    throw UsageError(
        fmt::format("there is no command {}, and no program cleave-{} in {}; see cleave --help",
                    name, name, program_folder().string()));
  }
  ::execv(program.c_str(), argv + 1);
  throw Error(fmt::format("cannot run {}: {}", program.string(), std::strerror(errno)));
}

int run(int argc, char** argv) {
  CLI::App program("From traces of divide-and-conquer programs to predicted run times", "cleave");
  program.footer("cleave X runs the program cleave-X of the same folder.");
  const std::string command_line = command_line_of(argc, argv);
  add_fit_command(program, command_line);
  add_predict_command(program);
  add_plan_command(program);
  add_compare_command(program);
  add_export_command(program);
  add_machine_command(program, command_line);
  add_report_command(program);
  add_study_command(program, command_line);

  const auto is_command = [&](const std::string& name) {
    const auto commands = program.get_subcommands([](CLI::App*) { return true; });
    return std::any_of(commands.begin(), commands.end(),
                       [&](const CLI::App* command) { return command->get_name() == name; });
  };
  if (argc > 1 && argv[1][0] != '-' && !is_command(argv[1])) {
    become(argv[1], argv);
  }
  if (parse_command_line(program, argc, argv) && program.get_subcommands().empty()) {
    throw UsageError(
        "a command is missing: fit, predict, plan, report, study, compare, export or machine; see "
        "cleave --help");
  }
  return 0;
}

/// Prints `message` as one line. Returns `status`.
int fail(const std::string& message, int status) {
  fmt::print(stderr, "cleave: {}\n", one_line(message));
  return status;
}

}  // namespace

}  // namespace cleave::models

int main(int argc, char** argv) {
  try {
    return cleave::models::run(argc, argv);
  } catch (const cleave::UsageError& e) {
    return cleave::models::fail(e.what(), cleave::models::kUsageStatus);
  } catch (const cleave::models::Interrupted& e) {
    return cleave::models::fail(e.what(), cleave::models::kInterruptedStatus);
  } catch (const std::exception& e) {
    return cleave::models::fail(e.what(), 1);
  }
}
