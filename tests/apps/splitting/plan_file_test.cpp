// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/ledger/plan_file.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <random>

#include <cleave/file.hpp>
#include <cleave/host/provenance_here.hpp>

#include "random_trees.hpp"
#include "apps/splitting/offline/hierarchy.hpp"
#include "apps/splitting/offline/planner.hpp"
#include "apps/splitting/online/simulate.hpp"
#include "tests/support/mutations.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave::splitting {

using namespace cleave::detail;
namespace {

class PlanFile : public ::testing::Test {
 protected:
  /// The text of a plan for `tree`.
  std::string written(const Tree& tree) {
    const Planned planned = plan_min_imbalance(
        {.tree = tree, .processors = 3, .cost = linear_cost(1, 1)}, Planner::automatic);
    write_plan(path_, replay(tree, planned.plan, linear_cost(1, 1)), {},
               provenance_here("test", "test", "none"));
    return read_file(path_);
  }

  std::string refusal(const std::string& text, const Tree& tree) const {
    try {
      replay_recorded(path_, tree, parse_plan(path_, text));
    } catch (const FileError& e) {
      return e.what();
    }
    return "accepted";
  }

  static std::string with(std::string text, const std::string& from, const std::string& to) {
    const std::size_t at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return at == std::string::npos ? text : text.replace(at, from.size(), to);
  }

  cleave::testing::TemporaryFolder folder_;
  std::filesystem::path path_ = folder_ / "x.plan.json";
};

TEST_F(PlanFile, ReadsWhatItWrites) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 30; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 5, 100);
    const Ledger ledger = simulate(tree, 5, linear_cost(2, 3), recursive_bipartition());
    const CostCoefficients cost{.a1 = 2, .a2 = 3};
    write_plan(path_, ledger, cost, provenance_here("test", "test", "none"));
    const RecordedPlan recorded = read_plan(path_);
    EXPECT_EQ(recorded.plan, ledger.plan());
    EXPECT_EQ(replay_recorded(path_, tree, recorded).cost(), ledger.cost());
  }
}

TEST_F(PlanFile, KeepsTheGrowthThatItsPolicyAllowedAndPricesThatAreNotLinear) {
  std::mt19937_64 random(4);
  const Tree tree = random_small_tree(random, {2, 2}, 5, 100);
  const CostCoefficients cost{.a1 = 2, .a2 = 3, .exponent = 1.5};
  const Ledger ledger = simulate_guided(
      tree, 5, cost.model(), {.split = recursive_bipartition(), .allow = allow_lightest_part});
  write_plan(path_, ledger, cost, provenance_here("test", "test", "none"));
  const RecordedPlan recorded = read_plan(path_);
  EXPECT_EQ(recorded.plan, ledger.plan());
  EXPECT_FALSE(recorded.plan.allowed.empty());
  EXPECT_EQ(replay_recorded(path_, tree, recorded).cost(), ledger.cost());
}

TEST_F(PlanFile, RefusesAnotherTree) {
  const std::string text = written(page_tree());
  const Tree other = tree_of({2, 2}, {"1", "0100", "1000"});
  EXPECT_NE(refusal(text, other).find("made for a tree of 10 leaves"), std::string::npos);
}

TEST_F(PlanFile, NamesTheFieldThatIsWrong) {
  const Tree tree = page_tree();
  const std::string text = written(tree);
  const auto has = [&](const std::string& damaged, const std::string& expected) {
    const std::string message = refusal(damaged, tree);
    EXPECT_NE(message.find(expected), std::string::npos) << message;
  };
  has(with(text, "\"mode\": \"sfc\"", "\"mode\": \"xyz\""), "field 'mode' is 'xyz', allowed are");
  has(with(text, "\"a1\": 1.0", "\"a1\": -1.0"), "field 'a1' must be at least 0");
  has(with(text, "\"exponent\": 1.0", "\"exponent\": 0.5"),
      "field 'exponent' must be at least 1, found 0.5");
  has(with(text, "\"processors\": 3", "\"processors\": 0"), "field 'processors'");
  has(with(text, "\"version\": 2", "\"version\": 9"), "field 'version'");
  has(with(text, "\"N\": 4", "\"N\": 5"), "the replay finds");
  has(with(text, "\"receiver\": 2", "\"receiver\": 0"), "split 1: processor 0 would receive");
  has(with(text, "\"stage\": 2", "\"stage\": 9"), "split 1 is at stage 9, allowed are 1 to 3");
  has(with(text, "\"count\": 1", "\"count\": 3"), "splits[0]");
  has(with(text, "\"leaves\": [",
           "\"leaves\": [{\"first\": 0, \"count\": 2}, {\"first\": 1, \"count\": 1},"),
      "field 'leaves'");
  has(with(text, "\"count\": 1", "\"count\": 0"), "field 'count'");
}

