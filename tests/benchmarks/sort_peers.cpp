// SPDX-License-Identifier: Apache-2.0
// Quicksort of uniform 32-bit keys against the sorts that Debian packages, alternating in one run.
// Prints median times, their ratios to VQSort alone on one core, and the memory's bandwidth. On 2
// ranks the keys lie distributed and stay so; the threaded peers have 2 threads.
//
//   mpiexec -bind-to core -n 2 sort_peers [KEYS] [REPETITIONS] > sort_peers.json
#include <fmt/format.h>
#include <hwy/contrib/sort/vqsort.h>
#include <omp.h>
#include <sched.h>
#include <tbb/global_control.h>
#include <tbb/parallel_sort.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/sort/sort.hpp>
#include <cstdio>
#include <functional>
#include <nlohmann/json.hpp>
#include <parallel/algorithm>

#include <cleave/dc_call.hpp>
#include <cleave/program/command_line.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/program/mpi_program.hpp>

#include "apps/quicksort/hypercube_quicksort.hpp"
#include "apps/quicksort/input.hpp"
#include "tests/benchmarks/side_by_side.hpp"

namespace cleave::benchmarks {

using namespace cleave::detail;
using namespace quicksort;
namespace {

using Key = std::int32_t;

constexpr int kThreads = 2;

/// Sorts the same keys again and again; what is timed is the sort alone.
struct Peer {
  std::string name;
  RunsOn ranks;  ///< on rank 0 it sorts all keys
  std::function<void(Part<Key>&)> sort;
  std::vector<double> seconds = {};
};

/// Lets threads that a launcher has bound to one core have them all.
void use_all_cores() {
  cpu_set_t all;
  CPU_ZERO(&all);
  for (int core = 0; core < CPU_SETSIZE; ++core) {
    CPU_SET(core, &all);
  }
  ::sched_setaffinity(0, sizeof(all), &all);
}

Part<Key> section(std::int64_t total, std::int64_t first, std::int64_t last) {
  Part<Key> keys(static_cast<std::size_t>(last - first));
  GeneratedKeys<Key>(KeyOrder::uniform, total, 1).fill(first, {keys.data(), keys.size()});
  return keys;
}

double seconds_of(const Comm& comm, const Peer& peer, std::int64_t total) {
  const bool is_spread = peer.ranks == RunsOn::all_ranks;
  const std::int64_t ranks = is_spread ? comm.size() : 1;
  const std::int64_t rank = is_spread ? comm.rank() : 0;
  return seconds_of(
      comm, peer.ranks,
      [&] { return section(total, total * rank / ranks, total * (rank + 1) / ranks); },
      [&](Part<Key> keys) {
        peer.sort(keys);
        return keys;
      },
      [&](const Part<Key>& keys) {
        if (!std::is_sorted(keys.begin(), keys.end())) {
          throw Error(peer.name + " did not sort");
        }
      });
}

void run(const Comm& comm, std::int64_t total, int repetitions) {
  use_all_cores();
  keep_freed_memory();
  omp_set_num_threads(kThreads);
  const tbb::global_control limit(tbb::global_control::max_allowed_parallelism, kThreads);
  const auto ours = [&](MPI_Comm ranks) {
    return [ranks](Part<Key>& keys) {
      keys = DC_Call(DC_Type::hypercube, HypercubeQuicksort<Key>{}, std::move(keys),
                     {.comm = ranks, .placement = Placement::distributed});
    };
  };
  std::vector<Peer> peers = {
      {"cleave", RunsOn::all_ranks, ours(MPI_COMM_WORLD)},
      {"cleave, 1 rank", RunsOn::rank_0, ours(MPI_COMM_SELF)},
      {"VQSort", RunsOn::rank_0,
       [](Part<Key>& k) { hwy::Sorter()(k.data(), k.size(), hwy::SortAscending()); }},
      {"oneTBB parallel_sort", RunsOn::rank_0,
       [](Part<Key>& k) { tbb::parallel_sort(k.begin(), k.end()); }},
      {"__gnu_parallel::sort", RunsOn::rank_0,
       [](Part<Key>& k) { __gnu_parallel::sort(k.begin(), k.end()); }},
      {"Boost block_indirect_sort", RunsOn::rank_0,
       [](Part<Key>& k) { boost::sort::block_indirect_sort(k.begin(), k.end(), kThreads); }},
      {"Boost pdqsort", RunsOn::rank_0,
       [](Part<Key>& k) { boost::sort::pdqsort(k.begin(), k.end()); }},
      {"std::sort", RunsOn::rank_0, [](Part<Key>& k) { std::sort(k.begin(), k.end()); }}};
  MemoryBandwidth bandwidth(comm);
  for (int repetition = -1; repetition < repetitions; ++repetition) {  // the first is a warm-up
    for (Peer& peer : peers) {
      const double seconds = seconds_of(comm, peer, total);
      if (repetition >= 0) {
        peer.seconds.push_back(seconds);
      }
    }
    bandwidth.measure();
  }
  if (comm.rank() != 0) {
    return;
  }
  const double vqsort = median(peers[2].seconds);
  nlohmann::ordered_json json = {{"keys", total}, {"ranks", comm.size()}, {"threads", kThreads}};
  json["memory"] = bandwidth.json();
  for (const Peer& peer : peers) {
    const double seconds = median(peer.seconds);
    json["sorts"].push_back({{"name", peer.name},
                             {"median_seconds", seconds},
                             {"over_vqsort", seconds / vqsort},
                             {"seconds", peer.seconds}});
  }
  fmt::print("{}\n", json.dump(2));
}

}  // namespace
}  // namespace cleave::benchmarks

int main(int argc, char** argv) {
  return cleave::detail::run_mpi_program(argc, argv, "sort_peers", [&](const cleave::Comm& comm) {
    std::string keys = "32M";
    int repetitions = 5;
    CLI::App cli(
        "Quicksort of uniform 32-bit keys against the sorts that Debian packages. Run it as:\n"
        "mpiexec -bind-to core -n 2 sort_peers > sort_peers.json",
        "sort_peers");
    cli.add_option("keys", keys, "How many (K, M, G: 1024-based)")->capture_default_str();
    cli.add_option("repetitions", repetitions)->check(CLI::PositiveNumber)->capture_default_str();
    if (cleave::detail::parse_command_line(cli, argc, argv, comm.rank() == 0)) {
      cleave::benchmarks::run(comm, cleave::parse_count(keys), repetitions);
    }
  });
}
