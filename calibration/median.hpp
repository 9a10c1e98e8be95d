// SPDX-License-Identifier: Apache-2.0
// When has a measurement been repeated often enough: when its median is known.
#pragma once

#include <span>

namespace cleave::calibration {

/// The median of repeated times and the interval that holds the true one with 95 % probability.
struct MedianInterval {
  double median = 0;
  double low = 0;
  double high = 0;

  /// The larger distance of an end from the median, relative to it.
  double relative_half_width() const;
};

/// Non-parametric, from the ranks floor((n - 1.96 sqrt n) / 2) and ceil(1 + (n + 1.96 sqrt n) / 2)
/// of the sorted times (Hoefler and Belli, "Scientific Benchmarking of Parallel Computing Systems",
/// SC'15). With fewer than six times the interval is the whole range.
/// \pre  seconds is not empty
MedianInterval median_interval(std::span<const double> seconds);

/// The fewest repetitions that a median is ever called stable after.
inline constexpr int kMinRepetitions = 10;

/// Whether the median is known to `tolerance`, e.g. 0.02.
bool median_is_stable(std::span<const double> seconds, double tolerance);

}  // namespace cleave::calibration
