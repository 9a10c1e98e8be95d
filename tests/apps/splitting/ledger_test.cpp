// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/ledger.hpp"

#include <gtest/gtest.h>

#include <random>

#include <cleave/error.hpp>

#include "tests/apps/splitting/random_trees.hpp"

namespace cleave::splitting {

using namespace cleave::detail;
namespace {

/// Promises of every ledger at every time.
void expect_invariants(const Ledger& ledger) {
  const Growth& growth = ledger.growth();
  const Tree& tree = growth.tree();
  std::vector<int> owner(static_cast<std::size_t>(growth.leaves()), -1);
  for (int p = 0; p < ledger.processors(); ++p) {
    for (const LeafRun& run : ledger.part(p).runs()) {
      for (Index leaf = run.begin; leaf < run.end; ++leaf) {
        ASSERT_EQ(owner[static_cast<std::size_t>(leaf)], -1) << "leaf with two owners";
        owner[static_cast<std::size_t>(leaf)] = p;
        ASSERT_EQ(ledger.owner(growth.level(leaf), growth.node(leaf)), p);
      }
    }
  }
  EXPECT_EQ(std::count(owner.begin(), owner.end(), -1), 0) << "leaf without owner";
  EXPECT_EQ(ledger.owner(0, 0), 0) << "processor 0 owns the root";
  // The page: a node whose parent and at least one child belong to one processor belongs to it.
  for (int level = 1; level < tree.l_max(); ++level) {
    for (Index node = 0; node < tree.nodes_of_level(level); ++node) {
      if (!tree.refined(level, node) ||
          ledger.owner(level + 1, tree.first_child(level, node)) < 0) {
        continue;
      }
      const int above = ledger.owner(level - 1, tree.parent(level, node));
      for (Index i = 0; i < tree.children(); ++i) {
        if (ledger.owner(level + 1, tree.first_child(level, node) + i) == above) {
          ASSERT_EQ(ledger.owner(level, node), above);
        }
      }
    }
  }
  double cost = 0;
  Index sum_n = 0;
  Index sum_N = 0;
  for (const Entry& entry : ledger.entries()) {
    EXPECT_EQ(entry.size.n, entry.split.leaves.size());
    EXPECT_LT(entry.size.n, entry.size.giver_leaves);
    EXPECT_EQ(entry.size.N, tree.leaves_at_stage(entry.split.stage));
    cost += entry.cost;
    sum_n += entry.size.n;
    sum_N += entry.size.N;
  }
  EXPECT_EQ(ledger.cost(), cost);
  EXPECT_EQ(ledger.sum_n(), sum_n);
  EXPECT_EQ(ledger.sum_N(), sum_N);
  EXPECT_EQ(cost, static_cast<double>(2 * sum_n + 3 * sum_N));
}

/// Whether `mode` allows the giver to lose `leaves`, from the definitions, leaf by leaf.
bool allowed_by_definition(const Ledger& ledger, int giver, const LeafSet& leaves) {
  const Growth& growth = ledger.growth();
  const Tree& tree = growth.tree();
  std::vector<Index> mine;
  for (Index leaf = 0; leaf < growth.leaves(); ++leaf) {
    if (ledger.owner(growth.level(leaf), growth.node(leaf)) == giver) mine.push_back(leaf);
  }
  const auto moved = [&](Index leaf) { return leaves.count_in({leaf, leaf + 1}) == 1; };
  switch (ledger.mode()) {
    case Mode::any:
      return true;
    case Mode::sfc:
    case Mode::run: {
      int changes = 0;
      for (std::size_t i = 1; i < mine.size(); ++i) changes += moved(mine[i]) != moved(mine[i - 1]);
      const bool inner = changes == 2 && !moved(mine.front()) && ledger.mode() == Mode::run;
      return changes == 1 || inner;
    }
    case Mode::subtree:
      for (int level = 0; level <= growth.stage() && level <= tree.l_max(); ++level) {
        for (Index node = 0; node < tree.nodes_of_level(level); ++node) {
          const Index begin = tree.first_leaf(level, node);
          const Index end = begin + tree.leaves_below(level, node);
          bool equal = true;
          for (const Index leaf : mine) {
            const Index at = growth.first_final(leaf);
            const bool below = begin <= at && at < end && growth.level(leaf) >= level;
            equal = equal && below == moved(leaf);
          }
          if (equal) return true;
        }
      }
      return false;
    case Mode::parent_owned:
      for (const Index leaf : mine) {
        const int level = growth.level(leaf);
        if (moved(leaf) &&
            ledger.owner(level - 1, tree.parent(level, growth.node(leaf))) != giver) {
          return false;
        }
      }
      return true;
  }
  return false;
}

TEST(Ledger, KeepsItsInvariantsUnderRandomLegalAndIllegalSplits) {
  std::mt19937_64 random(1);
  const auto draw = [&](Index low, Index high) {
    return std::uniform_int_distribution<Index>(low, high)(random);
  };
  int made = 0;
  int refused = 0;
  for (int i = 0; i < 600; ++i) {
    const Tree tree = random_small_tree(random, {2, i % 2 + 2}, 4, 80);
    const Mode mode = static_cast<Mode>(i % 5);
    Ledger ledger(tree, static_cast<int>(draw(1, 6)), mode, linear_cost(2, 3));
    for (int s = 0; s <= tree.l_max(); ++s) {
      for (int tries = 0; tries < 8; ++tries) {
        const int giver = static_cast<int>(draw(-1, ledger.processors()));
        const int receiver = static_cast<int>(draw(-1, ledger.processors()));
        const Index first = draw(0, ledger.growth().leaves() - 1);
        std::vector<LeafRun> runs = {{first, first + draw(1, 4)}};
        if (draw(0, 3) == 0) {
          runs.push_back({runs[0].end + 1, runs[0].end + 2});
        }
        const LeafSet leaves(runs);
        const std::vector<Index> before = ledger.leaves_of_all();
        const std::size_t entries = ledger.entries().size();
        try {
          ledger.split(giver, receiver, leaves);
          ++made;
        } catch (const Error&) {
          ++refused;
          EXPECT_EQ(ledger.leaves_of_all(), before) << "a refused split changed something";
          EXPECT_EQ(ledger.entries().size(), entries);
          continue;
        }
        EXPECT_EQ(ledger.leaves_of(receiver), leaves.size());
      }
      expect_invariants(ledger);
      ledger.advance();
    }
    expect_invariants(ledger);
    EXPECT_EQ(replay(tree, ledger.plan(), linear_cost(2, 3)).leaves_of_all(),
              ledger.leaves_of_all());
  }
  EXPECT_GT(made, 300);
  EXPECT_GT(refused, 300);
}

TEST(Ledger, AllowsExactlyWhatEachModeIsDefinedToAllow) {
  std::mt19937_64 random(2);
  int checked = 0;
  for (int i = 0; i < 400; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 3, 20);
    const Mode mode = static_cast<Mode>(i % 5);
    Ledger ledger(tree, 5, mode, linear_cost(1, 1));
    int receiver = 1;
    for (int s = 0; s <= tree.l_max(); ++s, ledger.advance()) {
      for (int tries = 0; tries < 10 && receiver < 5; ++tries) {
        const int giver = std::uniform_int_distribution(0, receiver - 1)(random);
        std::vector<Index> chosen;
        for (const LeafRun& run : ledger.part(giver).runs()) {
          for (Index leaf = run.begin; leaf < run.end; ++leaf) {
            if (std::bernoulli_distribution(0.5)(random)) chosen.push_back(leaf);
          }
        }
        const LeafSet leaves = LeafSet::of_positions(chosen);
        if (leaves.empty() || leaves.size() == ledger.leaves_of(giver)) continue;
        const bool allowed = allowed_by_definition(ledger, giver, leaves);
        bool accepted = true;
        try {
          ledger.split(giver, receiver, leaves);
          ++receiver;
        } catch (const Error&) {
          accepted = false;
        }
        EXPECT_EQ(accepted, allowed) << name_of(mode);
        ++checked;
      }
    }
  }
  EXPECT_GT(checked, 1000);
}

TEST(Ledger, RefusalsNameValueAndRule) {
  const Tree tree = page_tree();
  Ledger ledger(tree, 3, Mode::sfc, linear_cost(1, 1));
  ledger.advance();
  const auto expect_refused = [&](int giver, int receiver, LeafSet leaves, std::string rule) {
    try {
      ledger.split(giver, receiver, leaves);
      ADD_FAILURE() << rule;
    } catch (const Error& e) {
      EXPECT_EQ(e.what(), rule);
    }
  };
  expect_refused(0, 3, LeafSet(LeafRun{0, 1}), "processor 3 does not exist, there are 3 from 0 on");
  expect_refused(0, 1, LeafSet(), "no leaves would move, at least 1 must");
  const std::string would = "processor 0 would give ";
  expect_refused(0, 1, LeafSet(LeafRun{1, 2}),
                 would + "1 leaves from leaf 1 on, which mode sfc does not allow");
  EXPECT_THROW(ledger.split(0, 1, 4, Side::front), Error);
  ledger.split(0, 1, 1, Side::front);
  expect_refused(0, 1, LeafSet(LeafRun{1, 2}),
                 "processor 1 would receive leaves, but owns 1 already");
  expect_refused(0, 2, LeafSet(LeafRun{0, 2}),
                 would + "2 leaves from leaf 0 on, but does not own all of them");
  expect_refused(0, 2, LeafSet(LeafRun{1, 4}),
                 would + "3 leaves from leaf 1 on, but 1 of its leaves must stay");
  EXPECT_THROW(Ledger(tree, 0, Mode::sfc, linear_cost(1, 1)), Error);
  Ledger negative(tree, 2, Mode::sfc, {.price = [](const SplitSize&) { return -1.0; }});
  negative.advance();
  EXPECT_THROW(negative.split(0, 1, 1, Side::front), Error);
}

TEST(Ledger, InteriorNodesFollowWhenAllTheirChildrenLeaveTogether) {
  const Tree tree = tree_of({2, 2}, {"1", "1000"});
  for (const Index leaves : {4, 3}) {
    Ledger ledger(tree, 3, Mode::sfc, linear_cost(1, 1));
    ledger.advance();
    ledger.advance();
    ledger.split(0, 1, leaves, Side::front);
    EXPECT_EQ(ledger.owner(1, 0), leaves == 4 ? 1 : 0);
    EXPECT_EQ(ledger.owner(0, 0), 0);
  }
}

}  // namespace
}  // namespace cleave::splitting
