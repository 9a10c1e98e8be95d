// SPDX-License-Identifier: Apache-2.0
// Windows that no plan keeps, and problems that are too large for an exact planner.
#include <gtest/gtest.h>

#include <random>
#include <string>
#include <string_view>

#include <cleave/error.hpp>

#include "random_trees.hpp"
#include "apps/splitting/ledger/score.hpp"
#include "apps/splitting/offline/exact_search.hpp"
#include "apps/splitting/offline/planner.hpp"
#include "apps/splitting/tree/generators.hpp"

namespace cleave::splitting {

using namespace cleave::detail;
namespace {

/// 65,536 leaves.
const Tree& large_tree() {
  static const Tree tree = random_tree(Curve({2, 2}, CurveKind::hilbert), {8, 8}, 0, 1);
  return tree;
}

std::string refusal_within(const Problem& problem, LoadWindow window, Planner planner) {
  try {
    plan_within(problem, window, planner);
  } catch (const Error& e) {
    return e.what();
  }
  return "accepted";
}

TEST(Planner, IsKnownByItsNameAlone) {
  for (const std::string_view name : kPlannerNames) {
    const auto planner = planner_named(name);
    ASSERT_TRUE(planner.has_value()) << name;
    EXPECT_EQ(name_of(*planner), name);
  }
  EXPECT_FALSE(planner_named("magic").has_value());
}

TEST(Planner, FindsNoPlanWhereNoneKeepsTheWindow) {
  const Tree tree = page_tree();
  Problem problem{.tree = tree, .processors = 2, .cost = linear_cost(1, 1)};
  const auto finds = [&](LoadWindow window, Planner planner) {
    return plan_within(problem, window, planner).has_value();
  };
  for (const Planner planner :
       {Planner::interval, Planner::chain, Planner::banded, Planner::greedy, Planner::search}) {
    problem.processors = 2;
    EXPECT_TRUE(finds({5, 5}, planner)) << name_of(planner);
    EXPECT_FALSE(finds({9, 9}, planner)) << name_of(planner);
    problem.processors = 1;
    EXPECT_FALSE(finds({0, 5}, planner)) << name_of(planner);
    problem.processors = 11;  // for ten leaves
    EXPECT_FALSE(finds({1, 10}, planner)) << name_of(planner);
  }
}

TEST(Planner, RefusesWhatTakesAnExactOneTooLong) {
  const Problem of_many{.tree = large_tree(), .processors = 8192, .cost = linear_cost(0, 1)};
  EXPECT_NE(refusal_within(of_many, {0, 65536}, Planner::chain)
                .find("narrow the window or use the banded planner"),
            std::string::npos);
  const Problem of_few{.tree = large_tree(), .processors = 4, .cost = linear_cost(1, 1)};
  EXPECT_NE(refusal_within(of_few, {0, 65536}, Planner::interval)
                .find("has more than 2000 places for cuts"),
            std::string::npos);
  const auto planned = plan_within(of_few, {0, 65536}, Planner::automatic);
  ASSERT_TRUE(planned.has_value());
  EXPECT_EQ(planned->planner, Planner::two_phase);
  EXPECT_FALSE(planned->exact);
  const Tree tree = page_tree();
  const Problem weighted{.tree = tree,
                         .processors = 2,
                         .cost = linear_cost(1, 1),
                         .mode = Mode::any,
                         .weights = std::vector<Index>(10, 1)};
  EXPECT_EQ(refusal_within(weighted, {5, 5}, Planner::search),
            "mode any plans leaves of weight 1 only");
}

TEST(Planner, AWindowWiderThanTheTreeIsThatOfTheTree) {
  const Problem problem{.tree = large_tree(), .processors = 2, .cost = linear_cost(0, 1)};
  const auto wide = plan_within(problem, {1, 70000}, Planner::chain);
  const auto exact = plan_within(problem, {1, 65535}, Planner::chain);
  ASSERT_TRUE(wide.has_value() && exact.has_value());
  EXPECT_EQ(wide->cost, exact->cost);
}

TEST(Subtrees, OfWeightedLeavesReachTheLeastMaximum) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 100; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 4, 13);
    Problem problem{
        .tree = tree, .processors = 3, .cost = linear_cost(1, 1), .mode = Mode::subtree};
    for (Index leaf = 0; leaf < tree.leaves(); ++leaf) {
      problem.weights.push_back(std::uniform_int_distribution<Index>(1, 5)(random));
    }
    const Index maximum = plan_min_imbalance(problem, Planner::subtrees).window.maximum;
    EXPECT_FALSE(exact_search(problem, {.minimum = 0, .maximum = maximum - 1}).has_value());
    EXPECT_TRUE(exact_search(problem, {.minimum = 0, .maximum = maximum}).has_value());
  }
}

TEST(Balance, NeedsACountOfEachProcessorAndItsSurfaceOrNone) {
  EXPECT_EQ(balance({4, 6}, {2, 0}, 1).imbalance(), 0);
  EXPECT_THROW(balance({}), Error);
  EXPECT_THROW(balance({4, 6}, {2}, 1), Error);
}

}  // namespace
}  // namespace cleave::splitting
