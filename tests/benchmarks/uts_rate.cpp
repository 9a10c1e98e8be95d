// SPDX-License-Identifier: Apache-2.0
// Nodes per second of the tree search by one worker. Beside it stand the rate at which this machine
// hashes independent blocks by SHA-1 and does nothing else (`of_sha1_rate`), and the application's
// own hashing, which has siblings share what they can.
#include <benchmark/benchmark.h>

#include <array>

#include "apps/uts/uts.hpp"
#include "tests/benchmarks/sha1_rate.hpp"

namespace cleave::uts {
namespace {

/// Measured once, in the same run as all else.
double sha1_rate() {
  static const double rate = benchmarks::best_sha1_rate();
  return rate;
}

void count(benchmark::State& state, double nodes) {
  using benchmark::Counter;
  state.counters["nodes_per_second"] = Counter(nodes, Counter::kIsRate);
  state.counters["sha1_per_second"] = sha1_rate();
  state.counters["of_sha1_rate"] = Counter(nodes / sha1_rate(), Counter::kIsRate);
}

/// Hashing alone: eight children of one node after the other, each parent independent of the last.
void hashed_nodes(benchmark::State& state, ChildIds child_ids) {
  constexpr std::uint32_t kChildren = 8;
  NodeId parent{};
  std::array<NodeId, kChildren> ids;
  for (auto _ : state) {
    ++parent[0];
    child_ids(parent, 0, kChildren, ids.data());
    benchmark::DoNotOptimize(ids);
  }
  count(state, static_cast<double>(state.iterations() * kChildren));
}

/// The executor's search on one rank and thread, without its messages.
void visited_nodes(benchmark::State& state, const char* name, ChildIds child_ids) {
  const Uts uts{.tree = Tree(parse_tree(name)), .child_ids = child_ids};
  std::int64_t nodes = 0;
  for (auto _ : state) {
    nodes += search_sequentially(uts, whole_tree(uts.tree)).nodes;
  }
  count(state, static_cast<double>(nodes));
}

BENCHMARK_CAPTURE(hashed_nodes, fastest, fastest_kernel().child_ids);
BENCHMARK_CAPTURE(hashed_nodes, openssl, child_ids_by_openssl);
BENCHMARK_CAPTURE(visited_nodes, prins_t3, "prins:T3", fastest_kernel().child_ids)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(visited_nodes, t1, "T1", fastest_kernel().child_ids)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(visited_nodes, t5, "T5", fastest_kernel().child_ids)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(visited_nodes, t1l, "T1L", fastest_kernel().child_ids)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(visited_nodes, prins_t3_openssl, "prins:T3", child_ids_by_openssl)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cleave::uts

BENCHMARK_MAIN();
