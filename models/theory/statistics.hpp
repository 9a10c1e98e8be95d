// SPDX-License-Identifier: Apache-2.0
// How far measured values spread.
#pragma once

#include <algorithm>
#include <cmath>
#include <vector>

#include <cleave/trace.hpp>

namespace cleave::models {

/// The standard deviation of normal noise over the median distance from its middle.
inline constexpr double kDeviationsPerMedian = 1.4826;
/// Half of the range that holds 95 % of normal noise, in standard deviations.
inline constexpr double kDeviationsOf95 = 1.96;

/// How far a single repetition typically lies from the median m of them all, relative to it. That
/// is 1.4826 * median |x - m| / m: of normal noise, the standard deviation over the mean. 0 where
/// all are equal or the median is 0. \pre  !values.empty()
inline double relative_spread(const std::vector<double>& values) {
  const double middle = detail::median(values);
  std::vector<double> distances;
  distances.reserve(values.size());
  for (const double value : values) {
    distances.push_back(std::abs(value - middle));
  }
  return middle == 0 ? 0 : kDeviationsPerMedian * detail::median(std::move(distances)) / middle;
}

/// The faster half of some times, one more than half where they are odd. \pre  !seconds.empty()
inline std::vector<double> faster_half(std::vector<double> seconds) {
  std::ranges::sort(seconds);
  seconds.resize((seconds.size() + 1) / 2);
  return seconds;
}

/// The time of a run that nothing disturbs: the median of the faster half of its repetitions.
/// \pre  !seconds.empty()
inline double quiet_time(std::vector<double> seconds) {
  return detail::median(faster_half(std::move(seconds)));
}

/// The value between `part` of the values and the rest, between two neighbours in proportion.
/// \pre  !values.empty(), 0 <= part <= 1
inline double quantile(std::vector<double> values, double part) {
  std::ranges::sort(values);
  const double place = part * static_cast<double>(values.size() - 1);
  const auto below = static_cast<std::size_t>(place);
  const std::size_t above = std::min(below + 1, values.size() - 1);
  return values[below] + (place - static_cast<double>(below)) * (values[above] - values[below]);
}

}  // namespace cleave::models
