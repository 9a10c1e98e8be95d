// SPDX-License-Identifier: Apache-2.0
// Nodes per second of the tree search by one worker, beside hashing for 1 or 8 children.
#include <benchmark/benchmark.h>

#include <vector>

#include "apps/uts/uts.hpp"

namespace cleave::uts {
namespace {

void count(benchmark::State& state, double nodes) {
  state.counters["nodes_per_second"] = benchmark::Counter(nodes, benchmark::Counter::kIsRate);
}

/// Hashing alone: the children of many nodes that have so many each.
void hashed_nodes(benchmark::State& state, ChildIds child_ids, std::uint32_t children) {
  constexpr std::uint32_t kNodes = 256;
  std::vector<Siblings> parents(kNodes / children);
  for (std::uint32_t i = 0; i < parents.size(); ++i) {
    parents[i] = {.parent = {.id = {i}}, .first = 0, .last = children};
  }
  NodeIds ids;
  for (auto _ : state) {
    child_ids(parents, ids);
    benchmark::DoNotOptimize(ids);
  }
  count(state, static_cast<double>(state.iterations() * kNodes));
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

#define CLEAVE_RATES_OF(kernel, child_ids)                                                         \
  BENCHMARK_CAPTURE(hashed_nodes, kernel##_1, child_ids, 1);                                       \
  BENCHMARK_CAPTURE(hashed_nodes, kernel##_8, child_ids, 8);                                       \
  BENCHMARK_CAPTURE(visited_nodes, kernel##_t1l, "T1L", child_ids)->Unit(benchmark::kMillisecond); \
  BENCHMARK_CAPTURE(visited_nodes, kernel##_t3, "T3", child_ids)->Unit(benchmark::kMillisecond);   \
  BENCHMARK_CAPTURE(visited_nodes, kernel##_t5, "T5", child_ids)->Unit(benchmark::kMillisecond);   \
  BENCHMARK_CAPTURE(visited_nodes, kernel##_prins_t3, "prins:T3", child_ids)                       \
      ->Unit(benchmark::kMillisecond)

CLEAVE_RATES_OF(fastest, fastest_kernel().child_ids);
CLEAVE_RATES_OF(vectors, child_ids_by_vectors);
CLEAVE_RATES_OF(openssl, child_ids_by_openssl);

}  // namespace
}  // namespace cleave::uts

BENCHMARK_MAIN();
