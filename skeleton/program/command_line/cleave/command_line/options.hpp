// SPDX-License-Identifier: Apache-2.0
// Command lines, the same for every program: a mistake is one line, help goes to standard output.
#pragma once

#include <CLI/CLI.hpp>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

#include <cleave/command_line/output.hpp>
#include <cleave/error.hpp>

namespace cleave::detail {

/// Checks that a value is one that `parse` takes, which throws a UsageError if it is not.
struct ParsedBy : CLI::Validator {
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
struct Count : ParsedBy {
  explicit Count(std::int64_t min = 0, std::int64_t max = std::numeric_limits<std::int64_t>::max());
};

/// Refuses what is no number from `min` to `max`: CLI::Range lets NaN through.
struct Number : ParsedBy {
  Number(double min, double max);
};

/// Makes seconds of a time as 90, 20ms, 15m or 1.5h, from `min_s` to `max_s`.
struct Duration : ParsedBy {
  explicit Duration(double min_s = 0, double max_s = std::numeric_limits<double>::infinity());
};

/// Refuses an empty name, which a shell's variable that is not set gives.
struct FileName : ParsedBy {
  FileName();
};

/// The words that a shell may offer after those of `argv`: the subcommands and options of the
/// command that they name, one a line. After a tab an option has its values; FILE stands for any.
std::string completions_after(CLI::App& cli, int argc, char** argv);

/// Parses the command line into what `cli` was set up with, and adds `--version` and, for shells,
/// the hidden `--completions`.
///
/// \param speaks  whether this process prints what was asked for: rank 0's. Whether that could be
///                written the program's last `flush_out` tells, on which all ranks agree
/// \return  false if one of these or help was asked for and the program is to end with success
/// \throws UsageError  for anything that cannot be used; the message is one line
bool parse_command_line(CLI::App& cli, int argc, char** argv, bool speaks = true);

}  // namespace cleave::detail
