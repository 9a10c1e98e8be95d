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
const CostModel kByTree = linear_cost(0, 1);

std::vector<NamedPolicy> all_policies() {
  std::vector<NamedPolicy> all = policies_for(12, 4);
  all.push_back({"ahead at a deadline", {}, [](int) {
                   return ahead({.tolerance = 0.3, .min_leaves = 2, .early_parts = 2});
                 }});
  return all;
}

/// Two trees that agree up to some stage, l_min and l_max look the same until then.
TEST(Policy, SplitsLegallyAndDecidesTheSameWhileTheFutureDiffersOnly) {
  std::mt19937_64 random(2);
  int compared = 0;
  for (int i = 0; i < 400; ++i) {
    const Tree one = random_small_tree(random, {i % 4 == 0 ? 3 : 2, 2}, 5, 200);
    const int processors = std::uniform_int_distribution(1, 12)(random);
    // A tree with the deepest level that refines mirrored: another future from then on.
    const int common = one.l_max() - 1;
    std::vector<std::vector<std::uint8_t>> levels;
    for (int level = 0; level <= common; ++level) {
      auto& row = levels.emplace_back();
      for (Index node = 0; node < one.nodes_of_level(level); ++node) {
        row.push_back(one.refined(level, node) ? 1 : 0);
      }
    }
    std::reverse(levels.back().begin(), levels.back().end());
    const Tree other(one.shape(), levels);
    for (const NamedPolicy& policy : all_policies()) {
      const auto until_common = [&](const Tree& tree) {
        std::vector<Split> splits = simulate(tree, processors, kCost, policy.make()).plan().splits;
        std::erase_if(splits, [&](const Split& split) { return split.stage > common; });
        return splits;
      };
      const std::vector<Split> splits = until_common(one);
      if (other.l_min() == one.l_min()) {
        EXPECT_EQ(splits, until_common(other)) << policy.name;
        ++compared;
      }
    }
  }
  EXPECT_GT(compared, 500);
}

TEST(Policy, KeepsTheBoundThatItPromisesOnRandomTrees) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 10000; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 6, 120);
    const int processors = std::uniform_int_distribution(2, 16)(random);
    const int parts = std::uniform_int_distribution(1, processors - 1)(random);
    SCOPED_TRACE(::testing::Message() << "P = " << processors << ", G = " << parts);
    const auto balance_of = [](const Ledger& ledger) { return balance(ledger.leaves_of_all()); };
    const Index spare = processors - parts;
    ASSERT_LE(balance_of(simulate(tree, processors, kCost, reserve(parts))).maximum,
              (tree.leaves() + spare - 1) / spare);
    if (i >= 100) continue;
    const Ledger waited = simulate(tree, processors, kCost, wait());
    EXPECT_LE(balance_of(waited).imbalance(), 1);
    for (const Entry& entry : waited.entries()) EXPECT_EQ(entry.split.stage, tree.l_max());
    const Ledger small = simulate(tree, 500, kCost, split_oversized_tree(9));
    EXPECT_LE(balance_of(small).maximum, 9);
    for (const Entry& entry : small.entries()) EXPECT_GT(entry.size.giver_leaves, 9);
  }
}

TEST(Bipartition, CostsTheLeastOfAllThatFillEveryProcessor) {
  const Tree tree = random_tree(Curve({2, 2}), {2, 6}, 0.6, 1);
  const double minimum = simulate(tree, 16, kByTree, recursive_bipartition()).cost();
  EXPECT_EQ(minimum, 3 * 4 + 12 * 16);
  for (const NamedPolicy& policy : all_policies()) {
    const Ledger ledger = simulate(tree, 16, kByTree, policy.make());
    EXPECT_TRUE(ledger.entries().size() < 15 || ledger.cost() >= minimum) << policy.name;
  }
}

TEST(Ahead, MakesTheCutsOfSpreadOutEarlierOnAUniformTree) {
  const Tree tree = random_tree(Curve({2, 2}), {5, 5}, 0, 1);
  const Ledger spread = simulate(tree, 64, kByTree, spread_out());
  const Ledger early = simulate(tree, 64, kByTree, ahead({.tolerance = 0}));
  EXPECT_EQ(balance(early.leaves_of_all()).imbalance(), 0);
  EXPECT_EQ(balance(spread.leaves_of_all()).imbalance(), 0);
  EXPECT_LT(early.cost(), spread.cost());
}

TEST(Hierarchically, GivesToNodesBeforeCores) {
  const Tree tree = random_tree(Curve({2, 2}), {4, 4}, 0, 1);
  const Ledger ledger = simulate(tree, 16, kCost, spread_out_hierarchically(4));
  ASSERT_EQ(ledger.entries().size(), 15U);
  for (std::size_t i = 0; i < 15; ++i) {
    const auto& [stage, giver, receiver, leaves] = ledger.entries()[i].split;
    EXPECT_TRUE(i >= 3 || (receiver % 4 == 0 && stage == 1));
    EXPECT_EQ(giver, receiver % 4 != 0 ? receiver / 4 * 4 : 0);
  }
}

TEST(Policy, CostsNoLessThanTheExactPlanWithItsLoads) {
  for (const char* source : {"random:max=6,p=0.65", "sphere:max=7", "point:max=9,min=3"}) {
    const Tree tree = tree_named(source);
    for (const NamedPolicy& policy : all_policies()) {
      const Ledger ledger = simulate(tree, 12, kByTree, policy.make());
      const Balance even = balance(ledger.leaves_of_all());
      const auto optimum = plan_within(
          {.tree = tree, .processors = 12, .cost = kByTree},
          {static_cast<Index>(even.minimum), static_cast<Index>(even.maximum)}, Planner::automatic);
      ASSERT_TRUE(optimum && optimum->exact) << policy.name;
      EXPECT_GE(ledger.cost(), optimum->cost) << policy.name << ' ' << source;
    }
  }
}

}  // namespace
}  // namespace cleave::splitting
