// SPDX-License-Identifier: Apache-2.0
// Trees: along which curve, made by which generators, as leaves, as they grow, and in files.
#include "apps/splitting/tree.hpp"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include <cleave/error.hpp>
#include <cleave/host/host.hpp>

#include "apps/splitting/generators.hpp"
#include "apps/splitting/plan_file.hpp"
#include "apps/splitting/planner.hpp"
#include "tests/apps/splitting/random_trees.hpp"

namespace cleave::splitting {
namespace {

TEST(Curve, VisitsEveryCellOnceAndCrossesFacesOnly) {
  for (const Shape shape : {Shape{2, 2}, {2, 3}, {3, 2}, {3, 3}}) {
    const Curve curve(shape);
    std::vector<Cell> cells = {Cell{}};
    for (int level = 0; level < (shape.children() > 8 ? 2 : 3); ++level) {
      std::vector<Cell> next;
      for (const Cell& cell : cells) {
        for (int i = 0; i < shape.children(); ++i) next.push_back(curve.child(cell, i));
      }
      cells = std::move(next);
    }
    std::set<GridPoint> places;
    GridPoint before{};
    for (const Cell& cell : cells) {
      EXPECT_TRUE(places.insert(cell.at).second);
      int steps = 0;
      for (int axis = 0; axis < 3; ++axis) {
        steps += std::abs(static_cast<int>(cell.at[axis]) - static_cast<int>(before[axis]));
      }
      EXPECT_TRUE(steps == 1 || places.size() == 1) << "at cell " << places.size();
      before = cell.at;
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
  EXPECT_EQ(std::pair(sphere.l_min(), sphere.l_max()), std::pair(2, 6));
  EXPECT_EQ(random_tree(curve, {1, 6}, 0.5, 7).fingerprint(),
            random_tree(curve, {1, 6}, 0.5, 7).fingerprint());
  EXPECT_THROW(random_tree(curve, {3, 2}, 0.5, 7), Error);
  EXPECT_THROW(random_tree(curve, {1, 3}, 1.5, 7), Error);
  EXPECT_EQ(random_tree(curve, {2, 5}, 0, 7).l_max(), 2);  // none refines below the least level
}

/// The members of `set` among the first hundred leaves.
std::set<Index> members_of(const LeafSet& set) {
  std::set<Index> members;
  for (Index leaf = 0; leaf < 100; ++leaf) {
    if (set.count_in({leaf, leaf + 1}) == 1) members.insert(leaf);
  }
  return members;
}

TEST(LeafSet, TakesAndRemovesAsASetOfNumbersDoes) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 1000; ++i) {
    std::set<Index> numbers;
    std::set<Index> others;
    for (Index leaf = 0; leaf < 100; ++leaf) {
      if (random() % 3 != 0) numbers.insert(leaf);
      if (random() % (i % 2 == 0 ? 20 : 2) == 0) others.insert(leaf);
    }
    LeafSet set = LeafSet::of_positions({numbers.begin(), numbers.end()});
    const LeafSet other = LeafSet::of_positions({others.begin(), others.end()});
    EXPECT_EQ(set.size(), std::ssize(numbers));
    EXPECT_EQ(set.contains_all(other), std::ranges::includes(numbers, others));
    if (set.contains_all(other)) {
      set.remove(other);
      for (const Index leaf : others) numbers.erase(leaf);
    }
    const Index taken = static_cast<Index>(random() % (numbers.size() + 1));
    const auto cut = std::next(numbers.begin(), std::ssize(numbers) - taken);
    EXPECT_EQ(members_of(set.take(taken, Side::back)), std::set<Index>(cut, numbers.end()));
    EXPECT_EQ(members_of(set), std::set<Index>(numbers.begin(), cut));
  }
  EXPECT_THROW(LeafSet(std::vector<LeafRun>{{0, 3}, {2, 4}}), Error);
  EXPECT_THROW(LeafSet(std::vector<LeafRun>{{3, 3}}), Error);
}

TEST(Growth, StagesHaveTheLeavesThatTheTreeCounts) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100; ++i) {
    const Tree tree = random_small_tree(random, {i % 2 + 2, i % 3 == 0 ? 3 : 2}, 5, 300);
    Growth growth(tree);
    for (int s = 0; s <= tree.l_max(); ++s, growth.advance()) {
      ASSERT_EQ(growth.leaves(), tree.leaves_at_stage(s));
      for (Index leaf = 0; leaf < growth.leaves(); ++leaf) {
        ASSERT_EQ(growth.leaf_at(growth.first_final(leaf)), leaf);
        ASSERT_LE(tree.cut_stage()[static_cast<std::size_t>(growth.first_final(leaf))], s);
      }
    }
    EXPECT_EQ(growth.leaves(), tree.leaves());
  }
}

/// The text of a plan for `tree`.
std::string plan_of(const Tree& tree, const CostCoefficients& cost) {
  const Problem problem{.tree = tree, .processors = 3, .cost = cost.model()};
  const Planned planned = plan_min_imbalance(problem, Planner::automatic);
  return detail::json_text(PlanFile(replay(tree, planned.plan, problem.cost), cost,
                                    detail::provenance_here("test", "", "none")),
                           1);
}

PlanFile parse_plan(const std::string& text) {
  PlanFile plan;
  detail::JsonFields object = detail::JsonFields::parse("x.plan.json", "", text);
  fields(object, plan);
  return plan;
}

TEST(Files, OfTreesAndPlansAreReadAsTheyWereWritten) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 50; ++i) {
    const Tree tree = random_small_tree(random, {i % 2 + 2, 2}, 5, 100);
    const Tree again = parse_tree("t", tree_text(tree));
    EXPECT_EQ(tree_text(again), tree_text(tree));
    EXPECT_EQ(again.fingerprint(), tree.fingerprint());
    const std::string text = plan_of(tree, {.a1 = 2, .a2 = 3, .exponent = 1 + i % 3 * 0.5});
    const PlanFile plan = parse_plan(text);
    EXPECT_EQ(detail::json_text(plan, 1), text);
    double cost = 0;
    for (const Entry& entry : plan.entries) cost += entry.cost;
    EXPECT_EQ(replay("x.plan.json", tree, plan).cost(), cost);
  }
  EXPECT_EQ(parse_tree("t", "2 2\n").leaves(), 1);
  EXPECT_EQ(parse_tree("t", "3 2\r\n1\r\n").leaves(), 9);
}

}  // namespace
}  // namespace cleave::splitting
