// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/tree.hpp"

#include <gtest/gtest.h>

#include <random>

#include <cleave/error.hpp>
#include <cleave/frontier.hpp>

#include "tests/apps/splitting/random_trees.hpp"
#include "tests/support/mutations.hpp"

namespace cleave::splitting {
namespace {

TEST(Frontier, IsDividedByShares) {
  LeafSet leaves(LeafRun{0, 100});  // a group of five gives two fifths
  EXPECT_EQ(divide(leaves, {.left = 2, .total = 5}, Side::back), LeafSet(LeafRun{60, 100}));
  EXPECT_EQ(leaves, LeafSet(LeafRun{0, 60}));
  LeafSet victim(LeafRun{1, 6});  // a thief takes the old half
  EXPECT_EQ(divide(victim, {.left = 1, .total = 2}, Side::front), LeafSet(LeafRun{1, 3}));
  LeafSet one(LeafRun{7, 8});
  EXPECT_EQ(divide(one, {.left = 3, .total = 4}, Side::front).size(), 0);
  EXPECT_EQ(one.size(), 1);
}

TEST(LeafSet, TakesAndRemovesAcrossRuns) {
  LeafSet set(std::vector<LeafRun>{{0, 2}, {5, 8}});
  EXPECT_EQ(set.size(), 5);
  EXPECT_TRUE(set.contains_all(LeafSet(std::vector<LeafRun>{{1, 2}, {6, 7}})));
  EXPECT_FALSE(set.contains_all(LeafSet(LeafRun{1, 6})));
  LeafSet without = set;
  without.remove(LeafSet(LeafRun{6, 7}));
  EXPECT_EQ(without, LeafSet(std::vector<LeafRun>{{0, 2}, {5, 6}, {7, 8}}));
  EXPECT_EQ(set.take(3, Side::back), LeafSet(LeafRun{5, 8}));
  EXPECT_EQ(set, LeafSet(LeafRun{0, 2}));
  EXPECT_THROW(LeafSet(std::vector<LeafRun>{{0, 3}, {2, 4}}), Error);
  EXPECT_THROW(LeafSet(std::vector<LeafRun>{{3, 3}}), Error);
}

TEST(Growth, StagesHaveTheLeavesThatTheTreeCounts) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 100; ++i) {
    const Tree tree = random_small_tree(random, {i % 2 + 2, i % 3 == 0 ? 3 : 2}, 5, 300);
    Growth growth(tree);
    for (int s = 0; s <= tree.l_max(); ++s) {
      ASSERT_EQ(growth.leaves(), tree.leaves_at_stage(s));
      for (Index leaf = 0; leaf < growth.leaves(); ++leaf) {
        ASSERT_EQ(growth.leaf_at(growth.first_final(leaf)), leaf);
        ASSERT_LE(tree.cut_stage()[static_cast<std::size_t>(growth.first_final(leaf))], s);
      }
      growth.advance();
    }
    EXPECT_EQ(growth.leaves(), tree.leaves());
  }
}

TEST(TreeFile, WritesWhatItReads) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 50; ++i) {
    const Tree tree = random_small_tree(random, {i % 2 + 2, 2}, 5, 200);
    const std::string text = tree_text(tree);
    const Tree again = parse_tree("t", text);
    EXPECT_EQ(tree_text(again), text);
    EXPECT_EQ(again.fingerprint(), tree.fingerprint());
  }
  EXPECT_EQ(parse_tree("t", "2 2\n").leaves(), 1);
  EXPECT_EQ(parse_tree("t", "2 2\n0\n").leaves(), 1);
  EXPECT_EQ(parse_tree("t", "3 2\r\n1\r\n").leaves(), 9);
}

TEST(TreeFile, DamagedTextIsRefusedOrATreeNeverACrash) {
  std::mt19937_64 trees(4);
  std::mt19937 random(4);
  const std::string text = tree_text(random_small_tree(trees, {2, 2}, 5, 100));
  int refused = 0;
  for (int i = 0; i < 20000; ++i) {
    const std::string damaged = cleave::testing::damaged(text, random);
    try {
      const Tree tree = parse_tree("t", damaged);
      EXPECT_GE(tree.leaves(), 1);
    } catch (const FileError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 1000);
}

}  // namespace
}  // namespace cleave::splitting
