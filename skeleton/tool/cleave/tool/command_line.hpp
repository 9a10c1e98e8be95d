// SPDX-License-Identifier: Apache-2.0
// Command lines, the same for every program: a mistake is one line, help goes to standard output.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <exception>
#include <filesystem>
#include <iostream>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include <cleave/error.hpp>

namespace cleave::detail {

/// `text` on one line and without what a terminal would obey: messages may quote anything.
std::string one_line(std::string text);

/// Checks that a value is one that `parse` takes, which throws a UsageError if it is not.
class ParsedBy : public CLI::Validator {
 public:
  template <class Parse>
  explicit ParsedBy(Parse parse)
      : CLI::Validator(
            [parse = std::move(parse)](std::string& text) {
              try {
                parse(text);
                return std::string();
              } catch (const UsageError& error) {
                return std::string(error.what());
              }
            },
            "") {}
};

/// Makes digits of a count as 12, 4K, 1M or 2G (1024-based), from `min` to `max`.
class Count : public ParsedBy {
 public:
  explicit Count(std::int64_t min = 0, std::int64_t max = std::numeric_limits<std::int64_t>::max());
};

/// Refuses what is no number from `min` to `max`: CLI::Range lets NaN through.
class Number : public ParsedBy {
 public:
  Number(double min, double max);
};

/// Makes seconds of a time as 90, 20ms, 15m or 1h30m, from `min_s` to `max_s`.
class Duration : public ParsedBy {
 public:
  explicit Duration(double min_s = 0, double max_s = std::numeric_limits<double>::infinity());
};

/// Refuses an empty name, which a shell's variable that is not set gives.
class FileName : public ParsedBy {
 public:
  FileName();
};

/// What a shell may offer after the words of `argv`: the subcommands and options of the command
/// that they name, one a line. After a tab an option has the values that it takes; FILE stands for
/// any.
std::string completions_after(CLI::App& cli, int argc, char** argv);

/// Parses the command line into what `cli` was set up with, and adds `--version` and, for shells,
/// the hidden `--completions`.
///
/// \param speaks  whether this process prints what was asked for: rank 0's. Whether that could be
///                written the program's last `flush_out` tells, on which all ranks agree
/// \return  false if one of these or help was asked for and the program is to end with success
/// \throws UsageError  for anything that cannot be used; the message is one line
bool parse_command_line(CLI::App& cli, int argc, char** argv, bool speaks = true);

/// What `option` writes to `file` must be alone on standard output.
///
/// \param json  whether the answer goes there as one JSON object
/// \throws UsageError  if both do
void check_has_standard_output(const std::string& option, const std::filesystem::path& file,
                               bool json);

/// \throws UsageError  if `file`, which `option` writes, is one of the files that are read
void check_is_not_read(const std::string& option, const std::filesystem::path& file,
                       const std::vector<std::string>& inputs);

/// Writes `text` to standard output. \throws Error  if that cannot be written to
void write_out(const std::string& text);

/// Writes what was printed and is still kept. \throws Error  if any of it could not be written
void flush_out();

/// The command line as one string, for the provenance of files.
std::string command_line_of(int argc, char** argv);

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
    flush_out();
    return 0;
  } catch (const UsageError& error) {
    return fail(error, 2);
  } catch (const std::exception& error) {
    return fail(error, 1);
  }
}

}  // namespace cleave::detail
