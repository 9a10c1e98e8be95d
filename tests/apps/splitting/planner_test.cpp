// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/planner.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <random>

#include <cleave/error.hpp>

#include "tests/apps/splitting/random_trees.hpp"

namespace cleave::splitting {

using namespace cleave::detail;
namespace {

TEST(Planner, ExactPlansHoldForAnyPriceOfNAndN) {
  std::mt19937_64 random(2);
  const CostModel stepped{.price = [](const SplitSize& size) {
    return static_cast<double>(size.n * size.n + size.N + (size.giver_leaves > 5 ? 3 : 0));
  }};
  for (int i = 0; i < 300; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 4, 13);
    for (const CostModel& cost :
         {linear_cost(0, 1), linear_cost(10, 1), linear_cost(1, 10), stepped,
          CostCoefficients{.a1 = 1, .a2 = 0.5, .exponent = 1.5}.model()}) {
      const Problem problem{.tree = tree, .processors = 3, .cost = cost};
      const Planned by_intervals = plan_min_imbalance(problem, Planner::interval);
      const Planned by_search = plan_min_imbalance(problem, Planner::search);
      EXPECT_NEAR(by_intervals.cost, by_search.cost, 1e-9);
      EXPECT_NEAR(replay(tree, by_intervals.plan, cost).cost(), by_intervals.cost, 1e-9);
    }
  }
}

TEST(Planner, ChainAndIntervalKeepTheWindowAtTheSameCost) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 6, 150);
    const int processors = std::uniform_int_distribution(2, 9)(random);
    const Problem problem{.tree = tree, .processors = processors, .cost = linear_cost(0, 1)};
    const LoadWindow window = window_around_mean(problem, 0.2);
    const auto exact = plan_within(problem, window, Planner::chain);
    ASSERT_TRUE(exact.has_value());
    ASSERT_TRUE(exact->exact);
    const auto planned = plan_within(problem, window, Planner::interval);
    ASSERT_TRUE(planned.has_value());
    EXPECT_EQ(planned->cost, exact->cost);
    for (const Plan& plan : {exact->plan, planned->plan}) {
      const Ledger ledger = replay(tree, plan, problem.cost);
      EXPECT_EQ(ledger.cost(), exact->cost);
      for (const Index leaves : ledger.leaves_of_all()) {
        EXPECT_TRUE(window.holds(leaves)) << leaves;
      }
    }
  }
}

TEST(Planner, CutsFirstAndOrderAfterwardsLoseLittleAgainstTheExactPlan) {
  std::mt19937_64 random(4);
  double exact = 0;
  double chain = 0;
  for (int i = 0; i < 300; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 5, 60);
    const Problem problem{.tree = tree, .processors = 5, .cost = linear_cost(1, 1)};
    const double minimum = plan_min_imbalance(problem, Planner::interval).cost;
    const double quick = plan_min_imbalance(problem, Planner::chain).cost;
    EXPECT_LE(minimum, quick);
    exact += minimum;
    chain += quick;
  }
  EXPECT_LE(chain, 1.02 * exact);
}

TEST(Planner, RefusesWhatIsOutOfRange) {
  const Tree tree = page_tree();
  EXPECT_THROW(plan_min_imbalance({.tree = tree, .processors = 0, .cost = linear_cost(1, 1)}, {}),
               Error);
  EXPECT_THROW(linear_cost(-1, 1), Error);
  EXPECT_THROW(linear_cost(1, std::numeric_limits<double>::quiet_NaN()), Error);
  EXPECT_THROW(CostCoefficients{.exponent = 0.5}.model(), Error);
  const Problem problem{.tree = tree, .processors = 2, .cost = linear_cost(1, 1)};
  EXPECT_THROW(window_around_mean(problem, -0.1), Error);
}

Tree tree_too_large_for_the_search(std::mt19937_64& random) {
  Tree tree = random_small_tree(random, {2, 2}, 8, 400);
  while (tree.leaves() <= kMaxSearchLeaves) {
    tree = random_small_tree(random, {2, 2}, 8, 400);
  }
  return tree;
}

TEST(Planner, ATreeTooLargeForTheSearchIsPlannedAsSfcWhereThatIsLegal) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 30; ++i) {
    const Tree tree = tree_too_large_for_the_search(random);
    for (const Mode mode : {Mode::any, Mode::run, Mode::subtree, Mode::parent_owned}) {
      const Problem problem{.tree = tree, .processors = 6, .cost = linear_cost(1, 1), .mode = mode};
      EXPECT_THROW(plan_min_imbalance(problem, Planner::search), SearchTooLarge);
      if (mode == Mode::subtree || mode == Mode::parent_owned) {
        EXPECT_THROW(plan_min_imbalance(problem, Planner::automatic), SearchTooLarge);
        continue;
      }
      const Planned planned = plan_min_imbalance(problem, Planner::automatic);
      EXPECT_FALSE(planned.exact);
      EXPECT_EQ(planned.plan.mode, mode);
      const Ledger ledger = replay(tree, planned.plan, problem.cost);
      EXPECT_EQ(ledger.cost(), planned.cost);
      EXPECT_LE(balance(ledger.leaves_of_all()).imbalance(), 1);
      for (const LoadWindow narrow : {LoadWindow{0, 1}, LoadWindow{tree.leaves(), tree.leaves()}}) {
        EXPECT_FALSE(plan_within(problem, narrow, Planner::automatic).has_value());
      }
    }
  }
}

TEST(Planner, FindsNoPlanWhereNoneKeepsTheWindow) {
  const Tree tree = page_tree();
  Problem problem{.tree = tree, .processors = 2, .cost = linear_cost(1, 1)};
  const auto finds = [&](int processors, LoadWindow window, Planner planner) {
    problem.processors = processors;
    return plan_within(problem, window, planner).has_value();
  };
  for (const Planner planner : {Planner::interval, Planner::chain, Planner::search}) {
    EXPECT_TRUE(finds(2, {5, 5}, planner)) << name_of(planner);
    EXPECT_FALSE(finds(2, {9, 9}, planner)) << name_of(planner);
    EXPECT_FALSE(finds(1, {0, 5}, planner)) << name_of(planner);
    EXPECT_FALSE(finds(11, {1, 10}, planner)) << name_of(planner) << ": ten leaves";
  }
}

TEST(Planner, FrontsOfLargeTreesFallFromTheLeastImbalanceToNoSplit) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 5; ++i) {
    const Tree tree = tree_too_large_for_the_search(random);
    for (const Mode mode : {Mode::sfc, Mode::any, Mode::run}) {
      const Problem problem{.tree = tree, .processors = 6, .cost = linear_cost(0, 1), .mode = mode};
      const std::vector<FrontPoint> front = plan_front(problem, Planner::automatic);
      for (std::size_t at = 0; at < front.size(); ++at) {
        const Planned& planned = front[at].planned;
        const Ledger ledger = replay(tree, planned.plan, problem.cost);
        EXPECT_EQ(ledger.mode(), mode);
        EXPECT_EQ(ledger.cost(), planned.cost);
        EXPECT_LE(balance(ledger.leaves_of_all()).imbalance(), front[at].imbalance);
        if (at > 0) {
          EXPECT_LT(planned.cost, front[at - 1].planned.cost);
          EXPECT_GT(front[at].imbalance, front[at - 1].imbalance);
        }
      }
      EXPECT_TRUE(front.back().planned.plan.splits.empty());
      EXPECT_LE(front.front().imbalance, 1);
    }
  }
}

}  // namespace
}  // namespace cleave::splitting
