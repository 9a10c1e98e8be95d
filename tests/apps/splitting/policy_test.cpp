// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/online/policy.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "random_trees.hpp"
#include "apps/splitting/ledger/score.hpp"
#include "apps/splitting/offline/planner.hpp"
#include "apps/splitting/online/simulate.hpp"
#include "apps/splitting/tree/generators.hpp"

namespace cleave::splitting {
namespace {

const CostModel kCost = linear_cost(1, 1);

struct Named {
  const char* name;
  std::function<Policy()> make;
};

std::vector<Named> all_policies() {
  return {{"spread_out", [] { return spread_out(); }},
          {"stagnates", [] { return spread_out_once_grid_stagnates(); }},
          {"hierarchically", [] { return spread_out_hierarchically(3); }},
          {"bipartition", [] { return recursive_bipartition(); }},
          {"oversized", [] { return split_oversized_tree(5); }},
          {"cascade",
           [] {
             return cascade({spread_out(2), split_oversized_tree(3), recursive_bipartition()});
           }},
          {"wait", [] { return wait(); }},
          {"reserve", [] { return reserve(2); }},
          {"budgeted", [] { return budgeted(300, kCost); }},
          {"ahead", [] { return ahead({.tolerance = 0.2}); }},
          {"ahead with idle",
           [] { return ahead({.tolerance = 0.3, .min_leaves = 2, .kept_idle = 2}); }},
          {"paced", [] { return paced(3); }},
          {"weighted", [] { return weighted(); }}};
}

Index max_leaves(const Ledger& ledger) {
  const auto leaves = ledger.leaves_of_all();
  return *std::max_element(leaves.begin(), leaves.end());
}

TEST(Policy, EveryPolicySplitsLegallyOnAnyTree) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 200; ++i) {
    const Tree tree = random_small_tree(random, {i % 2 + 2, 2}, 6, 250);
    const int processors = std::uniform_int_distribution(1, 12)(random);
    for (const Named& policy : all_policies()) {
      EXPECT_NO_THROW(simulate(tree, processors, kCost, policy.make())) << policy.name;
    }
  }
}

/// Two trees that agree up to some stage, l_min and l_max look the same until then.
TEST(Policy, DecidesTheSameWhileTheFutureDiffersOnly) {
  std::mt19937_64 random(2);
  int compared = 0;
  for (int i = 0; i < 200; ++i) {
    const Tree one = random_small_tree(random, {2, 2}, 5, 200);
    // The same tree with the deepest level that refines mirrored: another future from then on.
    std::vector<std::vector<std::uint8_t>> levels;
    for (int level = 0; level < one.l_max(); ++level) {
      auto& row = levels.emplace_back();
      for (Index node = 0; node < one.nodes_of_level(level); ++node) {
        row.push_back(one.refined(level, node) ? 1 : 0);
      }
    }
    if (levels.size() < 2) continue;
    std::reverse(levels.back().begin(), levels.back().end());
    const Tree other({2, 2}, levels);
    ASSERT_EQ(other.l_max(), one.l_max());
    if (other.l_min() != one.l_min()) continue;
    const int common = one.l_max() - 1;
    for (const Named& policy : all_policies()) {
      const auto until_common = [&](const Tree& tree) {
        std::vector<Split> splits = simulate(tree, 6, kCost, policy.make()).plan().splits;
        std::erase_if(splits, [&](const Split& split) { return split.stage > common; });
        return splits;
      };
      EXPECT_EQ(until_common(one), until_common(other)) << policy.name;
      ++compared;
    }
  }
  EXPECT_GT(compared, 500);
}

TEST(Reserve, KeepsItsBoundOnTenThousandRandomTrees) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 10000; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 6, 120);
    const int processors = std::uniform_int_distribution(2, 16)(random);
    const int parts = std::uniform_int_distribution(1, processors - 1)(random);
    const Ledger ledger = simulate(tree, processors, kCost, reserve(parts));
    const Index spare = processors - parts;
    ASSERT_LE(max_leaves(ledger), (tree.leaves() + spare - 1) / spare)
        << "tree " << i << ", P = " << processors << ", G = " << parts;
  }
}

TEST(Wait, ReachesTheLeastImbalance) {
  std::mt19937_64 random(4);
  for (int i = 0; i < 100; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 5, 150);
    const Ledger ledger = simulate(tree, 7, kCost, wait());
    EXPECT_LE(balance(ledger.leaves_of_all()).imbalance(), 1);
    for (const Entry& entry : ledger.entries()) {
      EXPECT_EQ(entry.split.stage, tree.l_max());
    }
  }
}

TEST(Budgeted, NeverSpendsMoreThanItsBudget) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 300; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 6, 300);
    const double budget = std::uniform_real_distribution(0.0, 2000.0)(random);
    EXPECT_LE(simulate(tree, 8, kCost, budgeted(budget, kCost)).cost(), budget);
  }
}

TEST(Bipartition, CostsTheLeastOfAllThatFillEveryProcessor) {
  const Curve curve({2, 2}, CurveKind::hilbert);
  const Tree tree = random_tree(curve, {2, 6}, 0.6, 1);
  const CostModel by_N = linear_cost(0, 1);
  const double minimum = simulate(tree, 16, by_N, recursive_bipartition()).cost();
  EXPECT_EQ(minimum, 3 * 4 + 12 * 16);
  for (const Named& policy : all_policies()) {
    const Ledger ledger = simulate(tree, 16, by_N, policy.make());
    if (ledger.entries().size() == 15) {
      EXPECT_GE(ledger.cost(), minimum) << policy.name;
    }
  }
}

