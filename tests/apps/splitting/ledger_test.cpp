// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/ledger.hpp"

#include <gtest/gtest.h>

#include <random>
#include <tuple>

#include <cleave/error.hpp>

#include "tests/apps/splitting/random_trees.hpp"
#include "tests/support/message_of.hpp"

namespace cleave::splitting {
namespace {

/// Promises of every ledger at every time.
void expect_invariants(const Ledger& ledger) {
  const Growth& growth = ledger.growth();
  const Tree& tree = growth.tree();
  std::vector<int> owner(static_cast<std::size_t>(growth.leaves()), -1);
  for (int p = 0; p < ledger.processors(); ++p) {
    for (const LeafRun& run : ledger.part(p).runs()) {
      for (Index leaf = run.begin; leaf < run.end; ++leaf) {
        ASSERT_EQ(std::exchange(owner[static_cast<std::size_t>(leaf)], p), -1) << "two owners";
        ASSERT_EQ(ledger.owner(growth.level(leaf), growth.node(leaf)), p);
      }
    }
  }
  EXPECT_EQ(std::count(owner.begin(), owner.end(), -1), 0) << "leaf without owner";
  EXPECT_EQ(ledger.owner(0, 0), 0) << "processor 0 owns the root";
  // The page: a node whose parent and at least one child belong to one processor belongs to it.
  for (int level = 1; level < std::min(tree.l_max(), growth.stage()); ++level) {
    for (Index node = 0; node < tree.nodes_of_level(level); ++node) {
      const int above = ledger.owner(level - 1, tree.parent(level, node));
      for (Index i = 0; tree.refined(level, node) && i < tree.children(); ++i) {
        if (ledger.owner(level + 1, tree.first_child(level, node) + i) == above) {
          ASSERT_EQ(ledger.owner(level, node), above);
        }
      }
    }
  }
  double cost = 0;
  for (const Entry& entry : ledger.entries()) {
    EXPECT_EQ(entry.size.n, entry.split.leaves.size());
    EXPECT_LT(entry.size.n, entry.size.giver_leaves);
    EXPECT_EQ(entry.size.N, tree.leaves_at_stage(entry.split.stage));
    cost += entry.cost;
  }
  EXPECT_EQ(ledger.cost(), cost);
  EXPECT_EQ(cost, static_cast<double>(2 * ledger.sum_n() + 3 * ledger.sum_N()));
}

/// Whether a split is legal, from the definitions, leaf by leaf.
bool is_legal(const Ledger& ledger, int giver, int receiver, const LeafSet& leaves) {
  const auto exists = [&](int p) { return p >= 0 && p < ledger.processors(); };
  if (!exists(giver) || !exists(receiver) || ledger.leaves_of(receiver) > 0) return false;
  const Growth& growth = ledger.growth();
  const Tree& tree = growth.tree();
  std::vector<Index> mine;
  for (Index leaf = 0; leaf < growth.leaves(); ++leaf) {
    if (ledger.owner(growth.level(leaf), growth.node(leaf)) == giver) mine.push_back(leaf);
  }
  const auto moved = [&](Index leaf) { return leaves.count_in({leaf, leaf + 1}) == 1; };
  const Index moving = std::ranges::count_if(mine, moved);
  if (moving == 0 || moving != leaves.size() || moving == std::ssize(mine)) return false;
  int changes = 0;
  for (std::size_t i = 1; i < mine.size(); ++i) changes += moved(mine[i]) != moved(mine[i - 1]);
  switch (ledger.mode()) {
    case Mode::any:
      return true;
    case Mode::sfc:
      return changes == 1;
    case Mode::run:
      return changes == 1 || (changes == 2 && !moved(mine.front()));
    case Mode::subtree:
      for (int level = 0; level <= std::min(growth.stage(), tree.l_max()); ++level) {
        for (Index node = 0; node < tree.nodes_of_level(level); ++node) {
          const Index begin = tree.first_leaf(level, node);
          const Index end = begin + tree.leaves_below(level, node);
          const auto is_as_below = [&](Index leaf) {
            const Index at = growth.first_final(leaf);
            return (begin <= at && at < end && growth.level(leaf) >= level) == moved(leaf);
          };
          if (std::ranges::all_of(mine, is_as_below)) return true;
        }
      }
      return false;
    case Mode::parent_owned:
      return std::ranges::none_of(mine, [&](Index leaf) {
        const int level = growth.level(leaf);
        const Index parent = moved(leaf) ? tree.parent(level, growth.node(leaf)) : 0;
        return moved(leaf) && ledger.owner(level - 1, parent) != giver;
      });
  }
  return false;
}

TEST(Ledger, AllowsExactlyTheLegalSplitsAndKeepsItsInvariants) {
  std::mt19937_64 random(1);
  const auto draw = [&](Index low, Index high) {
    return std::uniform_int_distribution<Index>(low, high)(random);
  };
  int made = 0;
  int refused = 0;
  for (int i = 0; i < 2000; ++i) {
    const Tree tree = random_small_tree(random, {2, i % 4 == 0 ? 3 : 2}, 4, 40);
    const Mode mode = static_cast<Mode>(i % 5);
    Ledger ledger(tree, static_cast<int>(draw(1, 6)), mode, linear_cost(2, 3));
    for (int s = 0; s <= tree.l_max(); ++s, ledger.advance()) {
      for (int tries = 0; tries < 10; ++tries) {
        const int giver = static_cast<int>(draw(-1, ledger.processors()));
        const int receiver = static_cast<int>(draw(-1, ledger.processors()));
        const Index first = draw(0, ledger.growth().leaves() - 1);
        LeafSet leaves(LeafRun{first, first + draw(1, 4)});
        if (tries % 2 == 0 && giver >= 0 && giver < ledger.processors()) {  // any of its leaves
          std::vector<Index> chosen;
          for (Index leaf = 0; leaf < ledger.growth().leaves(); ++leaf) {
            const bool is_givers = ledger.part(giver).count_in({leaf, leaf + 1}) == 1;
            if (is_givers && draw(0, 1) == 0) chosen.push_back(leaf);
          }
          leaves = LeafSet::of_positions(chosen);
        }
        const bool legal = is_legal(ledger, giver, receiver, leaves);
        const std::vector<Index> before = ledger.leaves_of_all();
        const std::size_t entries = ledger.entries().size();
        try {
          ledger.split(giver, receiver, leaves);
          ++made;
          ASSERT_TRUE(legal) << name_of(mode);
          EXPECT_EQ(ledger.leaves_of(receiver), leaves.size());
        } catch (const Error&) {
          ++refused;
          ASSERT_FALSE(legal) << name_of(mode);
          EXPECT_EQ(ledger.leaves_of_all(), before) << "a refused split changed something";
          EXPECT_EQ(ledger.entries().size(), entries);
        }
      }
      expect_invariants(ledger);
    }
    EXPECT_EQ(replay(tree, ledger.plan(), linear_cost(2, 3)).leaves_of_all(),
              ledger.leaves_of_all());
  }
  EXPECT_GT(made, 1000);
  EXPECT_GT(refused, 1000);
}

TEST(Ledger, RefusalsNameValueAndRule) {
  const Tree tree = page_tree();
  Ledger ledger(tree, 3, Mode::sfc, linear_cost(1, 1));
  ledger.advance();
  ledger.split(0, 1, 1, Side::front);
  const std::string would = "processor 0 would give ";
  const std::tuple<int, LeafSet, std::string> rows[] = {
      {3, LeafSet(LeafRun{0, 1}), "processor 3 does not exist, there are 3 from 0 on"},
      {2, LeafSet(), "no leaves would move, at least 1 must"},
      {2, LeafSet(LeafRun{2, 3}), would + "1 leaves from leaf 2 on, which mode sfc does not allow"},
      {1, LeafSet(LeafRun{1, 2}), "processor 1 would receive leaves, but owns 1 already"},
      {2, LeafSet(LeafRun{0, 2}), would + "2 leaves from leaf 0 on, but does not own all of them"},
      {2, LeafSet(LeafRun{1, 4}),
       would + "3 leaves from leaf 1 on, but 1 of its leaves must stay"}};
  for (const auto& [receiver, leaves, message] : rows) {
    EXPECT_EQ(testing::message_of([&] { ledger.split(0, receiver, leaves); }), message);
  }
  EXPECT_THROW(ledger.split(0, 2, 3, Side::front), Error);
  EXPECT_THROW(Ledger(tree, 0, Mode::sfc, linear_cost(1, 1)), Error);
  Ledger negative(tree, 2, Mode::sfc, {.price = [](const SplitSize&) { return -1.0; }});
  negative.advance();
  EXPECT_THROW(negative.split(0, 1, 1, Side::front), Error);
}

TEST(Ledger, InteriorNodesFollowWhenAllTheirChildrenLeaveTogether) {
  const Tree tree = parse_tree("t", "2 2\n1\n1000\n");
  for (const Index leaves : {4, 3}) {
    Ledger ledger(tree, 3, Mode::sfc, linear_cost(1, 1));
    ledger.advance();
    ledger.advance();
    ledger.split(0, 1, leaves, Side::front);
    EXPECT_EQ(ledger.owner(1, 0), leaves == 4 ? 1 : 0);
    EXPECT_EQ(ledger.owner(0, 0), 0);
  }
}

/// A split of `leaves` consecutive leaves from `first` on.
Split move(int stage, int giver, int receiver, Index first, Index leaves) {
  return {stage, giver, receiver, LeafSet(LeafRun{first, first + leaves})};
}

/// Every figure of the examples of the Peano page "Load balancing strategies".
TEST(Ledger, ChargesForThePagesExamplesWhatItSays) {
  struct Row {
    std::vector<Split> splits;
    Index sum_n;
    Index sum_N;
    double imbalance;
  };
  const Row rows[] = {
      // Two processors. The page's 2 C2 in the score of the second is a slip.
      {{move(1, 0, 1, 0, 1)}, 1, 4, 4},
      {{move(2, 0, 1, 0, 2)}, 2, 7, 0},
      {{move(3, 0, 1, 0, 5)}, 5, 10, 0},
      // Three: 0 keeps the leaves of level 1; the seven beside them are divided into 3 and 4.
      {{move(2, 0, 1, 0, 4), move(3, 1, 2, 0, 3)}, 7, 17, 1},
      {{move(2, 0, 1, 0, 4), move(3, 1, 2, 4, 3)}, 7, 17, 1},
      {{move(1, 0, 1, 0, 1), move(3, 1, 2, 0, 3)}, 4, 14, 1},
      {{move(1, 0, 1, 0, 1), move(2, 1, 2, 0, 1)}, 2, 11, 1}};
  const Tree tree = page_tree();
  for (const auto& [splits, sum_n, sum_N, imbalance] : rows) {
    const int processors = static_cast<int>(splits.size()) + 1;
    const Ledger ledger = replay(
        tree, {.processors = processors, .mode = Mode::any, .splits = splits}, linear_cost(3, 5));
    EXPECT_EQ(std::tuple(ledger.sum_n(), ledger.sum_N()), std::tuple(sum_n, sum_N));
    EXPECT_EQ(ledger.cost(), static_cast<double>(3 * sum_n + 5 * sum_N));
    const Balance even = balance(ledger.leaves_of_all());
    EXPECT_EQ(even.imbalance(), imbalance);
    EXPECT_EQ(score({.c1 = 7, .c2 = 11}, ledger.cost(), even), 7 * imbalance + 11 * ledger.cost());
  }
}

}  // namespace
}  // namespace cleave::splitting
