// SPDX-License-Identifier: Apache-2.0
// What tracing costs: a block with and without a recorder, and the bytes that a span takes.
#include <benchmark/benchmark.h>

#include <cleave/clock.hpp>
#include <cleave/comm.hpp>
#include <cleave/kernel/blocks.hpp>

namespace cleave {

using namespace cleave::detail;
namespace {

using detail::BlockRunner;
using detail::Level;

/// A block that does next to nothing, so that what is left is the cost of having it.
void run_block(BlockRunner& blocks) {
  int result = blocks.timed(
      Block::exchange, Level{1, 2},
      [] {
        int one = 1;
        benchmark::DoNotOptimize(one);
        return one;
      },
      [](int) {
        return Sizes{{"N", 1000}, {"M", 2000}};
      },
      64);
  benchmark::DoNotOptimize(result);
}

void traced(benchmark::State& state, Clock clock) {
  constexpr std::size_t kSpans = 1 << 16;
  CallOptions options;
  while (state.KeepRunningBatch(kSpans)) {
    state.PauseTiming();
    Recorder recorder(clock, kSpans);
    options.recorder = &recorder;
    BlockRunner blocks(options);
    state.ResumeTiming();
    for (std::size_t i = 0; i < kSpans; ++i) {
      run_block(blocks);
    }
  }
  state.counters["bytes_per_span"] = sizeof(Span);
}

void not_traced(benchmark::State& state) {
  const CallOptions options;
  BlockRunner blocks(options);
  for (auto _ : state) {
    run_block(blocks);
  }
}

void bare(benchmark::State& state) {
  for (auto _ : state) {
    int one = 1;
    benchmark::DoNotOptimize(one);
    benchmark::DoNotOptimize(one);
  }
}

BENCHMARK(bare);
BENCHMARK(not_traced);
BENCHMARK_CAPTURE(traced, monotonic_clock, monotonic_ns);
BENCHMARK_CAPTURE(traced, mpi_clock, mpi_time_ns);

}  // namespace
}  // namespace cleave

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  MPI_Finalize();
}
