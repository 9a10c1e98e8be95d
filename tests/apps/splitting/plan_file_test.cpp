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

class PlanFileTest : public ::testing::Test {
 protected:
  /// The text of a plan for `tree`.
  static std::string written(const Tree& tree, const CostCoefficients& cost = {}) {
    const Problem problem{.tree = tree, .processors = 3, .cost = cost.model()};
    const Planned planned = plan_min_imbalance(problem, Planner::automatic);
    return json_text(PlanFile(replay(tree, planned.plan, problem.cost), cost,
                              provenance_here("test", "test", "none")),
                     1);
  }

  static std::string refusal(const std::string& text, const Tree& tree) {
    try {
      replay("x.plan.json", tree, parsed(text));
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
};

TEST_F(PlanFileTest, ReadsWhatItWrites) {
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

TEST_F(PlanFileTest, RefusesAnotherTree) {
  const std::string text = written(page_tree());
  const Tree other = tree_of({2, 2}, {"1", "0100", "1000"});
  EXPECT_NE(refusal(text, other).find("made for a tree of 10 leaves"), std::string::npos);
}

TEST_F(PlanFileTest, NamesTheFieldThatIsWrong) {
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
  has(with(text, "\"count\": 1", "\"count\": 3"), "split 0: n, N");
  has(with(text, "\"leaves\": [",
           "\"leaves\": [{\"first\": 0, \"count\": 2}, {\"first\": 1, \"count\": 1},"),
      "field 'leaves'");
  has(with(text, "\"count\": 1", "\"count\": 0"), "field 'count'");
}

TEST_F(PlanFileTest, DamagedTextIsRefusedOrAPlanNeverACrash) {
  const Tree tree = page_tree();
  const std::string text = written(tree);
  std::mt19937 random(2);
  int refused = 0;
  for (int i = 0; i < 5000; ++i) {
    refused += refusal(cleave::testing::damaged(text, random), tree) != "accepted";
  }
  EXPECT_GT(refused, 2000);
}

}  // namespace
}  // namespace cleave::splitting
