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

TEST(PrinsParameters, TakeRootsOfUpTo64Bits) {
  const auto root = [](const std::string& r) {
    return parse_tree("prins:n=1,q=0,m=1,r=" + r).root;
  };
  EXPECT_EQ(root("0x101"), (NodeId{0, 0, 0, 0, 0x101}));
  EXPECT_EQ(root("257"), root("0x101"));
  EXPECT_EQ(root("18446744073709551615"), (NodeId{0, 0, 0, 0xffffffff, 0xffffffff}));
}

TEST(Parameters, ThatAreNoneAreRefused) {
  for (const char* text :
       {"", "T6", "t1", "prins:", "prins:T4", "prins:n=1,q=0.1", "prins:n=1,q=0.1,m=4,x=2",
        "prins:n=1,n=2,q=0.1,m=4", "prins:n=0,q=0.1,m=4", "prins:n=1,q=1.5,m=4",
        "prins:n=1,q=nan,m=4", "prins:n=1,q=,m=4", "prins:n=1,q=0.1,m=257", "prins:n=-1,q=0.1,m=4",
        "prins:n=1e9,q=0.1,m=4", "prins:r=0x,n=1,q=0.1,m=4", "prins:r=0x-1,n=1,q=0.1,m=4",
        "prins:r=0x10000000000000000,n=1,q=0.1,m=4", "prins:n=1,,q=0.1,m=4"}) {
    EXPECT_THROW(parse_tree(text), UsageError) << text;
  }
}

TEST(Letters, DescribeTheNamedTrees) {
  TreeParameters parameters;
  EXPECT_EQ(text_of(parameters), "-t 1 -a 0 -d 6 -b 4 -r 0");
  for (const auto& [letter, value] :
       {std::pair{'a', "3"}, {'d', "13"}, {'b', "4.0"}, {'r', "29"}}) {
    set_by_letter(parameters, letter, value);
  }
  EXPECT_EQ(parameters, parse_tree("T1L"));
  EXPECT_EQ(known_counts(parameters), (TreeCounts{102'181'082, 81'746'377, 13}));
  set_by_letter(parameters, 'r', "30");
  EXPECT_EQ(known_counts(parameters), std::nullopt);
}

TEST(Letters, OutOfRangeAreRefused) {
  for (const auto& [letter, value] : {std::pair{'t', "4"},
                                      {'t', ""},
                                      {'a', "-1"},
                                      {'a', "LINEAR"},
                                      {'b', "0"},
                                      {'b', "nan"},
                                      {'b', "1e99"},
                                      {'r', "-1"},
                                      {'r', "2147483648"},
                                      {'q', "1.01"},
                                      {'m', "-1"},
                                      {'d', "0"},
                                      {'d', "1000001"},
                                      {'f', "2"},
                                      {'x', "1"}}) {
    TreeParameters parameters;
    EXPECT_THROW(set_by_letter(parameters, letter, value), UsageError) << letter << ' ' << value;
    EXPECT_EQ(parameters, TreeParameters{}) << letter << ' ' << value;
  }
}

TEST(Text, OfATreeOfPrinsIsReadAgain) {
  for (const char* name :
       {"prins:T1", "prins:T2", "prins:T3", "prins:r=0x123456789abcdef,n=16777216,q=0.1,m=256"}) {
    const TreeParameters parameters = parse_tree(name);
    EXPECT_EQ(parse_tree(text_of(parameters)), parameters) << text_of(parameters);
  }
}

}  // namespace
}  // namespace cleave::uts
