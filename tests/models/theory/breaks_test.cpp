// SPDX-License-Identifier: Apache-2.0
#include "models/theory/breaks.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <random>
#include <vector>

namespace cleave::models {
namespace {

/// Costs of constants: the sum of squared distances from the mean, over the number of all points.
SegmentCosts constants(const std::vector<double>& values, int min_points) {
  return {.points = static_cast<int>(values.size()),
          .min_points = min_points,
          .parameters = 1,
          .samples = static_cast<double>(values.size()),
          .negligible = 1e-6,
          .residual = [values](int first, int end) {
            double mean = 0;
            for (int i = first; i < end; ++i) {
              mean += values[static_cast<std::size_t>(i)] / (end - first);
            }
            double sum = 0;
            for (int i = first; i < end; ++i) {
              sum += std::pow(values[static_cast<std::size_t>(i)] - mean, 2);
            }
            return sum / static_cast<double>(values.size());
          }};
}

TEST(Breaks, AreWhereTheValuesChange) {
  EXPECT_EQ(best_breaks(constants({1, 1, 1, 1, 5, 5, 5, 5, 2, 2, 2, 2}, 4)).starts,
            (std::vector<int>{4, 8}));
  EXPECT_TRUE(best_breaks(constants({1, 1, 1, 1, 1, 1, 1, 1}, 4)).starts.empty());
  EXPECT_TRUE(best_breaks(constants({1, 1, 5, 5}, 4)).starts.empty());
}

TEST(Breaks, AreTheBestOfAllPlacesOfOneBreak) {
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 50; ++trial) {
    std::vector<double> values;
    for (int i = 0; i < 12; ++i) {
      values.push_back(normal(random) + (i < 5 ? 0 : 6));
    }
    SegmentCosts costs = constants(values, 2);
    costs.max_segments = 2;
    const Breaks found = best_breaks(costs);
    ASSERT_EQ(found.starts.size(), 1U);
    for (int start = 2; start <= 10; ++start) {
      EXPECT_LE(costs.residual(0, found.starts[0]) + costs.residual(found.starts[0], 12),
                costs.residual(0, start) + costs.residual(start, 12));
    }
  }
}

}  // namespace
}  // namespace cleave::models
