// Order statistics of measured values.
#pragma once

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <vector>

namespace cleave {

/// The middle value; of an even number of values the mean of the middle two.
/// \pre  !values.empty()
inline double median(std::vector<double> values) {
  assert(!values.empty());
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) {
    return *middle;
  }
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

/// How far a single repetition typically lies from the median of them all, relative to it:
/// 1.4826 * median |x - m| / m, which is the standard deviation / mean of normal noise.
/// 0 where all are equal or the median is 0.
/// \pre  !values.empty()
inline double relative_spread(const std::vector<double>& values) {
  const double middle = median(values);
  std::vector<double> distances;
  for (const double value : values) {
    distances.push_back(std::abs(value - middle));
  }
  return middle == 0 ? 0 : 1.4826 * median(std::move(distances)) / middle;
}

}  // namespace cleave
