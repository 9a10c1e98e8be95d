// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/tree.hpp"

#include <gtest/gtest.h>

#include <deque>
#include <random>

#include <cleave/error.hpp>
#include <cleave/frontier.hpp>

#include "tests/apps/splitting/random_trees.hpp"
#include "tests/support/mutations.hpp"

namespace cleave::splitting {
namespace {

/// A frontier of tree search: nodes in a deque, the oldest in front.
class Nodes {
 public:
  explicit Nodes(std::deque<int> nodes) : nodes_(std::move(nodes)) {}
  Index size() const { return static_cast<Index>(nodes_.size()); }
  Nodes take(Index n, Side side) {
    const auto cut = side == Side::front ? nodes_.begin() + n : nodes_.end() - n;
    Nodes taken(side == Side::front ? std::deque(nodes_.begin(), cut)
                                    : std::deque(cut, nodes_.end()));
    side == Side::front ? nodes_.erase(nodes_.begin(), cut) : nodes_.erase(cut, nodes_.end());
    return taken;
  }
  const std::deque<int>& nodes() const { return nodes_; }

 private:
  std::deque<int> nodes_;
};

TEST(Frontier, AStealTakesTheOldHalf) {
  Nodes victim({1, 2, 3, 4, 5});
  const Nodes stolen = divide(victim, {.left = 1, .total = 2}, Side::front);
  EXPECT_EQ(stolen.nodes(), (std::deque{1, 2}));
  EXPECT_EQ(victim.nodes(), (std::deque{3, 4, 5}));
}

TEST(Frontier, AHypercubeGroupOfFiveGivesTwoFifths) {
  LeafSet leaves(LeafRun{0, 100});
  const LeafSet half = divide(leaves, {.left = 2, .total = 5}, Side::back);
  EXPECT_EQ(half, LeafSet(LeafRun{60, 100}));
  EXPECT_EQ(leaves, LeafSet(LeafRun{0, 60}));
}

TEST(Frontier, OneNodeStaysUnderAnyShareBelowOne) {
  Nodes one({7});
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

TEST(Tree, RefusesLevelsThatDoNotFollowFromTheOnesAbove) {
  EXPECT_THROW(Tree({4, 2}, {}), Error);
  EXPECT_THROW(Tree({2, 4}, {}), Error);
  EXPECT_THROW(Tree({2, 2}, {{1}, {1, 0}}), Error);
  EXPECT_THROW(Tree({2, 2}, {{0}, {}}), Error);
  EXPECT_EQ(Tree({2, 2}, {{1}, {1, 0, 0, 0}}).leaves(), 7);
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

TEST(TreeFile, MistakesAreNamedByLineOrLevel) {
  const auto message = [](const std::string& text) -> std::string {
    try {
      parse_tree("t.tree", text);
    } catch (const FileError& e) {
      return e.what();
    }
    return "accepted";
  };
  for (const char* first : {"", "4 2", "2 5", "2  2", "2", "2,2", "2 2 1"}) {
    EXPECT_EQ(message(std::string(first) + "\n1\n"),
              "t.tree: line 1: '" + std::string(first) + "', expected 'k d', each 2 or 3");
  }
  EXPECT_EQ(message("2 2\n1\n1020\n"), "t.tree: line 3 column 3: '2', expected 0 or 1");
  EXPECT_EQ(message("2 2\n1\n100\n"),
            "t.tree: level 1 has 3 nodes, expected 4 (4 for each refined node above)");
  EXPECT_NE(message("2 2\n1\n10000\n").find("level 1 has 5 nodes"), std::string::npos);
  EXPECT_NE(message("2 2\n1\n0000\n0000\n").find("level 2 has 4 nodes, expected 0"),
            std::string::npos);
  EXPECT_NE(message("2 2\n1\n0000\n\n").find("level 2 has 0 nodes"), std::string::npos);
  std::string deep = "2 2\n1\n";
  for (int level = 1; level < 65536; ++level) {
    deep += "1000\n";
  }
  EXPECT_EQ(message(deep), "t.tree: 65536 levels, at most 65534 are allowed");
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