TEST_F(PlanFile, DamagedTextIsRefusedOrAPlanNeverACrash) {
  const Tree tree = page_tree();
  const std::string text = written(tree);
  std::mt19937 random(2);
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    refused += refusal(cleave::testing::damaged(text, random), tree) != "accepted";
  }
  EXPECT_GT(refused, 2000);
}

TEST_F(PlanFile, LeavesNothingBehindWhenItCannotBeWritten) {
  const Tree tree = page_tree();
  const Ledger ledger = replay(tree, {}, linear_cost(1, 1));
  const std::filesystem::path nowhere = folder_ / "no_such_folder/x.plan.json";
  EXPECT_THROW(write_plan(nowhere, ledger, {}, provenance_here("test", "test", "none")), FileError);
  EXPECT_FALSE(std::filesystem::exists(nowhere));
}

TEST(ChainsOnChains, CrossNoMoreEdgesThanPlanningWithoutNodes) {
  std::mt19937_64 random(3);
  Index with_nodes = 0;
  Index without = 0;
  for (int i = 0; i < 60; ++i) {
    Tree tree = random_small_tree(random, {2, 2}, 6, 300);
    while (tree.leaves() < 60) tree = random_small_tree(random, {2, 2}, 6, 300);
    const Problem problem{.tree = tree, .processors = 12, .cost = linear_cost(0, 1)};
    const LoadWindow window = window_around_mean(problem, 0.3);
    const auto planned = plan_chains_on_chains(problem, window, 4);
    ASSERT_TRUE(planned.has_value());
    const Ledger ledger = replay(tree, planned->plan, problem.cost);
    for (const Index leaves : ledger.leaves_of_all()) EXPECT_TRUE(window.holds(leaves));
    with_nodes += edges_across_nodes(ledger, 4);
    // Without nodes in mind: every processor its own, the same window, nodes of four in curve
    // order.
    const Planned flat = *plan_within(problem, window, Planner::chain);
    const Ledger flat_ledger = replay(tree, flat.plan, problem.cost);
    without += edges_across_nodes(flat_ledger, 4);
  }
  EXPECT_LT(with_nodes, without);
}

TEST(ChainsOnChains, OneNodeCrossesNothing) {
  const Tree tree = page_tree();
  const Ledger ledger = simulate(tree, 4, linear_cost(1, 1), recursive_bipartition());
  EXPECT_EQ(edges_across_nodes(ledger, 4), 0);
  EXPECT_GT(edges_across_nodes(ledger, 1), 0);
  const Problem problem{.tree = tree, .processors = 4, .cost = linear_cost(1, 1)};
  EXPECT_THROW(plan_chains_on_chains(problem, {1, 10}, 3), Error);
  EXPECT_THROW(plan_chains_on_chains(problem, {0, 10}, 2), Error);
  EXPECT_THROW(plan_chains_on_chains(problem, {1, 10}, 0), Error);
  EXPECT_FALSE(plan_chains_on_chains(problem, {1, 1}, 2).has_value());  // 4 of 10 leaves
}

TEST(ChainsOnChains, FindNoPlanWhereNodesCanBeDividedButNotTheirCores) {
  const Tree tree = page_tree();
  const Problem problem{.tree = tree,
                        .processors = 4,
                        .cost = linear_cost(1, 1),
                        .weights = {1, 2, 1, 1, 2, 1, 0, 0, 0, 0}};
  EXPECT_TRUE(plan_chains_on_chains(problem, {1, 3}, 2).has_value());
  EXPECT_FALSE(plan_chains_on_chains(problem, {2, 2}, 2).has_value());
}

}  // namespace
}  // namespace cleave::splitting
