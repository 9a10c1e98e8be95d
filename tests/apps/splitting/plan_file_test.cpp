// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/plan_file.hpp"

#include <gtest/gtest.h>

#include <random>

#include <cleave/error.hpp>
#include <cleave/host/provenance_here.hpp>

#include "apps/splitting/planner.hpp"
#include "tests/apps/splitting/random_trees.hpp"
#include "tests/support/mutations.hpp"

namespace cleave::splitting {

using namespace cleave::detail;
namespace {

PlanFile parsed(const std::string& text) {
  PlanFile plan;
  JsonFields object = JsonFields::parse("x.plan.json", "", text);
  fields(object, plan);
  return plan;
}

/// The text of a plan for `tree`.
std::string written(const Tree& tree, const CostCoefficients& cost = {}) {
  const Problem problem{.tree = tree, .processors = 3, .cost = cost.model()};
  const Planned planned = plan_min_imbalance(problem, Planner::automatic);
  return json_text(
      PlanFile(replay(tree, planned.plan, problem.cost), cost, provenance_here("test", "", "none")),
      1);
}

TEST(PlanFile, ReadsWhatItWrites) {
  std::mt19937_64 random(1);
  for (int i = 0; i < 30; ++i) {
    const Tree tree = random_small_tree(random, {2, 2}, 5, 100);
    const std::string text = written(tree, {.a1 = 2, .a2 = 3, .exponent = 1 + i % 2 * 0.5});
    const PlanFile plan = parsed(text);
    EXPECT_EQ(json_text(plan, 1), text);
    double cost = 0;
    for (const Entry& entry : plan.entries) cost += entry.cost;
    EXPECT_EQ(replay("x.plan.json", tree, plan).cost(), cost);
  }
}

TEST(PlanFile, DamagedTextIsRefusedOrAPlanNeverACrash) {
  const Tree tree = page_tree();
  const std::string text = written(tree);
  std::mt19937 random(2);
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    try {
      replay("x.plan.json", tree, parsed(cleave::testing::damaged(text, random)));
    } catch (const FileError&) {
      ++refused;
    }
  }
  EXPECT_GT(refused, 2000);
}

}  // namespace
}  // namespace cleave::splitting
