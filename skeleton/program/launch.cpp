// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <string_view>

#include <cleave/error.hpp>
#include <cleave/hosts.hpp>
#include <cleave/program/launch.hpp>
#include <cleave/sizes.hpp>

namespace cleave::detail {

namespace {

/// What a launcher tells each process that it starts: how many there are, and which one this is.
struct LauncherVariables {
  const char* processes;
  const char* process;
};
constexpr std::array<LauncherVariables, 3> kLaunchers = {{
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},
    {"PMI_SIZE", "PMI_RANK"},
    {"SLURM_NTASKS", "SLURM_PROCID"},
}};

bool is_many(const char* text) {
  try {
    return text != nullptr && parse_count(text) > 1;
  } catch (const UsageError&) {
    return false;
  }
}

bool is_first(const char* text) { return text == nullptr || std::string_view(text) == "0"; }

}  // namespace

std::vector<std::string> launch_warnings(const Comm& comm, int threads) {
  std::vector<std::string> warnings;
  if (hosts_of(comm).oversubscribed(threads)) {
    const std::string of_threads = threads > 1 ? fmt::format(" of {} threads", threads) : "";
    warnings.push_back(
        fmt::format("{} ranks{} on one host outnumber the cores that they may use and take "
                    "turns: these times say little about more cores",
                    hosts_of(comm).ranks_per_host(), of_threads));
  }
  for (const LauncherVariables& launcher : kLaunchers) {
    if (comm.size() == 1 && is_many(std::getenv(launcher.processes)) &&
        is_first(std::getenv(launcher.process))) {
      warnings.push_back(
          fmt::format("{} is {}, but this is a run of 1 rank: a launcher of another MPI library "
                      "than this program's started separate programs",
                      launcher.processes, std::getenv(launcher.processes)));
      break;
    }
  }
  return warnings;
}

Wrong first_wrong(const Comm& comm, const Wrong& wrong) {
  const auto lowest = static_cast<int>(comm.allreduce_min(wrong ? comm.rank() : comm.size()));
  if (lowest == comm.size()) {
    return std::nullopt;
  }
  return fmt::format("rank {}: {}", lowest, comm.bcast(wrong.value_or(""), lowest));
}

void require_same_command(const Comm& comm, const std::string& program, int argc, char** argv) {
  std::string command = program;
  for (int i = 1; i < argc; ++i) {
    command += fmt::format(" {}", argv[i]);
  }
  const std::string of_first = comm.bcast(command, 0);
  const Wrong other = first_wrong(comm, command == of_first ? std::nullopt : Wrong(command));
  if (other) {
    throw UsageError(
        fmt::format("ranks have different command lines: rank 0: {}; {}", of_first, *other));
  }
}

bool is_launched_as_another() {
  return std::any_of(kLaunchers.begin(), kLaunchers.end(), [](const LauncherVariables& launcher) {
    return !is_first(std::getenv(launcher.process));
  });
}

}  // namespace cleave::detail
