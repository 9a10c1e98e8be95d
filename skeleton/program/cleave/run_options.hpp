// SPDX-License-Identifier: Apache-2.0
// What the command line of a program says: the options that `cleave::run` gives every program.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/figures.hpp>
#include <cleave/options.hpp>
#include <cleave/sizes.hpp>
#include <cleave/study.hpp>

namespace cleave {

/// A size of the problems that a program makes: its option `--size NAME=COUNT`.
struct SizeOption {
  std::string_view name;
  std::int64_t default_count = 1;
  std::int64_t max_count = std::numeric_limits<std::int64_t>::max();
  bool is_required = true;  ///< must be given where any other size is
};

/// The options of a command line.
struct RunOptions {
  int ranks = 1;  ///< of the run, which may be rehearsed
  DC_Type type = DC_Type::hypercube;
  Placement placement = Placement::replicated;
  int threads = 1;
  NamedSizes sizes;          ///< of --size, or the default ones
  bool sizes_given = false;  ///< whether --size was
  int repetitions = 5;
  int warm_up = 1;
  std::uint64_t seed = 1;
  Inputs inputs = Inputs::same;
  std::optional<std::filesystem::path> trace;
  bool rehearse = false;  ///< in place of a run
  int check = 0;          ///< schedules that are tried, in place of a run
  // Options of a rehearsed search.
  std::optional<std::filesystem::path> machine;  ///< whose messages it has
  std::optional<int> ranks_per_host;
  bool verify = false;
  bool json = false;
  bool quiet = false;  ///< no progress, and no warnings

  // Options of applications that search.
  std::int64_t max_nodes = std::numeric_limits<std::int64_t>::max();
  double max_s = std::numeric_limits<double>::infinity();
  std::optional<std::filesystem::path> checkpoint;
  double checkpoint_every_s = 60;
  bool resume = false;

  std::vector<std::string> warnings;  ///< printed before the run; an application may add some
  bool repetitions_given = false;
  bool warm_up_given = false;

  /// One run without a warm-up, unless the command line asks for another number.
  void run_once() {
    repetitions = repetitions_given ? repetitions : 1;
    warm_up = warm_up_given ? warm_up : 0;
  }
};

/// Bytes that this host can give without swapping, by /proc/meminfo and the control group's limit.
std::int64_t available_memory();

/// Refuses a problem that the host has no memory for, before the system ends the program for it.
/// Cost: 0.4 ms, nothing up to 16 MiB.
/// \throws Error  if `ranks` ranks of this host cannot all have so many `bytes`
void require_memory(std::int64_t bytes, int ranks);

}  // namespace cleave
