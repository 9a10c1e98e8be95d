// SPDX-License-Identifier: Apache-2.0
// Command lines, the same for every program: a mistake is one line, help goes to standard output.
#pragma once

#include <CLI/CLI.hpp>
#include <exception>
#include <iostream>
#include <optional>
#include <string>
#include <vector>

#include <cleave/detail/trace/provenance.hpp>
#include <cleave/detail/trace/words.hpp>
#include <cleave/error.hpp>

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
  std::string message = "'" + rest.front() + "' is no command, allowed are ";
  const char* separator = "";
  for (const CLI::App* command : cli.get_subcommands([](const CLI::App*) { return true; })) {
    message += separator + command->get_name();
    separator = ", ";
  }
  return message;
}

/// Parses the command line into what `cli` was set up with, and adds `--version`.
///
/// \param speaks  whether this process prints the help or version that was asked for: rank 0's
/// \return  false if help or version was asked for and the program is to end with success
/// \throws UsageError  for anything that cannot be used; the message is one line
inline bool parse_command_line(CLI::App& cli, int argc, char** argv, bool speaks = true) {
  cli.set_version_flag("--version", cli.get_name() + " " + version() + " (" + commit() + ")");
  try {
    cli.parse(argc, argv);
  } catch (const CLI::Success& asked) {
    if (speaks) {
      cli.exit(asked, std::cout, std::cerr);
    }
    return false;
  } catch (const CLI::ParseError& mistake) {
    throw UsageError(one_line(unknown_command(cli).value_or(mistake.what())) + " (see --help)");
  }
  return true;
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
