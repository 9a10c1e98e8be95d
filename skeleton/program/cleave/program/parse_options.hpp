// SPDX-License-Identifier: Apache-2.0
// Reads the command line of a program around an application, and says what the program is: one line
// of JSON for `cleave study` (docs/reference/formats.md).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cleave/program/any_run.hpp>
#include <cleave/run_options.hpp>

namespace cleave::detail {

/// What a command line said.
struct CommandLine {
  RunOptions options;
  bool describes = false;  ///< whether --describe was given
  /// Name and value of each option of the application's own, as given or by default, in the order
  /// in which they were added.
  std::vector<std::pair<std::string, std::string>> own;
};

/// \param speaks   whether this process prints the help or version that was asked for
/// \return  nothing if help or version was asked for and the program is to end with success
/// \throws UsageError
std::optional<CommandLine> parse_options(const ProgramTraits& program, int argc, char** argv,
                                         bool speaks);

/// Whether the command line has --help, --version or --describe.
bool asks_to_be_told(int argc, char** argv);

/// The study of an application that says nothing of its own: sizes up to the default ones. The
/// first falls to 3/4 of itself from step to step. So powers of two, which halve evenly and fill
/// caches in their own way, do not take turns with others. The others fall with it. The first size
/// of a search falls by 1, since its trees grow exponentially.
Study default_study(const ProgramTraits& program, bool is_quick);

/// The description of a program for the options that a command line chose.
ProgramDescription description_of(const ProgramTraits& program, const RunOptions& options);

}  // namespace cleave::detail
