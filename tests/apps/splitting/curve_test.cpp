// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/curve.hpp"

#include <gtest/gtest.h>

#include <set>

#include <cleave/error.hpp>

#include "apps/splitting/generators.hpp"
#include "tests/apps/splitting/random_trees.hpp"

namespace cleave::splitting {
namespace {

/// The cells of one level in curve order.
std::vector<Cell> cells_at(const Curve& curve, int level) {
  std::vector<Cell> cells = {Cell{}};
  for (int l = 0; l < level; ++l) {
    std::vector<Cell> next;
    for (const Cell& cell : cells) {
      for (int i = 0; i < curve.shape().children(); ++i) next.push_back(curve.child(cell, i));
    }
    cells = std::move(next);
  }
  return cells;
}

int steps_between(const GridPoint& a, const GridPoint& b) {
  int steps = 0;
  for (int axis = 0; axis < 3; ++axis) {
    steps += std::abs(static_cast<int>(a[axis]) - static_cast<int>(b[axis]));
  }
  return steps;
}

TEST(Curve, VisitsEveryCellOnceAndCrossesFacesOnly) {
  for (const Shape shape : {Shape{2, 2}, {2, 3}, {3, 2}, {3, 3}}) {
    const std::vector<Cell> cells = cells_at(Curve(shape), shape.children() > 8 ? 2 : 3);
    std::set<GridPoint> places;
    for (std::size_t i = 0; i < cells.size(); ++i) {
      EXPECT_TRUE(places.insert(cells[i].at).second);
      EXPECT_TRUE(i == 0 || steps_between(cells[i - 1].at, cells[i].at) == 1) << "at cell " << i;
    }
    EXPECT_EQ(places.size(), cells.size());
  }
  EXPECT_THROW(Curve({4, 2}), Error);
}

TEST(Generators, MakeTheTreesThatTheyAreNamedAfter) {
  const Curve curve({2, 2});
  EXPECT_EQ(sphere_tree(curve, {1, 3}, {0, 0, 0}, 0).fingerprint(), page_tree().fingerprint());
  const Tree uniform = random_tree(curve, {4, 4}, 0, 1);
  EXPECT_EQ(uniform.leaves(), 256);
  EXPECT_EQ(uniform.l_min(), 4);
  // A point inside the domain: one cell refines a level, so every level adds three leaves.
  EXPECT_EQ(sphere_tree(curve, {1, 7}, {0.3, 0.4, 0}, 0).leaves(), 1 + 7 * 3);
  const Tree sphere = sphere_tree(curve, {2, 6}, {0.5, 0.5, 0}, 0.3);
  EXPECT_EQ(sphere.l_min(), 2);
  EXPECT_EQ(sphere.l_max(), 6);
  EXPECT_EQ(random_tree(curve, {1, 6}, 0.5, 7).fingerprint(),
            random_tree(curve, {1, 6}, 0.5, 7).fingerprint());
  EXPECT_THROW(random_tree(curve, {3, 2}, 0.5, 7), Error);
  EXPECT_THROW(random_tree(curve, {1, 3}, 1.5, 7), Error);
  EXPECT_EQ(random_tree(curve, {2, 5}, 0, 7).l_max(), 2);  // none refines below the least level
}

}  // namespace
}  // namespace cleave::splitting
