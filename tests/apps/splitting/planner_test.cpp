// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/planner.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <random>

#include <cleave/error.hpp>

#include "tests/apps/splitting/random_trees.hpp"

namespace cleave::splitting {
namespace {

using nlohmann::json;

Tree tree_of(const json& known) {
  const std::map<int, Shape> shapes = {{4, {2, 2}}, {8, {2, 3}}, {9, {3, 2}}, {27, {3, 3}}};
  const Shape shape = shapes.at(known["K"]);
  std::string text = fmt::format("{} {}\n", shape.k, shape.d);
  for (const std::string level : known["levels"]) text += level + '\n';
  Tree tree = parse_tree("known", text);
  EXPECT_EQ(tree.leaves(), known["leaves"]);
  EXPECT_EQ(tree.nodes(), known["nodes"]);
  EXPECT_EQ(tree.l_min(), known["lmin"]);
  EXPECT_EQ(tree.l_max(), known["lmax"]);
  EXPECT_EQ(tree.cut_stage(), known["cut_stage"].get<std::vector<std::uint16_t>>());
  for (int s = 0; s <= tree.l_max(); ++s) {
    EXPECT_EQ(tree.leaves_at_stage(s), known["N_per_stage"][static_cast<std::size_t>(s)]);
  }
  return tree;
}

constexpr int kCases = 26;
using BruteForce = ::testing::TestWithParam<int>;
INSTANTIATE_TEST_SUITE_P(Case, BruteForce, ::testing::Range(0, kCases));

/// The optima of splitting_cases.json, which a brute-force search found, in every mode listed.
TEST_P(BruteForce, OptimaAreFoundAtEveryPriceAndImbalance) {
  std::ifstream file(CLEAVE_SPLITTING_CASES);
  const json all = json::parse(file);
  ASSERT_EQ(all["cases"].size(), kCases);
  const json& known = all["cases"][static_cast<std::size_t>(GetParam())];
  const Tree tree = tree_of(known);
  for (const auto& [name, optimum] : known["optimum"].items()) {
    const auto mode = name == "master" ? Mode::parent_owned : named<Mode>(kModeNames, name);
    if (!mode) continue;  // "sfc_weighted": leaves of other weights than 1 are not planned
    for (const auto& [a1, a2] : {std::pair(0, 1), {1, 1}, {10, 1}, {1, 10}, {1, 0}}) {
      SCOPED_TRACE(fmt::format("{} A1={},A2={}", name, a1, a2));
      std::map<Index, double> expected;
      for (const auto& [imbalance, sums] : optimum["fronts"].items()) {
        double& least = expected.try_emplace(std::stol(imbalance), kInfinite).first->second;
        for (const json& sum : sums) {
          least = std::min(least, a1 * sum[0].get<double>() + a2 * sum[1].get<double>());
        }
      }
      double cheapest = kInfinite;
      std::erase_if(expected, [&](const auto& point) {
        return point.second >= std::exchange(cheapest, std::min(cheapest, point.second));
      });
      const Problem problem{
          .tree = tree, .processors = known["P"], .cost = linear_cost(a1, a2), .mode = *mode};
      if (std::max(a1, a2) == 1) {  // the others would take minutes
        std::map<Index, double> found;
        for (const FrontPoint& point : plan_front(problem, Planner::automatic)) {
          found[point.imbalance] = point.planned.cost;
        }
        EXPECT_EQ(found, expected);
      }
      const Planned planned = plan_min_imbalance(problem, Planner::automatic);
      EXPECT_TRUE(planned.exact);
      const Ledger ledger = replay(tree, planned.plan, problem.cost);
      EXPECT_EQ(ledger.cost(), planned.cost);
      EXPECT_EQ(ledger.cost(), expected.begin()->second);
      EXPECT_EQ(balance(ledger.leaves_of_all()).imbalance(), expected.begin()->first);
    }
  }
}

TEST(Planner, ExactPlansHoldForAnyPriceOfNAndN) {
  std::mt19937_64 random(2);
  const CostModel stepped{.price = [](const SplitSize& size) {
    return static_cast<double>(size.n * size.n + size.N + (size.giver_leaves > 5 ? 3 : 0));
  }};
  for (int i = 0; i < 300; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 4, 13);
    for (const CostModel& cost :
         {linear_cost(0, 1), linear_cost(10, 1), linear_cost(1, 10), stepped,
          CostCoefficients{.a1 = 1, .a2 = 0.5, .exponent = 1.5}.model()}) {
      const Problem problem{.tree = tree, .processors = 3, .cost = cost};
      const Planned by_intervals = plan_min_imbalance(problem, Planner::interval);
      const Planned by_search = plan_min_imbalance(problem, Planner::search);
      EXPECT_NEAR(by_intervals.cost, by_search.cost, 1e-9);
      EXPECT_NEAR(replay(tree, by_intervals.plan, cost).cost(), by_intervals.cost, 1e-9);
    }
  }
}

TEST(Planner, ChainAndIntervalKeepTheWindowAtTheSameCost) {
  std::mt19937_64 random(3);
  for (int i = 0; i < 200; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 6, 150);
    const int processors = std::uniform_int_distribution(2, 9)(random);
    const Problem problem{.tree = tree, .processors = processors, .cost = linear_cost(0, 1)};
    const LoadWindow window = window_around_mean(problem, 0.2);
    const auto exact = plan_within(problem, window, Planner::chain);
    ASSERT_TRUE(exact && exact->exact);
    const auto planned = plan_within(problem, window, Planner::interval);
    ASSERT_TRUE(planned);
    for (const Planned& plan : {*exact, *planned}) {
      const Ledger ledger = replay(tree, plan.plan, problem.cost);
      EXPECT_EQ(plan.cost, exact->cost);
      EXPECT_EQ(ledger.cost(), exact->cost);
      const std::vector<Index> loads = ledger.leaves_of_all();
      EXPECT_TRUE(std::ranges::all_of(loads, [&](Index load) { return window.holds(load); }));
    }
  }
}

