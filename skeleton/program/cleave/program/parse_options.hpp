// SPDX-License-Identifier: Apache-2.0
// Reads the command line of a program around an application.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <cleave/program/traits.hpp>
#include <cleave/run_options.hpp>

namespace CLI {
class App;
}  // namespace CLI

namespace cleave::detail {

/// An option of the application's own.
struct OwnOption {
  std::string name;   ///< with its dashes
  std::string value;  ///< as given or by default
  std::string description;
};

/// What a command line said.
struct CommandLine {
  RunOptions options;
  bool describes = false;      ///< whether --describe was given
  std::vector<OwnOption> own;  ///< in the order in which they were added
};

/// \param add_own  adds the application's own options; may be empty
/// \param speaks   whether this process prints the help or version that was asked for
/// \return  nothing if help or version was asked for and the program is to end with success
/// \throws UsageError
std::optional<CommandLine> parse_options(const ProgramTraits& program,
                                         const std::function<void(CLI::App&)>& add_own, int argc,
                                         char** argv, bool speaks);

}  // namespace cleave::detail
