// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/curve.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include <cleave/error.hpp>

#include "apps/splitting/curve.hpp"
#include "apps/splitting/generators.hpp"
#include "tests/apps/splitting/random_trees.hpp"

namespace cleave::splitting {

using namespace cleave::detail;
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

struct NamedCurve {
  Shape shape;
  CurveKind kind;
};

class CurveTest : public testing::TestWithParam<NamedCurve> {};

TEST_P(CurveTest, VisitsEveryCellOnceAndContinuousOnesCrossFacesOnly) {
  const Curve curve(GetParam().shape, GetParam().kind);
  const int level = GetParam().shape.children() > 8 ? 2 : 3;
  const std::vector<Cell> cells = cells_at(curve, level);
  std::set<GridPoint> places;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    EXPECT_TRUE(places.insert(cells[i].at).second);
    if (i > 0 && GetParam().kind != CurveKind::morton) {
      ASSERT_EQ(steps_between(cells[i - 1].at, cells[i].at), 1) << "at cell " << i;
    }
  }
  EXPECT_EQ(places.size(), cells.size());
}

TEST_P(CurveTest, ChildAtIsTheInverseOfChild) {
  const Curve curve(GetParam().shape, GetParam().kind);
  for (const Cell& cell : cells_at(curve, 2)) {
    for (int i = 0; i < curve.shape().children(); ++i) {
      const Cell child = curve.child(cell, i);
      GridPoint offset{};
      for (int axis = 0; axis < curve.shape().d; ++axis) {
        offset[axis] = child.at[axis] - cell.at[axis] * static_cast<unsigned>(curve.shape().k);
      }
      ASSERT_EQ(curve.child_at(cell.turn, offset), i);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, CurveTest,
    testing::Values(NamedCurve{{2, 2}, CurveKind::hilbert}, NamedCurve{{2, 3}, CurveKind::hilbert},
                    NamedCurve{{3, 2}, CurveKind::hilbert}, NamedCurve{{3, 3}, CurveKind::hilbert},
                    NamedCurve{{3, 2}, CurveKind::peano}, NamedCurve{{3, 3}, CurveKind::peano},
                    NamedCurve{{2, 2}, CurveKind::morton}, NamedCurve{{2, 3}, CurveKind::morton},
                    NamedCurve{{3, 2}, CurveKind::morton}, NamedCurve{{3, 3}, CurveKind::morton}));

TEST(Curve, ThereIsNoPeanoCurveForTwo) {
  EXPECT_THROW(Curve({2, 2}, CurveKind::peano), Error);
  EXPECT_THROW(Curve({2, 3}, CurveKind::peano), Error);
  EXPECT_THROW(Curve({4, 2}, CurveKind::morton), Error);
}

TEST(Generators, MakeTheTreesThatTheyAreNamedAfter) {
  const Curve curve({2, 2}, CurveKind::hilbert);
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

TEST(Curve, KnowsNoCellsDeeperThanItsCoordinatesTell) {
  const Curve curve({2, 2}, CurveKind::hilbert);
  std::vector<std::string> rows(static_cast<std::size_t>(curve.deepest_level()) + 1, "1000");
  rows.front() = "1";
  EXPECT_THROW(cells_of(tree_of({2, 2}, rows), curve), Error);
  rows.pop_back();
  EXPECT_EQ(std::ssize(cells_of(tree_of({2, 2}, rows), curve)), curve.deepest_level() + 1);
}

/// Against every pair of leaves: two cells share a face if they overlap in all axes but one, where
/// they touch.
TEST(Surface, EqualsThatOfAllPairsOfLeaves) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 30; ++i) {
    const Shape shape{i % 2 + 2, i % 3 == 0 ? 3 : 2};
    const Curve curve(shape, i % 4 == 3 ? CurveKind::morton : usual_curve(shape));
    const Tree tree = random_small_tree(random, shape, 3, 150);
    Ledger ledger(tree, 4, Mode::sfc, linear_cost(1, 1));
    while (ledger.growth().leaves() < tree.leaves()) ledger.advance();
    for (int p = 1; p < 4 && ledger.leaves_of(0) > 1; ++p) {
      ledger.split(0, p, std::max<Index>(1, ledger.leaves_of(0) / 3), Side::front);
    }
    const auto cells = cells_of(tree, curve);
    const Growth& growth = ledger.growth();
    std::vector<Index> surface(4);
    const auto scaled = [&](Index leaf, int axis, std::uint32_t beyond) {
      const Cell& cell = cells[static_cast<std::size_t>(growth.level(leaf))]
                              [static_cast<std::size_t>(growth.node(leaf))];
      return (cell.at[axis] + beyond) * std::pow(shape.k, 3 - cell.level);
    };
    for (Index a = 0; a < growth.leaves(); ++a) {
      for (Index b = a + 1; b < growth.leaves(); ++b) {
        int touching = 0;
        int overlapping = 0;
        for (int axis = 0; axis < shape.d; ++axis) {
          const double low = std::max(scaled(a, axis, 0), scaled(b, axis, 0));
          const double high = std::min(scaled(a, axis, 1), scaled(b, axis, 1));
          touching += low == high;
          overlapping += low < high;
        }
        const int pa = ledger.owner(a);
        const int pb = ledger.owner(b);
        if (touching == 1 && overlapping == shape.d - 1 && pa != pb) {
          ++surface[static_cast<std::size_t>(pa)];
          ++surface[static_cast<std::size_t>(pb)];
        }
      }
    }
    const auto found = surfaces(ledger, curve);
    for (std::size_t p = 0; p < 4; ++p) EXPECT_EQ(found[p], surface[p]) << "tree " << i;
  }
}

}  // namespace
}  // namespace cleave::splitting
