// SPDX-License-Identifier: Apache-2.0
// Running another program to its end, so that Ctrl-C ends it too.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "models/files.hpp"

namespace cleave::models {

/// Ctrl-C (SIGINT) or SIGTERM came.
class Interrupted : public Error {
  using Error::Error;
};

struct Ended {
  int status = 0;      ///< exit status; 128 + the signal where one ended it
  std::string output;  ///< the end of what it wrote, at most 64 KiB
};

/// From here on SIGINT and SIGTERM are remembered, and passed on to the program that is running.
void catch_interrupts();
bool was_interrupted();

/// Runs `arguments` (the first is the program, searched on the PATH) with no standard input, in a
/// process group of its own.
///
/// \throws Interrupted  once the program has ended after Ctrl-C
/// \throws Error        if it cannot be started
Ended run_program(const std::vector<std::string>& arguments);

}  // namespace cleave::models
