// SPDX-License-Identifier: Apache-2.0
#include "apps/uts/tree.hpp"

#include <gtest/gtest.h>

#include <string>
#include <variant>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/random.hpp>

#include "tests/apps/uts/examples.hpp"

namespace cleave::uts {
namespace {

std::uint32_t children_of(const Tree& tree, std::uint32_t depth, std::uint32_t value) {
  return tree.children({0, 0, 0, 0, value}, depth);
}

TEST(BinomialRule, HasAnExactThreshold) {
  const auto threshold = [](const std::string& q) {
    const Tree tree(parse_tree("prins:n=1,m=1,q=" + q));
    return std::get<BinomialRule>(*tree.rule(1)).below;
  };
  EXPECT_EQ(threshold("0"), 0U);
  EXPECT_EQ(threshold("1"), std::uint64_t{1} << 32);
  EXPECT_EQ(threshold("0.234375"), 1006632960U);  // 15/64 of 2^32: exact, so not rounded up
  EXPECT_EQ(threshold("0.124999"), 536866618U);   // 536866617.03... rounded up
  const Tree t3(parse_tree("T3"));
  EXPECT_EQ(std::get<BinomialRule>(*t3.rule(1)).below, 268167021U);  // 268167020.544 of 2^31
}

TEST(GeometricRule, OfMeanFourHasThePublishedSteps) {
  const Tree tree(parse_tree("T1"));
  for (const auto& [value, children] :
       {std::pair{429496730U, 1U}, {773094114U, 2U}, {1047972021U, 3U}}) {
    EXPECT_EQ(children_of(tree, 1, value), children);
    EXPECT_EQ(children_of(tree, 1, value - 1), children - 1);
    EXPECT_EQ(children_of(tree, 1, value | 0x80000000), children) << "the first bit is masked";
  }
  EXPECT_EQ(children_of(tree, 1, 0x7fffffff), 96U);
  EXPECT_EQ(children_of(tree, 10, 0x7fffffff), 0U);
}

TEST(GeometricRule, IsTheDefinitionForEveryShapeAtEveryDepth) {
  const CounterRandom random(1);
  for (const char* letters : {"a=0,b=4,d=20", "a=1,b=4,d=12", "a=2,b=6,d=16", "a=3,b=2.5,d=9",
                              "a=0,b=300,d=3", "a=2,b=0.7,d=5", "a=1,b=1,d=7"}) {
    const Tree tree(examples::tree_of(std::string("t=1,") + letters));
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      const auto depth = 1 + below(static_cast<std::uint32_t>(random(2 * i)), 100);
      // Half of the values are close to the greatest, where there are many children.
      const auto bits = static_cast<std::uint32_t>(random(2 * i + 1));
      const auto value = i % 2 == 0 ? bits >> 1 : 0x7fffffff - (bits >> (1 + i % 31));
      const bool is_above = depth < tree.parameters().depth_parameter;
      if (is_above || tree.parameters().shape == Shape::exp_dec ||
          tree.parameters().shape == Shape::cyclic) {
        ASSERT_EQ(children_of(tree, depth, value),
                  geometric_children(tree.parameters(), depth, value))
            << letters << " depth " << depth << " value " << value;
      } else {
        ASSERT_EQ(children_of(tree, depth, value), 0U);
      }
    }
  }
}

TEST(GeometricRule, IsNeverMoreThanAHundredChildren) {
  const Tree tree(examples::tree_of("t=1,a=3,b=1000,d=3"));
  EXPECT_EQ(children_of(tree, 1, 0x7fffffff), 100U);
  EXPECT_LE(tree.root_children(), 100U);
}

TEST(Tree, TakesTheDefinitionWhereNoRuleIsTabulated) {
  const Tree deep(examples::tree_of("t=1,a=0,b=2,d=5000"));
  EXPECT_EQ(deep.rule(3000), nullptr);
  EXPECT_EQ(children_of(deep, 3000, 0x7ffffffe),
            geometric_children(deep.parameters(), 3000, 0x7ffffffe));
  EXPECT_EQ(children_of(deep, 5000, 0x7ffffffe), 0U);
  const Tree chain(examples::tree_of("t=3,b=1,d=500000"));
  EXPECT_EQ(children_of(chain, 499'999, 0), 1U);
  EXPECT_EQ(children_of(chain, 500'000, 0), 0U);
}

TEST(Tree, OfTypeHybridChangesAtTheFraction) {
  const Tree tree(examples::tree_of("t=2,a=3,d=10,f=0.35,b=4,q=0.5,m=7"));
  EXPECT_TRUE(std::holds_alternative<GeometricRule>(*tree.rule(3)));
  EXPECT_EQ(std::get<BinomialRule>(*tree.rule(4)).children, 7U);
}

TEST(Tree, HasTheRootThatItsDefinitionSays) {
  EXPECT_EQ(Tree(parse_tree("prins:T2")).root_id(), (NodeId{0, 0, 0, 0, 0x101}));
  EXPECT_EQ(Tree(parse_tree("prins:T2")).root_children(), 3200U);
  EXPECT_EQ(Tree(parse_tree("T3")).root_children(), 2000U);
  EXPECT_EQ(Tree(examples::tree_of("t=0,b=2.9")).root_children(), 2U);
  EXPECT_EQ(Tree(examples::tree_of("t=3,b=300")).root_children(), 100U);
}

TEST(Tree, KnowsWhetherItSurelyEnds) {
  EXPECT_TRUE(Tree(parse_tree("prins:T3")).surely_ends());
  EXPECT_FALSE(Tree(parse_tree("T3L")).surely_ends());
  EXPECT_FALSE(Tree(parse_tree("prins:n=10,q=0.5,m=4")).surely_ends());
  EXPECT_TRUE(Tree(parse_tree("T2")).surely_ends());
  EXPECT_TRUE(Tree(parse_tree("T4")).surely_ends());
}

TEST(Tree, WithoutAMeaningIsRefused) {
  EXPECT_THROW(Tree(examples::tree_of("t=1,a=1,d=1")), UsageError);
}

}  // namespace
}  // namespace cleave::uts
