// SPDX-License-Identifier: Apache-2.0
// Explored nodes per second of the flowshop search on one core, with the incumbent started at the
// optimum. Instances and settings are those of published programs.
#include <benchmark/benchmark.h>

#include "apps/flowshop/search.hpp"
#include "apps/flowshop/taillard.hpp"

namespace cleave::flowshop {
namespace {

void explored_nodes(benchmark::State& state, const char* name, Bound bound, Branching branching) {
  const Instance instance = taillard_instance(name);
  const Brancher brancher(instance, bound, branching);
  std::int64_t explored = 0;
  for (auto _ : state) {
    explored += search_depth_first(brancher, instance.best_known.value()).explored;
  }
  state.counters["nodes_per_second"] =
      benchmark::Counter(static_cast<double>(explored), benchmark::Counter::kIsRate);
}

BENCHMARK_CAPTURE(explored_nodes, ta014_lb1_forward, "ta014", Bound::lb1, Branching::forward)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(explored_nodes, ta014_lb1_min_branch, "ta014", Bound::lb1, Branching::min_branch)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(explored_nodes, ta014_lb2_forward, "ta014", Bound::lb2, Branching::forward)
    ->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(explored_nodes, ta030_lb1_min_branch, "ta030", Bound::lb1, Branching::min_branch)
    ->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace cleave::flowshop

BENCHMARK_MAIN();
