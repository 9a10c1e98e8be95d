// SPDX-License-Identifier: Apache-2.0
#include "models/theory/breaks.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>

namespace cleave::models {

Breaks best_breaks(const SegmentCosts& costs) {
  constexpr double kNever = std::numeric_limits<double>::infinity();
  const int n = costs.points;
  const auto at = [n](int first, int end) {
    return static_cast<std::size_t>(first) * static_cast<std::size_t>(n + 1) +
           static_cast<std::size_t>(end);
  };
  std::vector<double> one(at(n, n) + 1, kNever);
  for (int first = 0; first < n; ++first) {
    for (int end = first + costs.min_points; end <= n; ++end) {
      one[at(first, end)] = costs.residual(first, end);
    }
  }
  // best[end]: the least cost of the points before `end` in so many segments.
  std::vector<double> best(static_cast<std::size_t>(n) + 1, kNever);
  best[0] = 0;
  std::vector<std::vector<int>> starts;  // of the last segment, by number of segments and end
  Breaks result{.starts = {}, .bic = kNever};
  for (int segments = 1; segments <= costs.max_segments; ++segments) {
    std::vector<double> next(best.size(), kNever);
    std::vector<int> start(best.size(), 0);
    for (int end = 1; end <= n; ++end) {
      for (int first = 0; first < end; ++first) {
        const double cost = best[static_cast<std::size_t>(first)] + one[at(first, end)];
        if (cost < next[static_cast<std::size_t>(end)]) {
          next[static_cast<std::size_t>(end)] = cost;
          start[static_cast<std::size_t>(end)] = first;
        }
      }
    }
    best = std::move(next);
    starts.push_back(std::move(start));
    if (!std::isfinite(best.back())) {
      break;
    }
    const double parameters = segments * costs.parameters + (segments - 1);
    const double bic = costs.samples * std::log(std::max(best.back(), costs.negligible)) +
                       parameters * std::log(costs.samples);
    if (bic < result.bic) {
      result = {.starts = {}, .bic = bic};
      int end = n;
      for (int k = segments; k > 1; --k) {
        end = starts[static_cast<std::size_t>(k - 1)][static_cast<std::size_t>(end)];
        result.starts.insert(result.starts.begin(), end);
      }
    }
  }
  return result;
}

}  // namespace cleave::models
