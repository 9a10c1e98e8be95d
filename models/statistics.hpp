// How far measured values spread.
#pragma once

#include <cmath>
#include <vector>

#include "skeleton/trace/median.hpp"

namespace cleave {

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
  return middle == 0 ? 0 : 1.4826 * median(std::move(distances)) / middle;
}

}  // namespace cleave
