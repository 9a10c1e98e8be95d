// SPDX-License-Identifier: Apache-2.0
// cleave: fits models to traces, predicts run times and reports. `cleave X` runs the program
// cleave-X of the same folder for any other X.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/trace/lines.hpp>

#include "models/ask/commands.hpp"
#include "models/study/program_description.hpp"
#include "models/study/study_plan.hpp"
#include "models/study/subprocess.hpp"

namespace cleave::models {

namespace {

constexpr int kUsageStatus = 2;

std::vector<std::string> commands_of(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(command->get_name());
  }
  return names;
}

/// Becomes the program cleave-NAME. \throws UsageError  if there is none
[[noreturn]] void become(const std::string& name, char** argv) {
  const std::filesystem::path program = program_folder() / ("cleave-" + name);
  const std::vector<std::string> beside = programs_beside();
  if (std::find(beside.begin(), beside.end(), name) == beside.end()) {
    throw UsageError(
        fmt::format("there is no command {}, and no program cleave-{} in {}; see cleave --help",
                    name, name, program_folder().string()));
  }
  ::execv(program.c_str(), argv + 1);
  throw Error(fmt::format("cannot run {}: {}", program.string(), std::strerror(errno)));
}

/// What --help says of the programs of the same folder.
std::string footer() {
  const std::vector<std::string> names = programs_beside();
  std::string text =
      "Examples:\n"
      "  cleave new mysort --form sort\n"
      "  cleave study ./mysort\n"
      "  cleave predict mysort-study --ranks 2,8,64 --size N=1G \\\n"
      "    --machine ethernet-10g";
  if (!names.empty()) {
    text += "\n\ncleave NAME runs cleave-NAME of the same folder, applications under mpiexec:\n" +
            detail::wrapped(fmt::format("  {}", fmt::join(names, ", ")));
  }
  if (std::find(names.begin(), names.end(), "calibrate") != names.end()) {
    text += "calibrate measures latency and gap of this machine, under mpiexec.";
  }
  return text;
}

/// The command line as CLI11 is to read that of `study`. A size that is options in quotes, as
/// "-n 9", would pass for an option of study: it becomes --sizes=VALUE. A list takes the first "--"
/// behind it for its end: it gets one of its own.
std::vector<std::string> words_of_study(int argc, char** argv) {
  std::vector<std::string> words(argv, argv + argc);
  if (argc < 2 || words[1] != "study") {
    return words;
  }
  std::vector<std::string> result;
  bool are_sizes = false;
  bool is_list = false;
  for (auto word = words.begin(); word != words.end(); ++word) {
    if (*word == "--") {
      if (is_list) {
        result.emplace_back("--");
      }
      result.insert(result.end(), word, words.end());
      break;
    }
    const bool is_options = word->starts_with('-') && word->find(' ') != std::string::npos &&
                            !is_option(*word, "--sizes");
    if (are_sizes && is_options) {
      if (result.back() == "--sizes") {
        result.pop_back();
      }
      *word = "--sizes=" + *word;
    }
    if (word->starts_with('-')) {
      are_sizes = is_option(*word, "--sizes");
      is_list = are_sizes || is_option(*word, "--size");
    }
    result.push_back(*word);
  }
  return result;
}

/// \return  false if help or version was asked for. \throws UsageError
bool parse(CLI::App& program, std::vector<std::string> words) {
  std::vector<char*> arguments;
  for (std::string& word : words) {
    arguments.push_back(word.data());
  }
  const auto count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  return detail::parse_command_line(program, count, arguments.data());
}

int run(int argc, char** argv) {
  CLI::App program("From traces of divide-and-conquer programs to predicted run times", "cleave");
  program.footer(footer());
  const std::string command_line = detail::command_line_of(argc, argv);
  add_new_command(program);
  add_study_command(program, command_line);
  add_fit_command(program, command_line);
  add_predict_command(program);
  add_plan_command(program);
  add_compare_command(program);
  add_report_command(program);
  add_export_command(program);
  program.require_subcommand(0, 1);  // a file may have a command's name

  const std::vector<std::string> commands = commands_of(program);
  if (argc > 1 && argv[1][0] != '-' &&
      std::find(commands.begin(), commands.end(), argv[1]) == commands.end()) {
    become(argv[1], argv);
  }
  if (parse(program, words_of_study(argc, argv)) && program.get_subcommands().empty()) {
    throw UsageError(
        fmt::format("a command is missing: {}; see cleave --help", fmt::join(commands, ", ")));
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
    return cleave::models::fail(e.what(), cleave::models::kUsageStatus);
  } catch (const cleave::models::Stopped& e) {
    return cleave::models::fail(e.what(), cleave::models::kInterruptedStatus);
  } catch (const std::exception& e) {
    return cleave::models::fail(e.what(), 1);
  }
}
