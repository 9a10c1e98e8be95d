// SPDX-License-Identifier: Apache-2.0
// What fits are worth: 1,000 draws from known coefficients (docs/explanation/model.md), and how
// long a fit and predictions of 10,000 samples take.
//
//   fit_referee [BENCHMARK OPTION...] [SEED...]
//
// draws once for each seed; with 1 and 2 if none is given.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <cstdio>
#include <string>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>

#include "models/theory/fit.hpp"
#include "models/theory/prediction.hpp"
#include "tests/models/referee.hpp"
#include "tests/models/synthetic_runs.hpp"

namespace cleave {

using namespace cleave::detail;
using namespace models;
namespace {

void referee_of_1000_draws(benchmark::State& state, unsigned seed) {
  RefereeCounts counts;
  for (auto _ : state) {
    counts = referee(1000, seed);
  }
  const auto part = [](int of, int all) { return static_cast<double>(of) / all; };
  state.counters["coefficient_within_3_percent"] = part(counts.within_3_percent, counts.draws);
  state.counters["coefficient_median_error"] = counts.median_error;
  state.counters["right_basis"] = part(counts.right_basis, counts.draws);
  state.counters["predicted_within_5_percent"] =
      part(counts.predicted_within_5_percent, counts.predicted_of);
}

/// Blocks of runs on up to 32 ranks at 12 sizes: 10,044 samples.
Measurements many_samples() {
  SyntheticApp app;
  app.noise = 0.02;
  std::vector<NamedSizes> sizes;
  for (double n = 1 << 18; sizes.size() < 12; n *= 1.25) {
    sizes.push_back({{"N", static_cast<std::int64_t>(n) / 64 * 64}});
  }
  std::vector<Trace> traces = synthetic_traces(app, {1, 2, 4, 8, 16, 32}, sizes);
  for (Trace& trace : traces) {
    trace.run.ranks_per_host = std::min(trace.run.ranks, 2);
  }
  return collect_measurements(traces);
}

void fit_and_predict_10000_samples(benchmark::State& state) {
  const Measurements measurements = many_samples();
  for (auto _ : state) {
    const Model model = fit_model(measurements, std::nullopt, {}, Provenance{});
    for (int ranks = 1; ranks <= 1024; ranks *= 2) {
      benchmark::DoNotOptimize(predict(model, ranks, {{"N", 1 << 28}}));
    }
  }
  state.counters["samples"] = static_cast<double>(measurements.samples.size());
}

void run(int argc, char** argv) {
  benchmark::Initialize(&argc, argv);
  std::vector<std::string> seeds(argv + 1, argv + argc);
  if (seeds.empty()) {
    seeds = {"1", "2"};
  }
  for (const std::string& seed : seeds) {
    benchmark::RegisterBenchmark(fmt::format("referee_of_1000_draws/seed:{}", seed).c_str(),
                                 referee_of_1000_draws, static_cast<unsigned>(parse_count(seed)))
        ->Unit(benchmark::kMillisecond)
        ->Iterations(1);
  }
  benchmark::RegisterBenchmark("fit_and_predict_10000_samples", fit_and_predict_10000_samples)
      ->Unit(benchmark::kMillisecond);
  benchmark::RunSpecifiedBenchmarks();
}

}  // namespace
}  // namespace cleave

int main(int argc, char** argv) {
  try {
    cleave::run(argc, argv);
  } catch (const cleave::Error& error) {
    fmt::print(stderr, "fit_referee: {}\n", error.what());
    return 1;
  }
}
