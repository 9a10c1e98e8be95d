// SPDX-License-Identifier: Apache-2.0
// All of splitting_cases.json: the optima that a brute-force search found, in every mode listed.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "apps/splitting/ledger.hpp"
#include "apps/splitting/planner.hpp"
#include "tests/apps/splitting/random_trees.hpp"

namespace cleave::splitting {
namespace {

using nlohmann::json;

struct Prices {
  const char* name;
  double a1;
  double a2;
};
constexpr Prices kPrices[] = {{"A1=0,A2=1", 0, 1},
                              {"A1=1,A2=1", 1, 1},
                              {"A1=10,A2=1", 10, 1},
                              {"A1=1,A2=10", 1, 10},
                              {"A1=1,A2=0", 1, 0}};

class BruteForceCase : public testing::TestWithParam<json> {
 protected:
  BruteForceCase() : case_(GetParam()), tree_(tree_of(shape(), case_["levels"])) {}

  Shape shape() const {
    const std::map<int, Shape> shapes = {{4, {2, 2}}, {8, {2, 3}}, {9, {3, 2}}, {27, {3, 3}}};
    return shapes.at(case_["K"]);
  }

  /// The problem in the mode that the file calls `name`.
  Problem problem(const std::string& name, double a1, double a2) const {
    Problem problem{
        .tree = tree_, .processors = case_["P"].get<int>(), .cost = linear_cost(a1, a2)};
    if (name == "master") {
      problem.mode = Mode::parent_owned;
    } else if (name == "sfc_weighted") {
      problem.weights = case_["leaf_weights"].get<std::vector<Index>>();
    } else {
      problem.mode = named<Mode>(kModeNames, name).value();
    }
    return problem;
  }

  /// What the plan costs and its imbalance, by the ledger.
  std::pair<double, Index> replayed(const Problem& problem, const Plan& plan) const {
    const Ledger ledger = replay(tree_, plan, problem.cost);
    std::vector<Index> loads = ledger.leaves_of_all();
    if (!problem.weights.empty()) {
      for (int p = 0; p < problem.processors; ++p) {
        loads[static_cast<std::size_t>(p)] = 0;
        for (const LeafRun& run : ledger.part(p).runs()) {
          for (Index leaf = run.begin; leaf < run.end; ++leaf) {
            loads[static_cast<std::size_t>(p)] += problem.weights[static_cast<std::size_t>(leaf)];
          }
        }
      }
    }
    return {ledger.cost(), static_cast<Index>(balance(loads).imbalance())};
  }

  const json case_;
  const Tree tree_;
};

TEST_P(BruteForceCase, TreeIsReadAsTheFileSays) {
  EXPECT_EQ(tree_.leaves(), case_["leaves"]);
  EXPECT_EQ(tree_.nodes(), case_["nodes"]);
  EXPECT_EQ(tree_.l_min(), case_["lmin"]);
  EXPECT_EQ(tree_.l_max(), case_["lmax"]);
  EXPECT_EQ(tree_.cut_stage(), case_["cut_stage"].get<std::vector<std::uint16_t>>());
  for (int s = 0; s <= tree_.l_max(); ++s) {
    EXPECT_EQ(tree_.leaves_at_stage(s), case_["N_per_stage"][static_cast<std::size_t>(s)]);
  }
}

TEST_P(BruteForceCase, PlansOfLeastImbalanceCostTheOptimum) {
  for (const auto& [mode, optimum] : case_["optimum"].items()) {
    for (const Prices& prices : kPrices) {
      const Problem asked = problem(mode, prices.a1, prices.a2);
      const Planned planned = plan_min_imbalance(asked, Planner::automatic);
      EXPECT_TRUE(planned.exact);
      EXPECT_EQ(planned.cost, optimum["cost_at_min"][prices.name]) << mode << ' ' << prices.name;
      const auto [cost, imbalance] = replayed(asked, planned.plan);
      EXPECT_EQ(cost, planned.cost) << mode << ' ' << prices.name;
      EXPECT_EQ(imbalance, optimum["min_imbalance"]) << mode << ' ' << prices.name;
    }
  }
}

/// At every imbalance, the optimum over sequences that reach it or less.
TEST_P(BruteForceCase, FrontsEqualTheOptimaAtEveryImbalance) {
  for (const auto& [mode, optimum] : case_["optimum"].items()) {
    for (const Prices& prices : kPrices) {
      std::map<Index, double> expected;
      for (const auto& [imbalance, pairs] : optimum["fronts"].items()) {
        double minimum = std::numeric_limits<double>::infinity();
        for (const json& pair : pairs) {
          minimum = std::min(minimum,
                             prices.a1 * pair[0].get<double>() + prices.a2 * pair[1].get<double>());
        }
        expected[std::stol(imbalance)] = minimum;
      }
      const Problem asked = problem(mode, prices.a1, prices.a2);
      const std::vector<FrontPoint> front = plan_front(asked, Planner::automatic);
      double best = std::numeric_limits<double>::infinity();
      auto point = front.begin();
      for (const auto& [imbalance, cost] : expected) {
        if (cost >= best) {
          continue;
        }
        best = cost;
        ASSERT_NE(point, front.end()) << mode << ' ' << prices.name;
        EXPECT_EQ(point->imbalance, imbalance) << mode << ' ' << prices.name;
        EXPECT_EQ(point->planned.cost, cost) << mode << ' ' << prices.name;
        ++point;
      }
      EXPECT_EQ(point, front.end()) << mode << ' ' << prices.name;
    }
  }
}

TEST_P(BruteForceCase, FrontHoldsTheBestScores) {
  for (const auto& [mode, optimum] : case_["optimum"].items()) {
    for (const double c2 : {0.05, 0.2, 1.0}) {
      double best = std::numeric_limits<double>::infinity();
      for (const FrontPoint& point : plan_front(problem(mode, 1, 1), Planner::automatic)) {
        best = std::min(best, score({.c1 = 1, .c2 = c2}, point.planned.cost,
                                    {.maximum = static_cast<double>(point.imbalance)}));
      }
      const std::string name =
          c2 == 1.0 ? "C1=1,C2=1,A1=1,A2=1"
                    : (c2 == 0.2 ? "C1=1,C2=0.2,A1=1,A2=1" : "C1=1,C2=0.05,A1=1,A2=1");
      EXPECT_NEAR(best, optimum["best_score"][name].get<double>(), 1e-9) << mode << ' ' << name;
    }
  }
}

std::vector<json> all_cases() {
  std::ifstream file(CLEAVE_SPLITTING_CASES);
  return json::parse(file)["cases"].get<std::vector<json>>();
}

INSTANTIATE_TEST_SUITE_P(File, BruteForceCase, testing::ValuesIn(all_cases()),
                         [](const auto& named) {
                           return named.param["id"].template get<std::string>();
                         });

}  // namespace
}  // namespace cleave::splitting