TEST(Ahead, MakesTheCutsOfSpreadOutEarlierOnAUniformTree) {
  const Curve curve({2, 2}, CurveKind::hilbert);
  const Tree tree = random_tree(curve, {5, 5}, 0, 1);
  const Ledger spread = simulate(tree, 64, linear_cost(0, 1), spread_out());
  const Ledger early = simulate(tree, 64, linear_cost(0, 1), ahead({.tolerance = 0}));
  EXPECT_EQ(balance(early.leaves_of_all()).imbalance(), 0);
  EXPECT_EQ(balance(spread.leaves_of_all()).imbalance(), 0);
  EXPECT_LT(early.cost(), spread.cost());
}

TEST(OnlineView, InheritsThePartsThatTheLedgerHas) {
  std::mt19937_64 random(9);
  for (int i = 0; i < 100; ++i) {
    const Tree tree = random_small_tree(random, {i % 2 + 2, 2}, 5, 200);
    std::optional<OnlineView> before;
    const Policy watch = [&, split = recursive_bipartition()](const OnlineView& view) {
      if (before && before->stage() < view.stage()) {
        OnlineView now = view;
        now.inherit_parts(*before);
        for (int p = 0; p < view.processors(); ++p) {
          EXPECT_EQ(now.part(p), view.part(p));
        }
        if (view.stage() <= view.l_min()) {
          EXPECT_EQ(before->refined().leaves(), view.leaves());
        }
      }
      const auto give = split(view);
      before = view;
      if (give) before->give(give->giver, give->receiver, give->n, give->side);
      return give;
    };
    simulate(tree, 40, kCost, watch);
  }
}

TEST(Hierarchically, GivesToNodesBeforeCores) {
  const Curve curve({2, 2}, CurveKind::hilbert);
  const Tree tree = random_tree(curve, {4, 4}, 0, 1);
  const Ledger ledger = simulate(tree, 16, kCost, spread_out_hierarchically(4));
  ASSERT_EQ(ledger.entries().size(), 15U);
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(ledger.entries()[i].split.receiver % 4, 0);
    EXPECT_EQ(ledger.entries()[i].split.stage, 1);
  }
  for (const Entry& entry : ledger.entries()) {
    const int p = entry.split.receiver;
    EXPECT_EQ(entry.split.giver, p % 4 != 0 ? p / 4 * 4 : 0);
  }
}

TEST(Oversized, SplitsNoPartThatIsSmallEnough) {
  std::mt19937_64 random(6);
  for (int i = 0; i < 50; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 6, 200);
    const Ledger ledger = simulate(tree, 500, kCost, split_oversized_tree(9));
    EXPECT_LE(max_leaves(ledger), 9);
    for (const Entry& entry : ledger.entries()) EXPECT_GT(entry.size.giver_leaves, 9);
  }
}

TEST(Hardcoded, ReplaysAnOfflinePlanAtTheSameCost) {
  const Curve curve({2, 2}, CurveKind::hilbert);
  const Tree tree = random_tree(curve, {2, 5}, 0.5, 3);
  const Problem problem{.tree = tree, .processors = 6, .cost = kCost};
  const Planned planned = plan_min_imbalance(problem, Planner::automatic);
  const Ledger ledger = simulate(tree, 6, kCost, hardcoded(planned.plan));
  EXPECT_EQ(ledger.plan().splits, planned.plan.splits);
  EXPECT_EQ(ledger.cost(), planned.cost);
}

TEST(Cascade, GoesOnWhenOneStagnates) {
  const Curve curve({2, 2}, CurveKind::hilbert);
  const Tree tree = random_tree(curve, {4, 4}, 0, 1);
  // The first policy knows one split, at stage 1. At stage 2 it has none, so the second one fills
  // the other six processors there; without stagnation it would have begun at stage 1.
  const Plan one_split{.processors = 8,
                       .splits = {{.stage = 1, .receiver = 1, .leaves = LeafSet(LeafRun{2, 4})}}};
  const Ledger ledger =
      simulate(tree, 8, kCost, cascade({hardcoded(one_split), recursive_bipartition()}));
  ASSERT_EQ(ledger.entries().size(), 7U);
  EXPECT_EQ(ledger.entries()[0].split.stage, 1);
  for (std::size_t i = 1; i < 7; ++i) {
    EXPECT_EQ(ledger.entries()[i].split.stage, 2);
  }
}

TEST(Weighted, SplitsByTheIndicatorOfTheCaller) {
  // The first of four cells will hold 25 leaves, and the caller knows.
  const Tree tree = tree_of({2, 2}, {"1", "1000", "1111", "1000000000000000", "1000"});
  const Indicate knows = [](const Growth& growth) {
    Indicator weights;
    for (Index leaf = 0; leaf < growth.leaves(); ++leaf) {
      weights.push_back(
          static_cast<double>(growth.first_final(leaf + 1) - growth.first_final(leaf)));
    }
    return weights;
  };
  const Ledger blind = simulate(tree, 2, kCost, weighted());
  const Ledger informed = simulate(tree, 2, kCost, weighted(), knows);
  EXPECT_LE(max_leaves(informed), max_leaves(blind));
  EXPECT_LT(max_leaves(informed), tree.leaves());
}

TEST(Guided, ReachesTheSameTreeAndCanBeReplayed) {
  std::mt19937_64 random(7);
  for (int i = 0; i < 50; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 5, 120);
    const GuidedPolicy policy{.split = recursive_bipartition(), .allow = allow_lightest_part};
    const Ledger ledger = simulate_guided(tree, 5, kCost, policy);
    EXPECT_EQ(ledger.growth().leaves(), tree.leaves());
    const Ledger again = replay(tree, ledger.plan(), kCost);
    EXPECT_EQ(again.leaves_of_all(), ledger.leaves_of_all());
    EXPECT_EQ(again.cost(), ledger.cost());
  }
}

}  // namespace
}  // namespace cleave::splitting
