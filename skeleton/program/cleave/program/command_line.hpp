// SPDX-License-Identifier: Apache-2.0
// Command lines, the same for every program: a mistake is one line, help goes to standard output.
#pragma once

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <exception>
#include <filesystem>
#include <iostream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/host/provenance_here.hpp>
#include <cleave/trace/suggestion.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

/// `text` on one line and without what a terminal would obey: messages may quote anything.
inline std::string one_line(std::string text) {
  for (char& c : text) {
    c = c == '\n' || c == '\r' ? ' ' : c;
  }
  return visible(text);
}

/// What is wrong with a command line whose first argument should be a command and is none; nothing
/// if that is not the mistake.
inline std::optional<std::string> unknown_command(const CLI::App& cli) {
  const bool has_commands = !cli.get_subcommands([](const CLI::App*) { return true; }).empty();
  const std::vector<std::string> rest = cli.remaining();
  if (!has_commands || !cli.get_subcommands().empty() || rest.empty() ||
      rest.front().rfind('-', 0) == 0) {
    return std::nullopt;
  }
  std::vector<std::string> known;
  for (const CLI::App* command : cli.get_subcommands([](const CLI::App*) { return true; })) {
    known.push_back(command->get_name());
  }
  return fmt::format("'{}' is no command, allowed are {}{}", rest.front(), fmt::join(known, ", "),
                     did_you_mean(rest.front(), known));
}

/// "; did you mean --ranks?" of the first option that is not known; or nothing.
inline std::string suggestion_for(const CLI::App& cli) {
  const std::vector<const CLI::App*> commands = [&cli] {
    std::vector<const CLI::App*> all = {&cli};
    while (!all.back()->get_subcommands().empty()) {
      all.push_back(all.back()->get_subcommands().front());
    }
    return all;
  }();
  std::vector<std::string> known;
  for (const CLI::Option* option : commands.back()->get_options()) {
    for (const std::string& name : option->get_lnames()) {
      if (!option->get_group().empty()) {
        known.push_back("--" + name);
      }
    }
  }
  for (const std::string& word : cli.remaining(true)) {
    if (word.starts_with("--") && word.size() > 2) {
      return did_you_mean(word.substr(0, word.find('=')), known);
    }
  }
  return "";
}

/// A check that a value is one of `allowed`, which suggests the nearest.
class OneOf : public CLI::Validator {
 public:
  explicit OneOf(std::vector<std::string> allowed)
      : CLI::Validator(
            [allowed](const std::string& value) {
              if (std::find(allowed.begin(), allowed.end(), value) != allowed.end()) {
                return std::string();
              }
              return fmt::format("'{}' is not one of {}{}", value, fmt::join(allowed, ", "),
                                 did_you_mean(value, allowed));
            },
            fmt::format("{{{}}}", fmt::join(allowed, ","))) {}
};

/// What a shell may offer after the words of `argv`: the subcommands and options of the command
/// that they name, one a line. After a tab an option has the values that it takes; FILE stands for
/// any.
std::string completions_after(CLI::App& cli, int argc, char** argv);

/// Parses the command line into what `cli` was set up with, and adds `--version` and, for shells,
/// the hidden `--completions`.
///
/// \param speaks  whether this process prints what was asked for: rank 0's
/// \return  false if one of these or help was asked for and the program is to end with success
/// \throws UsageError  for anything that cannot be used; the message is one line
inline bool parse_command_line(CLI::App& cli, int argc, char** argv, bool speaks = true) {
  cli.set_version_flag("--version", cli.get_name() + " " + version() + " (" + commit() + ")");
  if (argc > 1 && std::string_view(argv[argc - 1]) == "--completions") {
    if (speaks) {
      std::cout << completions_after(cli, argc - 1, argv);
    }
    return false;
  }
  try {
    cli.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    if (speaks) {
      cli.exit(asked, std::cout, std::cerr);
    }
    return false;
  } catch (const CLI::ParseError& mistake) {
    throw UsageError(one_line(unknown_command(cli).value_or(mistake.what())) + " (see --help)" +
                     suggestion_for(cli));
  }
  return true;
}

/// What `option` writes to `file` must be alone on standard output.
///
/// \param json  whether the answer goes there as one JSON object
/// \throws UsageError  if both do
inline void check_has_standard_output(const std::string& option, const std::filesystem::path& file,
                                      bool json) {
  if (json && is_standard_output(file)) {
    throw UsageError(fmt::format(
        "{0} - and --json both write to standard output: give {0} a file, or leave one out",
        option));
  }
}

/// The command line as one string, for the provenance of files.
inline std::string command_line_of(int argc, char** argv) {
  std::string line;
  for (int i = 0; i < argc; ++i) {
    line += (i == 0 ? "" : " ") + std::string(argv[i]);
  }
  return line;
}

/// Runs `body` in a program without MPI.
///
/// \return  the status to end with: 0; 2 after a UsageError, 1 after any other exception, whose
///          message is printed as one line after `program`
template <class Body>
int run_alone(const std::string& program, Body&& body) {
  const auto fail = [&program](const std::exception& error, int status) {
    std::cerr << program << ": " << one_line(error.what()) << std::endl;
    return status;
  };
  try {
    body();
    return 0;
  } catch (const UsageError& error) {
    return fail(error, 2);
  } catch (const std::exception& error) {
    return fail(error, 1);
  }
}

}  // namespace cleave::detail
