// SPDX-License-Identifier: Apache-2.0
// Where messages change their law, as where they become too long to be sent at once. Each segment
// between two breaks is fitted by itself, since a fit across a break is right nowhere.
#pragma once

#include <cstddef>
#include <functional>
#include <vector>

namespace cleave::models {

/// Points in ascending order that are to be cut into segments.
struct SegmentCosts {
  int points = 0;
  int min_points = 4;  ///< of a segment
  int max_segments = 4;
  int parameters = 2;     ///< of one segment
  double samples = 0;     ///< that the criterion counts, e.g. as many as points
  double negligible = 0;  ///< mean square residual below which nothing counts
  /// What the points [first, end), fitted by themselves, add to the mean square residual of all;
  /// infinite where they cannot be fitted.
  std::function<double(int first, int end)> residual;
};

struct Breaks {
  std::vector<int> starts;  ///< first point of every segment but the first, ascending
  double bic = 0;           ///< n ln(R / n) + p ln n (Schwarz, 1978), a break is a parameter, too
};

/// The breaks with the least residual for each number of segments, by dynamic programming (Bellman
/// and Roth, 1969), and of these the number with the least BIC. Costs points^2 calls of
/// `residual` and most_segments * points^2 steps.
Breaks best_breaks(const SegmentCosts& costs);

}  // namespace cleave::models
