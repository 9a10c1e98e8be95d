// SPDX-License-Identifier: Apache-2.0
// Starting other programs, alone or on ranks, so that Ctrl-C ends them, too.
#pragma once

#include <compare>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <vector>

#include <cleave/error.hpp>

#include "models/theory/samples.hpp"

namespace cleave::models {

struct RanksAndThreads {
  int ranks = 1;
  int threads = 1;  ///< of each

  friend auto operator<=>(const RanksAndThreads&, const RanksAndThreads&) = default;
};

/// Ctrl-C (SIGINT), SIGTERM or SIGHUP came.
class Stopped : public std::runtime_error {
  using std::runtime_error::runtime_error;
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

/// From here on these signals are remembered and passed on to what runs; Ctrl-Z pauses nothing.
void catch_interrupts();

/// The executable `name` in a folder of PATH; empty if there is none.
std::filesystem::path find_in_path(const std::string& name);

/// Runs `arguments` (the first is the program, searched on the PATH) with no standard input, in a
/// process group of its own. The group is killed after `limit_s` seconds.
///
/// \throws Stopped  once the program has ended after Ctrl-C
/// \throws Error    if it cannot be started
Ended run_program(const std::vector<std::string>& arguments, double limit_s = 1e9);

/// Starts programs under mpiexec, or another launcher.
class Launcher {
 public:
  /// \param given  a command line with {ranks}; empty: mpiexec, ranks on cores of their own
  explicit Launcher(std::string given) : given_(std::move(given)) {}

  /// Whether ranks are started by something else than mpiexec, maybe on other hosts.
  bool is_given() const { return !given_.empty(); }

  /// \return  how the program ended, after `limit_s` at the latest
  /// \throws Error  if the launcher cannot be started
  Ended run(const RanksAndThreads& workers, const std::filesystem::path& program,
            const std::vector<std::string>& options, double limit_s = 1e9) const;

 private:
  std::string given_;
};

}  // namespace cleave::models
