// SPDX-License-Identifier: Apache-2.0
#include "calibration/median.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <vector>

#include <cleave/trace/median.hpp>

namespace cleave::calibration {

double MedianInterval::relative_half_width() const {
  return median > 0 ? std::max(high - median, median - low) / median : 0;
}

MedianInterval median_interval(std::span<const double> seconds) {
  assert(!seconds.empty());
  std::vector<double> sorted(seconds.begin(), seconds.end());
  std::sort(sorted.begin(), sorted.end());
  const auto n = static_cast<double>(sorted.size());
  const auto at_rank = [&sorted, n](double rank) {
    return sorted[static_cast<std::size_t>(std::clamp(rank, 1.0, n)) - 1];
  };
  const double spread = 1.96 * std::sqrt(n);
  return {.median = detail::median(sorted),
          .low = at_rank(std::floor((n - spread) / 2)),
          .high = at_rank(std::ceil(1 + (n + spread) / 2))};
}

bool median_is_stable(std::span<const double> seconds, double tolerance) {
  return seconds.size() >= kMinRepetitions &&
         median_interval(seconds).relative_half_width() <= tolerance;
}

}  // namespace cleave::calibration
