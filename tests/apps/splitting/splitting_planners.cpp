// SPDX-License-Identifier: Apache-2.0
// How fast the exact chain DP is on 4.6 million leaves: at most 3 s and 1 GiB. It is a benchmark.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "apps/splitting/generators.hpp"
#include "apps/splitting/planner.hpp"

namespace cleave::splitting {
namespace {

constexpr int kProcessors = 1024;

/// A random tree of 4.6 million leaves.
const Tree& large_tree() {
  static const Tree tree = random_tree(Curve({2, 2}), {5, 14}, 0.623, 6);
  return tree;
}

/// The exact chain with parts within `tolerance` of the mean.
void chain_exact(benchmark::State& state, double tolerance) {
  const Tree& tree = large_tree();
  const Problem problem{.tree = tree, .processors = kProcessors, .cost = linear_cost(0, 1)};
  const LoadWindow window = window_around_mean(problem, tolerance);
  std::vector<Index> cuts;
  for (auto _ : state) {
    cuts = chain_cuts(problem, window).value();
    benchmark::DoNotOptimize(cuts.data());
  }
  double sum_N = 0;
  for (const Index cut : cuts) {
    sum_N += static_cast<double>(tree.leaves_at_stage(tree.cut_stage()[cut]));
  }
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  state.counters["leaves"] = static_cast<double>(tree.leaves());
  state.counters["mean_N_per_leaf"] =
      sum_N / static_cast<double>(cuts.size()) / static_cast<double>(tree.leaves());
  state.counters["peak_process_MiB"] = static_cast<double>(usage.ru_maxrss) / 1024;
}

BENCHMARK_CAPTURE(chain_exact, narrow, 0.025)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK_CAPTURE(chain_exact, wide, 0.05)->Unit(benchmark::kMillisecond)->Iterations(3);

}  // namespace
}  // namespace cleave::splitting

BENCHMARK_MAIN();
