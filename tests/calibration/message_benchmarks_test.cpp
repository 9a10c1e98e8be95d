// SPDX-License-Identifier: Apache-2.0
#include "calibration/message_benchmarks.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <numeric>
#include <utility>

#include <cleave/comm.hpp>
#include <cleave/trace.hpp>

namespace cleave::calibration {

using namespace cleave::detail;
namespace {

TEST(MessageBenchmarks, EveryPatternOfEveryRankCountIsMeasured) {
  const Comm world(MPI_COMM_WORLD);
  for (const Pattern& pattern : patterns_for(world.size())) {
    const Communication entry =
        measure(world, pattern, {.message_bytes = {8, 4096, 65536, 262144}, .seconds = 0.05});
    if (world.rank() != 0) {
      EXPECT_TRUE(entry.samples.empty());
      continue;
    }
    EXPECT_EQ(entry.ranks, world.size());
    EXPECT_EQ(entry.level, pattern.level);
    EXPECT_EQ(entry.oversubscribed, hosts_of(world).oversubscribed());
    ASSERT_EQ(entry.samples.size(), 4U);
    for (const MessageSamples& samples : entry.samples) {
      EXPECT_FALSE(samples.seconds.empty());
      for (const double seconds : samples.seconds) {
        EXPECT_GT(seconds, 0);
      }
    }
    EXPECT_GE(entry.latency_s, 0);
    EXPECT_GE(entry.gap_s_per_byte, 0);
  }
}

TEST(MessageBenchmarks, FewerRanksThanStartedAreMeasuredToo) {
  const Comm world(MPI_COMM_WORLD);
  const Communication entry =
      measure(world, {.ranks = 2}, {.message_bytes = {8, 4096, 65536}, .seconds = 0.05});
  if (world.rank() == 0) {
    EXPECT_EQ(entry.ranks, 2);
    EXPECT_FALSE(entry.oversubscribed);
    EXPECT_EQ(entry.samples.size(), 3U);
  }
}

TEST(MessageBenchmarks, DisturbedMovesCountWhereThereAreNoOthers) {
  const auto told = std::exchange(run_delay_ns, [] {
    static std::int64_t ns = 0;
    return ns += 1'000'000'000;
  });
  const Comm world(MPI_COMM_WORLD);
  const Communication entry =
      measure(world, {.ranks = world.size()}, {.message_bytes = {8, 4096, 65536}, .seconds = 0.05});
  run_delay_ns = told;
  for (const MessageSamples& samples : entry.samples) {
    EXPECT_FALSE(samples.seconds.empty());
    EXPECT_FALSE(samples.stable);
  }
}

TEST(MessageBenchmarks, RanksAgreeWhichMovesAreDisturbed) {
  // A hundredth of the moves' time is the limit: about such a delay ranks have each their own time.
  static std::int64_t part = 100;
  const auto told = std::exchange(run_delay_ns, [] { return monotonic_ns() / part; });
  const Comm world(MPI_COMM_WORLD);
  for (; part < 200; part += 10) {
    const Communication entry = measure(world, {.ranks = world.size()},
                                        {.message_bytes = {8, 4096, 65536}, .seconds = 0.02});
    EXPECT_EQ(entry.samples.size(), world.rank() == 0 ? 3U : 0U);
  }
  run_delay_ns = told;
}

TEST(MessageBenchmarks, TimesAreThoseOfTheRankThatIsAlwaysSlowAndNotOfOneThatIsLateOnce) {
  const Comm world(MPI_COMM_WORLD);
  const int last = world.size() - 1;
  const std::vector<double> always_slow = {2e-6, 2e-6, 2e-6};
  const std::vector<double> late_once = {1e-6, 1e-6, 50e-6};
  EXPECT_EQ(of_slowest_rank(world, world.rank() == last ? always_slow : late_once), always_slow);
}

TEST(MessageBenchmarks, ThePatternsOfARankCountAreItsLevels) {
  EXPECT_EQ(patterns_for(2).size(), 1U);
  EXPECT_EQ(patterns_for(3).size(), 2U);
  EXPECT_EQ(patterns_for(8).size(), 3U);
  EXPECT_EQ(patterns_for(9).size(), 4U);
}

TEST(MessageBenchmarks, AMedianIsStableOnlyAfterEnoughRepetitionsThatAgree) {
  EXPECT_FALSE(median_is_stable(std::vector<double>(9, 1.0), 0.02));
  EXPECT_TRUE(median_is_stable(std::vector<double>(10, 1.0), 0.02));
  // The interval of 100 times has the ranks 40 and 61.
  std::vector<double> scattered(100);
  std::iota(scattered.rbegin(), scattered.rend(), 1);
  EXPECT_TRUE(median_is_stable(scattered, 10.5 / 50.5));
  EXPECT_FALSE(median_is_stable(scattered, 10.4 / 50.5));
  std::vector<double> close(40, 1.0);
  close.front() = 100;  // one outlier does not move a median
  EXPECT_TRUE(median_is_stable(close, 0.02));
}

/// Messages of a problem that halves from level to level, and of one that does not.
const std::vector<std::vector<std::int64_t>> kLengths = {{80'000, 40'000, 20'000},
                                                         {3000, 3000, 3000}};

TEST(CallBenchmark, EveryWayOfEveryRankCountSendsWhatItIsTold) {
  const Comm world(MPI_COMM_WORLD);
  const bool is_even = std::has_single_bit(static_cast<unsigned>(world.size()));
  const NamedSizes sizes = {{"N", 1 << 20}};
  for (const Way way : {Way::replicated, Way::rooted, Way::merging, Way::splitting}) {
    for (const auto& bytes : kLengths) {
      Recorder recorder(mpi_time_ns);
      make_calls(world, {.way = way, .bytes = bytes, .key_bytes = 8}, sizes, 0.01, recorder);
      ASSERT_GE(recorder.repetitions().size(), 7U);
      for (const Repetition& repetition : recorder.repetitions()) {
        EXPECT_GT(repetition.elapsed_ns, 0);
        ASSERT_EQ(repetition.sizes.size(), 1U);
        EXPECT_EQ(repetition.sizes.begin()->value, 1 << 20);
      }
      int exchanges = 0;
      for (const Span& span : recorder.spans()) {
        exchanges += span.block == Block::exchange ? 1 : 0;
        // A part keeps its length on the way down, so half of it is sent at each level.
        const std::int64_t expected = bytes[way == Way::splitting ? 0 : span.level];
        if (span.block == Block::exchange && is_even) {
          EXPECT_NEAR(static_cast<double>(span.bytes), static_cast<double>(expected), 8)
              << "level " << span.level;
        }
      }
      EXPECT_GT(exchanges, 0);
    }
  }
}

}  // namespace
}  // namespace cleave::calibration
