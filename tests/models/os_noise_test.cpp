// SPDX-License-Identifier: Apache-2.0
#include "models/os_noise.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace cleave::models {
namespace {

/// Blocks of 20 us to 10 ms, disturbed 300 times a second for 40 us and 20 times for 200 us.
std::vector<NoisyTime> noisy_times() {
  std::mt19937_64 random(7);
  std::vector<NoisyTime> times;
  for (int i = 0; i < 20000; ++i) {
    const double expected = 2e-5 * std::pow(500.0, (i % 10) / 9.0);
    const double sum = 4e-5 * std::poisson_distribution<int>(300 * expected)(random) +
                       2e-4 * std::poisson_distribution<int>(20 * expected)(random);
    times.push_back(
        {.expected_s = expected, .measured_s = expected + sum, .visible_s = 0.04 * expected});
  }
  return times;
}

TEST(OsNoise, AreFoundWithTheirLengthsAndRates) {
  double short_rate = 0;
  double long_rate = 0;
  for (const OsNoise& d : fit_os_noise(noisy_times())) {
    (d.length_s < 1e-4 ? short_rate : long_rate) += d.per_second;
    EXPECT_GE(d.length_s, 3.9e-5);
  }
  // A few of both lengths fall into one time and are taken for one.
  EXPECT_NEAR(short_rate, 300, 90);
  EXPECT_NEAR(long_rate, 20, 20);
}

TEST(OsNoise, WhatIsSeldomShortOrInvisibleIsNone) {
  const NoisyTime calm{.expected_s = 1e-3, .measured_s = 1e-3, .visible_s = 1e-4};
  NoisyTime disturbed = calm;
  disturbed.measured_s = 3e-3;
  std::vector<NoisyTime> times(100, calm);
  EXPECT_TRUE(fit_os_noise(times).empty());
  times.insert(times.end(), 4, disturbed);
  EXPECT_TRUE(fit_os_noise(times).empty()) << "4 are too few to tell how often they come";
  times.push_back(disturbed);
  const auto found = fit_os_noise(times);
  ASSERT_EQ(found.size(), 1U);
  EXPECT_DOUBLE_EQ(found[0].length_s, 2e-3);
  EXPECT_NEAR(found[0].per_second, 5 / (105 * 1e-3), 1e-9);
  for (NoisyTime& time : times) {
    time.visible_s = 5e-3;
  }
  EXPECT_TRUE(fit_os_noise(times).empty());
  EXPECT_TRUE(fit_os_noise(std::vector<NoisyTime>(
                               10, {.expected_s = 1e-6, .measured_s = 9e-6, .visible_s = 1e-7}))
                  .empty())
      << "8 us are noise";
}

TEST(OsNoise, AreDrawnAsOftenAsTheyCome) {
  const std::vector<OsNoise> os_noise = {{.length_s = 4e-5, .per_second = 300}};
  std::mt19937_64 random(3);
  constexpr int kDraws = 20000;
  int hit = 0;
  for (int i = 0; i < kDraws; ++i) {
    const double seconds = draw_os_noise(os_noise, 1e-4, random);
    hit += seconds > 0 ? 1 : 0;
    EXPECT_GE(seconds, 0);
  }
  EXPECT_NEAR(static_cast<double>(hit) / kDraws, 1 - std::exp(-0.03), 0.005);

  // The typical time of a long block has them already.
  std::vector<double> of_long;
  for (int i = 0; i < 2001; ++i) {
    of_long.push_back(draw_os_noise(os_noise, 0.1, random));
  }
  std::nth_element(of_long.begin(), of_long.begin() + 1000, of_long.end());
  EXPECT_NEAR(of_long[1000], 0, 4.1e-5);
  EXPECT_EQ(draw_os_noise({}, 1, random), 0);
}

}  // namespace
}  // namespace cleave::models
