// SPDX-License-Identifier: Apache-2.0
// cleave: fits models to traces, predicts run times and reports. `cleave X` runs the program
// cleave-X of the same folder for any other X.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include <cleave/command_line/options.hpp>
#include <cleave/trace/words.hpp>

#include "models/ask/arguments.hpp"
#include "models/study/launcher.hpp"
#include "models/study/program_description.hpp"

namespace cleave::models {

namespace {

/// Becomes the program cleave-NAME, NAME the first of `arguments`. \throws UsageError  without it
[[noreturn]] void become(const std::string& name, char** arguments) {
  const std::filesystem::path program = program_folder() / ("cleave-" + name);
  ::execv(program.c_str(), arguments);
  if (errno != ENOENT) {
    throw Error(fmt::format("cannot run {}: {}", program.string(), std::strerror(errno)));
  }
  throw UsageError(
      fmt::format("there is no command {}, and no program cleave-{} in {}; see cleave --help", name,
                  name, program_folder().string()));
}

/// Takes the options of the program that is studied from `words`: they follow after "--".
std::vector<std::string> options_after_dashes(std::vector<std::string>& words) {
  const auto end = std::ranges::find(words, "--");
  if (end == words.end() || words.size() < 2 || words[1] != "study") {
    return {};
  }
  std::vector<std::string> options(end + 1, words.end());
  words.erase(end, words.end());
  return options;
}

int run(int argc, char** argv) {
  CLI::App program("From traces of divide-and-conquer programs to predicted run times", "cleave");
  program.footer(
      "Examples:\n"
      "  cleave new mysort\n"
      "  cleave study ./mysort\n"
      "  cleave predict mysort-study --ranks 2,8,64 --size N=1G \\\n"
      "    --machine ethernet-10g\n\n"
      "cleave NAME runs cleave-NAME of the same folder: under mpiexec calibrate, which measures\n"
      "latency and gap of this machine, quicksort, components, uts, flowshop.");
  std::vector<std::string> words(argv, argv + argc);
  const std::string command_line = detail::command_line_of(argc, argv);
  words.resize(std::max<std::size_t>(words.size(), 2), "help");
  if (words[1] == "help") {
    words.erase(words.begin() + 1);
    words.emplace_back("--help");
  }
  add_new_command(program);
  add_study_command(program, command_line, options_after_dashes(words));
  add_fit_command(program, command_line);
  add_predict_command(program);
  add_plan_command(program);
  add_compare_command(program);
  add_report_command(program);
  add_export_command(program);
  program.require_subcommand(0, 1);  // a file may have a command's name

  std::vector<char*> arguments;
  std::ranges::transform(words, std::back_inserter(arguments),
                         [](std::string& word) { return word.data(); });
  arguments.push_back(nullptr);
  const auto is_meant = [&](const CLI::App* command) { return command->get_name() == words[1]; };
  if (!words[1].starts_with('-') && program.get_subcommands(is_meant).empty()) {
    become(words[1], arguments.data() + 1);
  }
  if (detail::parse_command_line(program, static_cast<int>(words.size()), arguments.data()) &&
      program.get_subcommands().empty()) {
    throw UsageError("a command is missing: see cleave --help");
  }
  detail::flush_out();
  return 0;
}

/// Prints `message` as one line. Returns `status`.
int fail(const std::string& message, int status) {
  fmt::print(stderr, "cleave: {}\n", detail::one_line(message));
  return status;
}

}  // namespace

}  // namespace cleave::models

int main(int argc, char** argv) {
  try {
    return cleave::models::run(argc, argv);
  } catch (const cleave::UsageError& e) {
    return cleave::models::fail(e.what(), 2);
  } catch (const cleave::models::Stopped& e) {
    return cleave::models::fail(e.what(), 130);  // as after Ctrl-C
  } catch (const std::exception& e) {
    return cleave::models::fail(e.what(), 1);
  }
}