TEST(Planner, CutsFirstAndOrderAfterwardsLoseLittleAgainstTheExactPlan) {
  std::mt19937_64 random(4);
  double exact = 0;
  double chain = 0;
  for (int i = 0; i < 300; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 5, 60);
    const Problem problem{.tree = tree, .processors = 5, .cost = linear_cost(1, 1)};
    const double minimum = plan_min_imbalance(problem, Planner::interval).cost;
    const double quick = plan_min_imbalance(problem, Planner::chain).cost;
    EXPECT_LE(minimum, quick);
    exact += minimum;
    chain += quick;
  }
  EXPECT_LE(chain, 1.02 * exact);
}

TEST(Planner, RefusesWhatIsOutOfRangeAndFindsNoPlanWhereNoneKeepsTheWindow) {
  const Tree tree = page_tree();
  Problem problem{.tree = tree, .processors = 0, .cost = linear_cost(1, 1)};
  EXPECT_THROW(plan_min_imbalance(problem, {}), Error);
  EXPECT_THROW(linear_cost(-1, 1), Error);
  EXPECT_THROW(linear_cost(1, std::numeric_limits<double>::quiet_NaN()), Error);
  EXPECT_THROW(CostCoefficients{.exponent = 0.5}.model(), Error);
  EXPECT_THROW(window_around_mean(problem, -0.1), Error);
  for (const Planner planner : {Planner::interval, Planner::chain, Planner::search}) {
    const auto finds = [&](int processors, LoadWindow window) {
      problem.processors = processors;
      return plan_within(problem, window, planner).has_value();
    };
    EXPECT_TRUE(finds(2, {5, 5})) << name_of(planner);
    EXPECT_FALSE(finds(2, {9, 9})) << name_of(planner);
    EXPECT_FALSE(finds(1, {0, 5})) << name_of(planner);
    EXPECT_FALSE(finds(11, {1, 10})) << name_of(planner) << ": ten leaves";
  }
}

TEST(Planner, TreesTooLargeForTheSearchArePlannedAsSfcWhereThatIsLegal) {
  std::mt19937_64 random(5);
  for (int i = 0; i < 30; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 8, 400);
    if (tree.leaves() <= kMaxSearchLeaves) continue;
    for (const Mode mode : {Mode::subtree, Mode::parent_owned}) {
      const Problem problem{.tree = tree, .processors = 6, .cost = linear_cost(1, 1), .mode = mode};
      EXPECT_THROW(plan_min_imbalance(problem, Planner::automatic), SearchTooLarge);
    }
    for (const Mode mode : {Mode::sfc, Mode::any, Mode::run}) {
      const double a1 = i < 6 ? 0 : 1;
      const Problem problem{
          .tree = tree, .processors = 6, .cost = linear_cost(a1, 1), .mode = mode};
      EXPECT_THROW(plan_min_imbalance(problem, Planner::search), SearchTooLarge);
      const Planned planned = plan_min_imbalance(problem, Planner::automatic);
      EXPECT_EQ(planned.exact, mode == Mode::sfc);
      for (const LoadWindow narrow : {LoadWindow{0, 1}, LoadWindow{tree.leaves(), tree.leaves()}}) {
        EXPECT_FALSE(plan_within(problem, narrow, Planner::automatic).has_value());
      }
      std::vector<FrontPoint> front = {{1, planned}};
      if (i < 6) front = plan_front(problem, Planner::automatic);
      for (std::size_t at = 0; at < front.size(); ++at) {
        const Planned& some = front[at].planned;
        const Ledger ledger = replay(tree, some.plan, problem.cost);
        EXPECT_EQ(ledger.mode(), mode);
        EXPECT_EQ(ledger.cost(), some.cost);
        EXPECT_LE(balance(ledger.leaves_of_all()).imbalance(), front[at].imbalance);
        EXPECT_TRUE(at == 0 || (some.cost < front[at - 1].planned.cost &&
                                front[at].imbalance > front[at - 1].imbalance));
      }
      EXPECT_LE(front.front().imbalance, 1);
      EXPECT_EQ(front.back().planned.plan.splits.empty(), i < 6) << "the last point is no split";
    }
  }
}

}  // namespace
}  // namespace cleave::splitting
