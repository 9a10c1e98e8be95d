// SPDX-License-Identifier: Apache-2.0
// Runs a program as a person would, and keeps what it printed.
#pragma once

#include <chrono>
#include <string>
#include <vector>

namespace cleave::testing {

struct Finished {
  int status = 0;          ///< that it ended with; 128 + n if signal n ended it
  bool timed_out = false;  ///< it was killed, with all that it had started
  std::string out;
  std::string err;
};

/// Runs `command` (a program found in PATH, and its arguments) until it ends.
/// \param environment  NAME=VALUE, in addition to this program's
/// \throws std::runtime_error  if it cannot be started
Finished run_program(const std::vector<std::string>& command,
                     const std::vector<std::string>& environment = {},
                     std::chrono::seconds time_out = std::chrono::seconds(60));

/// Without what Open MPI's launcher says of a program that failed: texts between lines of dashes.
std::string without_launcher(const std::string& text);

}  // namespace cleave::testing
