// SPDX-License-Identifier: Apache-2.0
// Every figure of the examples of the Peano page "Load balancing strategies".
#include <gtest/gtest.h>

#include <vector>

#include "apps/splitting/ledger.hpp"
#include "apps/splitting/planner.hpp"
#include "tests/apps/splitting/random_trees.hpp"

namespace cleave::splitting {

using namespace cleave::detail;
namespace {

constexpr double kA1 = 3;  // any coefficients: the page leaves them open
constexpr double kA2 = 5;
constexpr ScoreWeights kWeights{.c1 = 7, .c2 = 11};

/// A split of `leaves` consecutive leaves from `first` on.
Split move(int stage, int giver, int receiver, Index first, Index leaves) {
  return {stage, giver, receiver, LeafSet(LeafRun{first, first + leaves})};
}

struct Outcome {
  double cost = 0;
  double imbalance = 0;
  double score = 0;
};

Outcome outcome_of(int processors, std::vector<Split> splits) {
  const Tree tree = page_tree();
  const Ledger ledger =
      replay(tree, {.processors = processors, .mode = Mode::any, .splits = std::move(splits)},
             linear_cost(kA1, kA2));
  const Balance even = balance(ledger.leaves_of_all());
  return {ledger.cost(), even.imbalance(), score(kWeights, ledger.cost(), even)};
}

TEST(PageExample, TreeHasOneFourSevenAndTenLeavesAtStagesOneToFour) {
  const Tree tree = page_tree();
  ASSERT_EQ(tree.l_max(), 3);
  for (int s = 0; s <= 3; ++s) {
    EXPECT_EQ(tree.leaves_at_stage(s), 1 + 3 * s);
  }
  EXPECT_EQ(tree.nodes(), 13);
  EXPECT_EQ(tree.l_min(), 1);
}

TEST(PageExample, TwoSplitsCostWhatThePageSays) {
  struct Row {
    Split split;
    double cost;
    double imbalance;
  };
  // The page's 2 C2 in the score of the second is a slip.
  for (const auto& [split, cost, imbalance] :
       {Row{move(1, 0, 1, 0, 1), kA1 + 4 * kA2, 4}, Row{move(2, 0, 1, 0, 2), 2 * kA1 + 7 * kA2, 0},
        Row{move(3, 0, 1, 0, 5), 5 * kA1 + 10 * kA2, 0}}) {
    const Outcome o = outcome_of(2, {split});
    EXPECT_EQ(o.cost, cost);
    EXPECT_EQ(o.imbalance, imbalance);
    EXPECT_EQ(o.score, kWeights.c1 * imbalance + kWeights.c2 * cost);
  }
}

// The first processor always keeps the three leaves of level 1. The options differ in when the
// seven final leaves beside them leave it, and when and how those are divided into 3 and 4.
TEST(PageExample, TripleSplitsCostWhatThePageSays) {
  const std::vector<std::vector<Split>> options = {
      // Start with green, 4 to yellow at stage (III), 3 of those to red at stage (IV).
      {move(2, 0, 1, 0, 4), move(3, 1, 2, 0, 3)},
      // Start with red, 4 to yellow at stage (III), the other 3 to green at stage (IV).
      {move(2, 0, 1, 0, 4), move(3, 1, 2, 4, 3)},
      // Start with yellow, 1 to red at stage (II), 3 of what it became to green at stage (IV).
      {move(1, 0, 1, 0, 1), move(3, 1, 2, 0, 3)},
      // Stage (II), but 1 to green at stage (III), before it refines to 4.
      {move(1, 0, 1, 0, 1), move(2, 1, 2, 0, 1)},
  };
  const std::vector<double> costs = {7 * kA1 + 17 * kA2, 7 * kA1 + 17 * kA2, 4 * kA1 + 14 * kA2,
                                     2 * kA1 + 11 * kA2};
  for (std::size_t i = 0; i < options.size(); ++i) {
    const Outcome o = outcome_of(3, options[i]);
    EXPECT_EQ(o.cost, costs[i]) << "option " << i + 1;
    EXPECT_EQ(o.imbalance, 1) << "option " << i + 1;
    EXPECT_EQ(o.score, kWeights.c1 + kWeights.c2 * costs[i]) << "option " << i + 1;
  }
}

TEST(PageExample, FourthTripleSplitIsOptimalForEveryPrice) {
  const Tree tree = page_tree();
  const std::vector<Split> unique = {move(1, 0, 1, 0, 1), move(2, 1, 2, 0, 1)};
  for (const Mode mode : {Mode::sfc, Mode::any, Mode::run, Mode::subtree, Mode::parent_owned}) {
    for (const auto& [a1, a2] : std::vector<std::pair<double, double>>{
             {1, 1}, {10, 1}, {1, 10}, {0, 1}, {1, 0}, {0.5, 3}}) {
      const Planned planned = plan_min_imbalance(
          {.tree = tree, .processors = 3, .cost = linear_cost(a1, a2), .mode = mode},
          Planner::automatic);
      EXPECT_EQ(planned.cost, 2 * a1 + 11 * a2) << name_of(mode);
      EXPECT_TRUE(planned.exact);
      EXPECT_EQ(planned.plan.splits.size(), 2U);
    }
  }
  const Planned planned = plan_min_imbalance(
      {.tree = tree, .processors = 3, .cost = linear_cost(1, 1)}, Planner::automatic);
  EXPECT_EQ(planned.plan.splits, unique);
}

TEST(PageExample, NeverSplittingHasTheBestScoreAtUnitCoefficients) {
  const Tree tree = page_tree();
  const Ledger idle = replay(tree, {.processors = 3}, linear_cost(1, 1));
  const Planned best = plan_min_imbalance(
      {.tree = tree, .processors = 3, .cost = linear_cost(1, 1)}, Planner::automatic);
  EXPECT_LT(score({}, 0, balance(idle.leaves_of_all())), score({}, best.cost, {.maximum = 1}));
}

}  // namespace
}  // namespace cleave::splitting
