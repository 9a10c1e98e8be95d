// SPDX-License-Identifier: Apache-2.0
// What snapshots cost: a search with and without them in turns. JSON: the times of both, their
// ratio by the medians, and the share of the time in which all ranks rested for snapshots. A
// machine that does other things disturbs the last less.
//
//   mpiexec -bind-to core -n 2 checkpoint_cost [TREE] [SECONDS] [PAIRS] > checkpoint_cost.json
//
// A snapshot every 10 s of T2XXL, which takes three minutes on two cores; in short form: T3XXL 2 1.
#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/clock.hpp>
#include <cleave/command_line/options.hpp>
#include <cleave/dc_call.hpp>
#include <cleave/error.hpp>
#include <cleave/kernel/snapshot.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/program/mpi_program.hpp>
#include <cleave/trace/median.hpp>

#include "apps/uts/uts.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

double parse_seconds(std::string_view text) {
  double seconds = 0;
  const auto result = std::from_chars(text.data(), text.data() + text.size(), seconds);
  if (result.ec != std::errc{} || result.ptr != text.data() + text.size() || !(seconds > 0)) {
    throw UsageError(fmt::format("'{}' is not a number of seconds above 0", text));
  }
  return seconds;
}

/// One search, from the moment that all ranks have begun until the last has ended, in seconds.
double search(const Comm& comm, const uts::Tree& tree, const Options& options,
              std::int64_t* nodes) {
  comm.barrier();
  const std::int64_t begin_ns = mpi_time_ns();
  *nodes = DC_Call(DC_Type::work_stealing, uts::Uts{tree}, whole_tree(tree), options).nodes;
  return static_cast<double>(comm.allreduce_max(mpi_time_ns() - begin_ns)) / 1e9;
}

void run(const Comm& comm, const std::string& name, double every_s, int pairs) {
  const uts::Tree tree(uts::parse_tree(name));
  const std::filesystem::path folder = comm.bcast(
      (std::filesystem::temp_directory_path() / fmt::format("checkpoint_cost_{}", ::getpid()))
          .string(),
      0);
  std::vector<double> without;
  std::vector<double> with;
  std::vector<double> resting;
  std::int64_t nodes = 0;
  std::int64_t snapshots = 0;
  for (int i = 0; i < pairs; ++i) {
    Options options{.comm = comm.handle()};
    without.push_back(search(comm, tree, options, &nodes));
    CheckpointReport report;
    options.checkpoint = CheckpointOptions{.folder = folder,
                                           .every_s = every_s,
                                           .resume = false,
                                           .app = "checkpoint_cost",
                                           .instance = name,
                                           .report = &report};
    with.push_back(search(comm, tree, options, &nodes));
    snapshots += report.written;
    resting.push_back(static_cast<double>(report.resting_ns) / 1e9 / with.back());
    if (comm.rank() == 0) {
      remove_snapshots(folder);
    }
    comm.barrier();
  }
  if (comm.rank() == 0) {
    std::filesystem::remove(folder);
    const nlohmann::ordered_json result = {{"tree", name},
                                           {"ranks", comm.size()},
                                           {"nodes", nodes},
                                           {"every_s", every_s},
                                           {"seconds_without", without},
                                           {"seconds_with", with},
                                           {"snapshots", snapshots},
                                           {"cost", median(with) / median(without) - 1},
                                           {"share_of_time_resting", median(resting)}};
    fmt::print("{}\n", result.dump(1));
  }
}

}  // namespace
}  // namespace cleave

int main(int argc, char** argv) {
  return cleave::detail::run_mpi_program(
      argc, argv, "checkpoint_cost", [&](const cleave::Comm& comm) {
        std::string tree = "T2XXL";
        std::string every = "10";
        int pairs = 2;
        CLI::App cli(
            "What snapshots of a tree search cost. Run it as:\n"
            "mpiexec -bind-to core -n 2 checkpoint_cost > checkpoint_cost.json",
            "checkpoint_cost");
        cli.add_option("tree", tree, "As cleave-uts names it")->capture_default_str();
        cli.add_option("seconds", every, "Between snapshots")->capture_default_str();
        cli.add_option("pairs", pairs, "Searches without and with snapshots")
            ->check(CLI::PositiveNumber)
            ->capture_default_str();
        if (cleave::detail::parse_command_line(cli, argc, argv, comm.rank() == 0)) {
          cleave::run(comm, tree, cleave::parse_seconds(every), pairs);
        }
      });
}
