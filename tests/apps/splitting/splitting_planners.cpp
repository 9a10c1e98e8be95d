// SPDX-License-Identifier: Apache-2.0
// How fast the exact chain DP is on 4.6 million leaves: at most 3 s and 1 GiB. `splitting_planners`
// among the benchmarks.
#include <benchmark/benchmark.h>
#include <sys/resource.h>

#include "apps/splitting/generators.hpp"
#include "apps/splitting/online.hpp"
#include "apps/splitting/planner.hpp"

namespace cleave::splitting {
namespace {

constexpr int kProcessors = 1024;
constexpr double kTolerance = 0.05;

/// A random tree of 4.6 million leaves.
const Tree& large_tree() {
  static const Tree tree = random_tree(Curve({2, 2}), {5, 14}, 0.623, 6);
  return tree;
}

Problem large_problem() {
  return {.tree = large_tree(), .processors = kProcessors, .cost = linear_cost(0, 1)};
}

void report(benchmark::State& state, const std::vector<Index>& cuts) {
  const Tree& tree = large_tree();
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

template <class Plan>
void plan_large(benchmark::State& state, Plan plan) {
  const Problem problem = large_problem();
  const LoadWindow window = window_around_mean(problem, kTolerance / 2);  // 5 % wide in all
  std::vector<Index> cuts;
  for (auto _ : state) {
    cuts = plan(problem, window).value();
    benchmark::DoNotOptimize(cuts.data());
  }
  report(state, cuts);
}

void chain_exact(benchmark::State& state) {
  plan_large(state, [](const Problem& p, LoadWindow w) { return chain_cuts(p, w); });
}
/// The exact chain with twice the window: 5 % to either side of the mean.
void chain_exact_double_window(benchmark::State& state) {
  plan_large(state, [](const Problem& p, LoadWindow) {
    return chain_cuts(p, window_around_mean(p, kTolerance));
  });
}
void splits_of_cuts(benchmark::State& state) {
  const Problem problem = large_problem();
  const auto cuts = chain_cuts(problem, window_around_mean(problem, kTolerance)).value();
  for (auto _ : state) {
    benchmark::DoNotOptimize(plan_of_cuts(problem, cuts).cost);
  }
}

BENCHMARK(chain_exact)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(chain_exact_double_window)->Unit(benchmark::kMillisecond)->Iterations(3);
BENCHMARK(splits_of_cuts)->Unit(benchmark::kMillisecond)->Iterations(3);

}  // namespace
}  // namespace cleave::splitting

BENCHMARK_MAIN();
