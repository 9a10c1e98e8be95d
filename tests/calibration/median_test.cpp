// SPDX-License-Identifier: Apache-2.0
#include "calibration/median.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

namespace cleave::calibration {
namespace {

TEST(Median, OfOddAndEvenCounts) {
  EXPECT_DOUBLE_EQ(median_interval(std::vector<double>{3, 1, 2}).median, 2);
  EXPECT_DOUBLE_EQ(median_interval(std::vector<double>{4, 1, 2, 3}).median, 2.5);
  EXPECT_DOUBLE_EQ(median_interval(std::vector<double>{7}).median, 7);
}

TEST(Median, IntervalHasTheRanksOfHoeflerAndBelli) {
  // n = 100: ranks floor((100 - 19.6) / 2) = 40 and ceil(1 + (100 + 19.6) / 2) = 61.
  std::vector<double> times(100);
  std::iota(times.begin(), times.end(), 1);
  std::shuffle(times.begin(), times.end(), std::mt19937(1));
  const MedianInterval interval = median_interval(times);
  EXPECT_DOUBLE_EQ(interval.median, 50.5);
  EXPECT_DOUBLE_EQ(interval.low, 40);
  EXPECT_DOUBLE_EQ(interval.high, 61);
}

TEST(Median, IntervalHoldsTheTrueMedianInAtLeast95OfAHundred) {
  std::mt19937 random(7);
  std::exponential_distribution<double> draw(1);
  const double truth = std::log(2.0);
  int held = 0;
  constexpr int kDraws = 2000;
  for (int i = 0; i < kDraws; ++i) {
    std::vector<double> times(30);
    std::generate(times.begin(), times.end(), [&] { return draw(random); });
    const MedianInterval interval = median_interval(times);
    held += interval.low <= truth && truth <= interval.high ? 1 : 0;
  }
  EXPECT_GE(held, kDraws * 95 / 100);
}

TEST(Median, IsStableOnlyAfterEnoughRepetitionsThatAgree) {
  EXPECT_FALSE(median_is_stable(std::vector<double>(9, 1.0), 0.02));
  EXPECT_TRUE(median_is_stable(std::vector<double>(10, 1.0), 0.02));
  std::vector<double> scattered(40);
  std::iota(scattered.begin(), scattered.end(), 1);
  EXPECT_FALSE(median_is_stable(scattered, 0.02));
  std::vector<double> close(40, 1.0);
  close.front() = 100;  // one outlier does not move a median
  EXPECT_TRUE(median_is_stable(close, 0.02));
}

}  // namespace
}  // namespace cleave::calibration
