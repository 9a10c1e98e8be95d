// SPDX-License-Identifier: Apache-2.0
// Running another program to its end, so that Ctrl-C ends it too.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include <cleave/error.hpp>

namespace cleave::models {

/// Ctrl-C (SIGINT) or SIGTERM came.
class Stopped : public Error {
  using Error::Error;
};

struct Ended {
  int status = 0;          ///< exit status; 128 + the signal where one ended it
  bool timed_out = false;  ///< killed, since it took longer than it was given
  std::string output;      ///< the end of what it wrote, at most 64 KiB
};

/// "ended with status 3", "was killed by signal 9 (Killed)".
std::string how_it_ended(const Ended& ended);

/// The last line that says something: of what the program wrote, where a launcher wrote after it.
std::string last_line(const std::string& output);

/// From here on SIGINT and SIGTERM are remembered, and passed on to the program that is running.
void catch_interrupts();
bool was_interrupted();

/// \throws Stopped  after Ctrl-C
void wait_for(std::chrono::seconds time);

/// Runs `arguments` (the first is the program, searched on the PATH) with no standard input, in a
/// process group of its own. It is killed after `limit`.
///
/// \throws Stopped  once the program has ended after Ctrl-C
/// \throws Error        if it cannot be started
Ended run_program(const std::vector<std::string>& arguments,
                  std::optional<std::chrono::seconds> limit = std::nullopt);

}  // namespace cleave::models
