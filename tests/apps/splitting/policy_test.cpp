// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "apps/splitting/generators.hpp"
#include "apps/splitting/ledger.hpp"
#include "apps/splitting/online.hpp"
#include "apps/splitting/planner.hpp"
#include "tests/apps/splitting/random_trees.hpp"

namespace cleave::splitting {
namespace {

const CostModel kCost = linear_cost(1, 1);

std::vector<NamedPolicy> all_policies() {
  std::vector<NamedPolicy> all = policies_for(12, 4);
  all.push_back({"ahead at a deadline", {}, [](int) {
                   return ahead({.tolerance = 0.3, .min_leaves = 2, .early_parts = 2});
                 }});
  return all;
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
    for (const NamedPolicy& policy : all_policies()) {
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
    // A tree with the deepest level that refines mirrored: another future from then on.
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
    for (const NamedPolicy& policy : all_policies()) {
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

TEST(Bipartition, CostsTheLeastOfAllThatFillEveryProcessor) {
  const Curve curve({2, 2});
  const Tree tree = random_tree(curve, {2, 6}, 0.6, 1);
  const CostModel by_N = linear_cost(0, 1);
  const double minimum = simulate(tree, 16, by_N, recursive_bipartition()).cost();
  EXPECT_EQ(minimum, 3 * 4 + 12 * 16);
  for (const NamedPolicy& policy : all_policies()) {
    const Ledger ledger = simulate(tree, 16, by_N, policy.make());
    if (ledger.entries().size() == 15) {
      EXPECT_GE(ledger.cost(), minimum) << policy.name;
    }
  }
}

TEST(Ahead, MakesTheCutsOfSpreadOutEarlierOnAUniformTree) {
  const Curve curve({2, 2});
  const Tree tree = random_tree(curve, {5, 5}, 0, 1);
  const Ledger spread = simulate(tree, 64, linear_cost(0, 1), spread_out());
  const Ledger early = simulate(tree, 64, linear_cost(0, 1), ahead({.tolerance = 0}));
  EXPECT_EQ(balance(early.leaves_of_all()).imbalance(), 0);
  EXPECT_EQ(balance(spread.leaves_of_all()).imbalance(), 0);
  EXPECT_LT(early.cost(), spread.cost());
}

TEST(Hierarchically, GivesToNodesBeforeCores) {
  const Curve curve({2, 2});
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

TEST(Policy, CostsNoLessThanTheExactPlanWithItsLoads) {
  const CostModel by_N = linear_cost(0, 1);
  for (const char* source : {"random:max=6,p=0.65", "sphere:max=7", "point:max=9,min=3"}) {
    const Tree tree = tree_named(source);
    for (const NamedPolicy& policy : all_policies()) {
      const Ledger ledger = simulate(tree, 12, by_N, policy.make());
      const Balance even = balance(ledger.leaves_of_all());
      const auto optimum = plan_within(
          {.tree = tree, .processors = 12, .cost = by_N},
          {static_cast<Index>(even.minimum), static_cast<Index>(even.maximum)}, Planner::automatic);
      ASSERT_TRUE(optimum && optimum->exact) << policy.name;
      EXPECT_GE(ledger.cost(), optimum->cost) << policy.name << ' ' << source;
    }
  }
}

}  // namespace
}  // namespace cleave::splitting
