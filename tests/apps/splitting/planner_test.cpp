// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/planner.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <random>
#include <set>

#include <cleave/error.hpp>

#include "tests/apps/splitting/random_trees.hpp"

namespace cleave::splitting {

using namespace cleave::detail;
namespace {

/// (sum n, sum N), the pairs that no other pair beats in both.
using Pairs = std::set<std::pair<Index, Index>>;

/// Every legal sequence of splits in mode sfc, forwards: all sets of cuts made so far, with all
/// (sum n, sum N) that lead there. Knows nothing of intervals being independent.
class BruteForce {
 public:
  BruteForce(const Tree& tree, int processors) : tree_(tree), processors_(processors) {
    reached_[0] = {{0, 0}};
    for (int s = 0; s <= tree.l_max(); ++s) {
      // Cuts are only added, so that rising masks meet every predecessor first.
      for (auto& [cuts, pairs] : reached_) {
        extend(s, cuts, pairs);
      }
    }
  }

  /// By imbalance: the least cost of a sequence that reaches exactly that.
  std::map<Index, double> min_costs(double a1, double a2) const {
    std::map<Index, double> minimum;
    for (const auto& [cuts, pairs] : reached_) {
      const auto [known, is_new] =
          minimum.try_emplace(imbalance(cuts), std::numeric_limits<double>::infinity());
      for (const auto& [n, N] : pairs) {
        known->second =
            std::min(known->second, a1 * static_cast<double>(n) + a2 * static_cast<double>(N));
      }
    }
    return minimum;
  }

 private:
  void extend(int s, std::uint64_t cuts, const Pairs& pairs) {
    if (std::popcount(cuts) == processors_ - 1) {
      return;
    }
    for (Index c = 1; c < tree_.leaves(); ++c) {
      if ((cuts >> c & 1) != 0 || tree_.cut_stage()[static_cast<std::size_t>(c)] > s) {
        continue;
      }
      Index left = 0;  // leaves of stage s from the cut before c to c, and on to the one after
      for (Index x = c - 1; x >= 0; --x) {
        left += tree_.cut_stage()[static_cast<std::size_t>(x)] <= s ? 1 : 0;
        if ((cuts >> x & 1) != 0) break;
      }
      Index right = 0;
      for (Index x = c; x < tree_.leaves() && (cuts >> x & 1) == 0; ++x) {
        right += tree_.cut_stage()[static_cast<std::size_t>(x)] <= s ? 1 : 0;
      }
      for (const auto& [n, N] : pairs) {
        reached_[cuts | std::uint64_t{1} << c].insert(
            {n + std::min(left, right), N + tree_.leaves_at_stage(s)});
      }
    }
  }

  Index imbalance(std::uint64_t cuts) const {
    const bool all_used = std::popcount(cuts) == processors_ - 1;
    Index minimum = all_used ? tree_.leaves() : 0;
    Index maximum = 0;
    Index begin = 0;
    for (Index c = 1; c <= tree_.leaves(); ++c) {
      if (c == tree_.leaves() || (cuts >> c & 1) != 0) {
        minimum = std::min(minimum, c - begin);
        maximum = std::max(maximum, c - begin);
        begin = c;
      }
    }
    return maximum - minimum;
  }

  const Tree& tree_;
  int processors_;
  std::map<std::uint64_t, Pairs> reached_;
};

TEST(Planner, EqualsBruteForceOnAThousandTreesAtSixPriceRatios) {
  const std::pair<double, double> prices[] = {{0, 1}, {1, 10}, {1, 1}, {10, 1}, {1, 0}, {3, 2}};
  std::mt19937_64 random(1);
  for (int i = 0; i < 1000; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 4, 13);
    const int processors = std::uniform_int_distribution(1, 4)(random);
    const BruteForce brute_force(tree, processors);
    for (const auto& [a1, a2] : prices) {
      const Problem problem{.tree = tree, .processors = processors, .cost = linear_cost(a1, a2)};
      const std::map<Index, double> expected = brute_force.min_costs(a1, a2);
      const Planned minimum = plan_min_imbalance(problem, Planner::interval);
      ASSERT_EQ(minimum.cost, expected.begin()->second) << "tree " << i;
      const Ledger ledger = replay(tree, minimum.plan, problem.cost);
      ASSERT_EQ(ledger.cost(), minimum.cost);
      ASSERT_EQ(balance(ledger.leaves_of_all()).imbalance(), expected.begin()->first);
      ASSERT_EQ(plan_min_imbalance(problem, Planner::search).cost, minimum.cost);
      if (a1 == 0) {
        ASSERT_EQ(plan_min_imbalance(problem, Planner::chain).cost, minimum.cost);
      }
      std::vector<std::pair<Index, double>> front;
      for (const auto& [imbalance, cost] : expected) {
        if (front.empty() || cost < front.back().second) front.push_back({imbalance, cost});
      }
      const std::vector<FrontPoint> planned = plan_front(problem, Planner::automatic);
      ASSERT_EQ(planned.size(), front.size()) << "tree " << i;
      for (std::size_t at = 0; at < front.size(); ++at) {
        ASSERT_EQ(planned[at].imbalance, front[at].first) << "tree " << i;
        ASSERT_EQ(planned[at].planned.cost, front[at].second) << "tree " << i;
      }
    }
  }
}

TEST(Planner, ExactPlansHoldForAnyPriceOfNAndN) {
  std::mt19937_64 random(2);
  const CostModel stepped{.price = [](const SplitSize& size) {
    return static_cast<double>(size.n * size.n + size.N + (size.giver_leaves > 5 ? 3 : 0));
  }};
  for (int i = 0; i < 100; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 4, 13);
    for (const CostModel& cost :
         {stepped, CostCoefficients{.a1 = 1, .a2 = 0.5, .exponent = 1.5}.model()}) {
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
