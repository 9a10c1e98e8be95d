// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/tree/generators.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace cleave::splitting {

namespace {

/// Least and greatest distance along one axis from `x` to the cell.
struct Distance {
  double minimum = 0;
  double maximum = 0;
};

Distance distance(const Cell& cell, int axis, int k, double x) {
  const double edge = std::pow(static_cast<double>(k), -cell.level);
  const double low = cell.at[axis] * edge;
  const double high = low + edge;
  return {.minimum = std::max({0.0, low - x, x - high}),
          .maximum = std::max(std::abs(low - x), std::abs(high - x))};
}

}  // namespace

Tree grow_tree(const Curve& curve, Depths depths, const Refines& refines) {
  if (depths.l_min < 0 || depths.l_min > depths.l_max || depths.l_max > curve.deepest_level()) {
    throw Error(fmt::format("levels {} to {}, they must rise within 0 to {}", depths.l_min,
                            depths.l_max, curve.deepest_level()));
  }
  std::vector<std::vector<std::uint8_t>> levels;
  std::vector<Cell> cells = {Cell{}};
  while (!cells.empty() && cells.front().level < depths.l_max) {
    auto& row = levels.emplace_back();
    std::vector<Cell> next;
    for (const Cell& cell : cells) {
      const bool refined = cell.level < depths.l_min || refines(cell);
      row.push_back(refined ? 1 : 0);
      for (int i = 0; refined && i < curve.shape().children(); ++i) {
        next.push_back(curve.child(cell, i));
      }
    }
    if (std::find(row.begin(), row.end(), 1) == row.end()) {
      levels.pop_back();
    }
    cells = std::move(next);
  }
  return Tree(curve.shape(), std::move(levels));
}

Tree random_tree(const Curve& curve, Depths depths, double probability, std::uint64_t seed) {
  if (!(probability >= 0 && probability <= 1)) {
    throw Error(fmt::format("probability {}, it must be from 0 to 1", probability));
  }
  std::mt19937_64 random(seed);
  // Not std::bernoulli_distribution, whose draws may differ between standard libraries.
  const double scale = std::ldexp(1.0, -53);
  return grow_tree(curve, depths, [&](const Cell&) {
    return static_cast<double>(random() >> 11) * scale < probability;
  });
}

Tree skewed_tree(const Curve& curve, Depths depths) {
  int level = -1;
  return grow_tree(curve, depths, [&](const Cell& cell) {
    const bool first = cell.level != level;
    level = cell.level;
    return first;
  });
}

Tree sphere_tree(const Curve& curve, Depths depths, std::array<double, 3> centre, double radius) {
  if (!(radius > 0)) {
    throw Error(fmt::format("radius {}, it must be above 0", radius));
  }
  return grow_tree(curve, depths, [&](const Cell& cell) {
    double minimum = 0;
    double maximum = 0;
    for (int axis = 0; axis < curve.shape().d; ++axis) {
      const Distance along = distance(cell, axis, curve.shape().k, centre[axis]);
      minimum += along.minimum * along.minimum;
      maximum += along.maximum * along.maximum;
    }
    return minimum <= radius * radius && radius * radius <= maximum;
  });
}

Tree point_tree(const Curve& curve, Depths depths, std::array<double, 3> point) {
  return grow_tree(curve, depths, [&](const Cell& cell) {
    bool holds = true;
    for (int axis = 0; axis < curve.shape().d; ++axis) {
      holds = holds && distance(cell, axis, curve.shape().k, point[axis]).minimum == 0;
    }
    return holds;
  });
}

}  // namespace cleave::splitting
