// SPDX-License-Identifier: Apache-2.0
#include "tests/apps/splitting/tournament.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include "apps/splitting/tree_source.hpp"
#include "apps/splitting/ledger/score.hpp"
#include "apps/splitting/online/simulate.hpp"
#include "apps/splitting/tree/generators.hpp"
#include "tests/apps/splitting/online_bound.hpp"
#include "tests/apps/splitting/outbid.hpp"
#include "tests/apps/splitting/random_trees.hpp"

namespace cleave::splitting {
namespace {

TEST(Compare, NamesWhatBeatsEachOfPeanosPoliciesOrWhyNothingCan) {
  int beaten = 0;
  for (const char* source : {"random:max=7,p=0.65", "sphere:max=8", "point:max=9,min=3"}) {
    const auto tree = spacetree::tree_named(source);
    for (const Comparison& row : compare(source, tree, 16, linear_cost(0, 1))) {
      EXPECT_TRUE(row.optimum_is_exact);
      EXPECT_GE(row.cost, row.optimum) << row.policy;
      beaten += row.beaten_by.empty() ? 0 : 1;
    }
  }
  EXPECT_GE(beaten, 6);
}

TEST(Outbid, CostsLessThanAnyPolicyThatSplitsAfterTheTreeCouldBeCut) {
  std::mt19937_64 random(8);
  const CostModel by_N = linear_cost(0, 1);
  int cheaper = 0;
  for (int i = 0; i < 300; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 6, 300);
    if (tree.l_min() < 1) continue;
    for (const auto& policy : spacetree::policies_for(8, 4, by_N)) {
      const Ledger other = simulate(tree, 8, by_N, policy.make());
      const Ledger ours = simulate(tree, 8, by_N, outbid(policy.make(), by_N));
      // One speculative split at stage 1 is all that may be lost.
      EXPECT_LE(ours.cost(), other.cost() + 4) << policy.name;
      cheaper += ours.cost() < other.cost() ? 1 : 0;
    }
  }
  EXPECT_GT(cheaper, 1000);
}

TEST(Outbid, MakesTheCutsOfAKnownTreeAsSoonAsItHasThem) {
  const Curve curve({2, 2}, CurveKind::hilbert);
  const Tree tree = random_tree(curve, {5, 5}, 0, 1);
  const CostModel by_N = linear_cost(0, 1);
  const Ledger other = simulate(tree, 64, by_N, spread_out(4));
  const Ledger ours = simulate(tree, 64, by_N, outbid(spread_out(4), by_N));
  EXPECT_EQ(other.cost(), 63 * 256);
  EXPECT_EQ(ours.cost(), 3 * 4 + 12 * 16 + 48 * 64);
  EXPECT_EQ(balance(ours.leaves_of_all()).imbalance(), 0);
}

/// Whether so many processors bring two parts to at most `most` leaves each.
bool enough(Index processors, Index left, Index right, Index maximum) {
  return (left + maximum - 1) / maximum + (right + maximum - 1) / maximum <= processors;
}

/// Brute force over every tree that the last step can make: the bound must hold where it says so.
TEST(OnlineBound, NoCutOfTheLastButOneStageIsSafeWhereItSaysSo) {
  std::mt19937_64 random(10);
  int bound = 0;
  for (int i = 0; i < 300; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 4, 60);
    const int processors = std::uniform_int_distribution(2, 6)(random);
    if (tree.l_max() <= tree.l_min() || tree.l_max() < 2 ||
        !early_split_loses_min_maximum(tree, processors)) {
      continue;
    }
    Growth growth(tree);
    while (growth.stage() < tree.l_max() - 1) growth.advance();
    for (Index cut = 1; cut < growth.leaves(); ++cut) {
      Index open_left = 0;
      Index open_right = 0;
      for (Index leaf = 0; leaf < growth.leaves(); ++leaf) {
        (leaf < cut ? open_left : open_right) += growth.open(leaf) ? 1 : 0;
      }
      bool lost = false;
      for (Index x = 0; x <= open_left; ++x) {
        for (Index y = 0; y <= open_right; ++y) {
          const Index left = cut + 3 * x;
          const Index right = growth.leaves() - cut + 3 * y;
          const Index maximum = (left + right + processors - 1) / processors;
          lost = lost || !enough(processors, left, right, maximum);
        }
      }
      EXPECT_TRUE(lost) << "tree " << i << ", cut " << cut;
    }
    ++bound;
  }
  EXPECT_GT(bound, 20);
}

TEST(OnlineBound, ATreeThatIsKnownCanBeSplitEarly) {
  const Curve curve({2, 2}, CurveKind::hilbert);
  EXPECT_FALSE(early_split_loses_min_maximum(random_tree(curve, {3, 3}, 0, 1), 2));
  EXPECT_TRUE(early_split_loses_min_maximum(random_tree(curve, {1, 5}, 0.5, 1), 2));
}

}  // namespace
}  // namespace cleave::splitting
