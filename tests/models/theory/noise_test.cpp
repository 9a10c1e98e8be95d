// SPDX-License-Identifier: Apache-2.0
#include "models/theory/noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace cleave::models {
namespace {

/// Ten repetitions of a run on four ranks, of which the last three are `slower` times as slow.
std::vector<NoisyTime> times_of(double typical_s, double slower) {
  std::vector<NoisyTime> times;
  for (int repetition = 0; repetition < 10; ++repetition) {
    for (int rank = 0; rank < 4; ++rank) {
      times.push_back({.run = 0,
                       .repetition = repetition,
                       .typical_s = typical_s,
                       .measured_s = typical_s * (repetition < 7 ? 1 : slower)});
    }
  }
  return times;
}

TEST(Noise, IsDrawnAsItWasMeasured) {
  const Noise noise = Noise::of(times_of(1e-3, 1.5));
  std::mt19937_64 random(1);
  int slow = 0;
  constexpr int kDraws = 10000;
  for (int i = 0; i < kDraws; ++i) {
    const double u = static_cast<double>(random() >> 11) * 0x1p-53;
    const double seconds = noise.times_of(2e-3).draw(u, random);
    EXPECT_TRUE(seconds == 2e-3 || std::abs(seconds - 3e-3) < 1e-12) << seconds;
    slow += seconds > 2.5e-3 ? 1 : 0;
  }
  EXPECT_NEAR(slow, 0.3 * kDraws, 0.03 * kDraws);
}

TEST(Noise, RanksOfASlowHostAreSlowTogether) {
  const Noise noise = Noise::of(times_of(1e-3, 1.5));
  std::mt19937_64 random(1);
  for (int i = 0; i < 100; ++i) {
    EXPECT_EQ(noise.times_of(1e-3).draw(0.2, random), 1e-3);
    EXPECT_NEAR(noise.times_of(1e-3).draw(0.9, random), 1.5e-3, 1e-12);
  }
}

TEST(Noise, OfShorterBlocksIsAddedRatherThanInProportion) {
  const Noise noise = Noise::of(times_of(1e-3, 1.5));
  std::mt19937_64 random(1);
  EXPECT_NEAR(noise.times_of(1e-5).draw(0.9, random), 1e-5 + 0.5e-3, 1e-12);
}

TEST(Noise, IsThatOfBlocksAboutAsLong) {
  std::vector<NoisyTime> times = times_of(1e-5, 3);
  const std::vector<NoisyTime> longer = times_of(1e-1, 1.01);
  times.insert(times.end(), longer.begin(), longer.end());
  const Noise noise = Noise::of(times);
  ASSERT_EQ(noise.lengths().size(), 2U);
  std::mt19937_64 random(1);
  EXPECT_NEAR(noise.times_of(2e-5).draw(0.99, random), 6e-5, 1e-12);
  EXPECT_NEAR(noise.times_of(1).draw(0.99, random), 1.01, 1e-9);
}

TEST(Noise, OfNothingChangesNothing) {
  std::mt19937_64 random(1);
  EXPECT_EQ(Noise().times_of(0.5).draw(0.5, random), 0.5);
  EXPECT_EQ(Noise::of({{.typical_s = 0, .measured_s = 1}}).times_of(0.5).draw(0.5, random), 0.5);
  EXPECT_EQ(Noise::of(times_of(1e-3, 2)).times_of(0).draw(0.9, random), 0);
}

TEST(Noise, KeepsAtMostSixtyFourRepetitions) {
  std::vector<NoisyTime> times;
  for (int i = 0; i < 1000; ++i) {
    times.push_back({.run = i, .typical_s = 1, .measured_s = 1 + i * 1e-3});
  }
  const Noise noise = Noise::of(times);
  ASSERT_EQ(noise.lengths().size(), 1U);
  const auto& kept = noise.lengths().front().repetitions;
  ASSERT_EQ(kept.size(), 64U);
  EXPECT_EQ(kept.front().front(), 1);
  EXPECT_NEAR(kept.back().front(), 1.999, 1e-12);
}

}  // namespace
}  // namespace cleave::models
