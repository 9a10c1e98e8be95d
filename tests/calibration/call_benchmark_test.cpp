// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <bit>

#include <cleave/comm.hpp>

#include "calibration/message_benchmarks.hpp"

namespace cleave::calibration {

using namespace cleave::detail;
namespace {

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
      EXPECT_EQ(exchanges > 0, world.size() > 1);
    }
  }
}

}  // namespace
}  // namespace cleave::calibration
