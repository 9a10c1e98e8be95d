// SPDX-License-Identifier: Apache-2.0
// How far measured values spread.
#pragma once

#include <cmath>
#include <vector>

#include "models/files.hpp"

namespace cleave::models {

/// Of normal noise: its standard deviation over the median distance from its middle.
inline constexpr double kDeviationsPerMedian = 1.4826;
/// Of normal noise: half of the range that holds 95 %, over its standard deviation.
inline constexpr double kDeviationsOf95 = 1.96;
/// A repetition that is more than so many deviations from the typical one was disturbed.
inline constexpr double kNoisy = 4;

/// How far a single repetition typically lies from the median of them all, relative to it:
/// 1.4826 * median |x - m| / m, which is the standard deviation / mean of normal noise.
/// 0 where all are equal or the median is 0.
/// \pre  !values.empty()
inline double relative_spread(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) {
    distances.push_back(std::abs(value - middle));
  }
  return middle == 0 ? 0 : kDeviationsPerMedian * median(std::move(distances)) / middle;
}

}  // namespace cleave::models
