// SPDX-License-Identifier: Apache-2.0
// All of splitting_cases.json: the optima that a brute-force search found, in every mode listed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <fstream>
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

  /// Calls `body` with the problem and the optimum in each mode at each price.
  template <class Body>
  void for_each_problem(Body&& body) const {
    for (const auto& [name, optimum] : case_["optimum"].items()) {
      if (name == "sfc_weighted") {
        continue;  // leaves of other weights than 1 are not planned
      }
      for (const Prices& prices : kPrices) {
        SCOPED_TRACE(name + ' ' + prices.name);
        body(Problem{.tree = tree_,
                     .processors = case_["P"].get<int>(),
                     .cost = linear_cost(prices.a1, prices.a2),
                     .mode = name == "master" ? Mode::parent_owned
                                              : named<Mode>(kModeNames, name).value()},
             prices, optimum);
      }
    }
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
  for_each_problem([&](const Problem& asked, const Prices& prices, const json& optimum) {
    const Planned planned = plan_min_imbalance(asked, Planner::automatic);
    EXPECT_TRUE(planned.exact);
    EXPECT_EQ(planned.cost, optimum["cost_at_min"][prices.name]);
    const Ledger ledger = replay(tree_, planned.plan, asked.cost);
    EXPECT_EQ(ledger.cost(), planned.cost);
    EXPECT_EQ(balance(ledger.leaves_of_all()).imbalance(), optimum["min_imbalance"]);
  });
}

/// At every imbalance, the optimum over sequences that reach it or less; the front holds the best
/// scores, too.
TEST_P(BruteForceCase, FrontsEqualTheOptimaAtEveryImbalance) {
  for_each_problem([&](const Problem& asked, const Prices& prices, const json& optimum) {
    std::map<Index, double> expected;
    for (const auto& [imbalance, pairs] : optimum["fronts"].items()) {
      double minimum = kInfinite;
      for (const json& pair : pairs) {
        minimum = std::min(minimum,
                           prices.a1 * pair[0].get<double>() + prices.a2 * pair[1].get<double>());
      }
      expected[std::stol(imbalance)] = minimum;
    }
    const std::vector<FrontPoint> front = plan_front(asked, Planner::automatic);
    double best = kInfinite;
    auto point = front.begin();
    for (const auto& [imbalance, cost] : expected) {
      if (cost < best) {
        best = cost;
        ASSERT_NE(point, front.end());
        EXPECT_EQ(point->imbalance, imbalance);
        EXPECT_EQ(point->planned.cost, cost);
        ++point;
      }
    }
    EXPECT_EQ(point, front.end());
    for (const auto& [weights, score_of_weights] : optimum["best_score"].items()) {
      double least = kInfinite;
      for (const FrontPoint& some : front) {
        least =
            std::min(least, score({.c1 = 1, .c2 = std::stod(weights.substr(8))}, some.planned.cost,
                                  {.maximum = static_cast<double>(some.imbalance)}));
      }
      EXPECT_TRUE(prices.a1 != 1 || prices.a2 != 1 ||
                  std::abs(least - score_of_weights.get<double>()) < 1e-9);
    }
  });
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
