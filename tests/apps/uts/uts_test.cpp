// SPDX-License-Identifier: Apache-2.0
// Trees, their parameters and their rules, and the search of them.
#include "apps/uts/uts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <cleave/check.hpp>
#include <cleave/error.hpp>
#include <cleave/random.hpp>

#include "apps/uts/check.hpp"

namespace cleave::uts {
namespace {

/// "t=1,a=3,d=10": the defaults of UTS 1.1, changed.
TreeParameters tree_of(std::string_view letters) {
  TreeParameters parameters;
  while (!letters.empty()) {
    const auto one = letters.substr(0, letters.find(','));
    set_by_letter(parameters, one.at(0), one.substr(2));
    letters.remove_prefix(std::min(letters.size(), one.size() + 1));
  }
  return parameters;
}

TEST(BinomialRule, HasAnExactThreshold) {
  for (const auto& [text, below] : {std::pair("prins:n=1,m=1,q=0", std::uint64_t{0}),
                                    {"prins:n=1,m=1,q=1", std::uint64_t{1} << 32},
                                    {"prins:n=1,m=1,q=0.234375", 1006632960},  // 15/64 of 2^32
                                    {"prins:n=1,m=1,q=0.124999", 536866618},   // .03 more than 617
                                    {"T3", 268167021}}) {  // 268167020.544 of 2^31
    EXPECT_EQ(std::get<BinomialRule>(*Tree(parse_tree(text)).rule(1)).below, below) << text;
  }
}

std::uint32_t children_of(const Tree& tree, std::uint32_t depth, std::uint32_t value) {
  return tree.children({0, 0, 0, 0, value}, depth);
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
  for (const char* letters :
       {"a=0,b=4,d=20", "a=1,b=4,d=12", "a=2,b=6,d=16", "a=3,b=2.5,d=9", "a=0,b=300,d=3",
        "a=2,b=0.7,d=5", "a=1,b=1,d=7", "a=3,b=1000,d=3", "a=0,b=2,d=5000"}) {
    const Tree tree(tree_of(std::string("t=1,") + letters));
    const auto& [shape, d] = std::pair(tree.parameters().shape, tree.parameters().depth_parameter);
    for (std::uint64_t i = 0; i < 20'000; ++i) {
      const auto depth = 1 + below(static_cast<std::uint32_t>(random(2 * i)), 5 * d + 20);
      // Half of the values are close to the greatest, where there are many children.
      const auto bits = static_cast<std::uint32_t>(random(2 * i + 1));
      const auto value = i % 2 == 0 ? bits >> 1 : 0x7fffffff - (bits >> (1 + i % 31));
      const bool may_have = depth < d || shape == Shape::exp_dec || shape == Shape::cyclic;
      const auto expected = may_have ? geometric_children(tree.parameters(), depth, value) : 0;
      ASSERT_EQ(children_of(tree, depth, value), expected)
          << letters << " depth " << depth << " value " << value;
      ASSERT_LE(expected, 100U);
    }
  }
}

TEST(Tree, KnowsWhetherItSurelyEnds) {
  for (const auto& [text, ends] : {std::pair("prins:T3", true),
                                   {"T3L", false},
                                   {"prins:n=10,q=0.5,m=4", false},
                                   {"T2", true},
                                   {"T4", true}}) {
    EXPECT_EQ(Tree(parse_tree(text)).surely_ends(), ends) << text;
  }
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
  for (const char* text : {"t=4", "t=", "a=-1", "a=LINEAR", "b=0", "b=nan", "b=1e99", "r=-1",
                           "r=2147483648", "q=1.01", "m=-1", "d=0", "d=1000001", "f=2", "x=1"}) {
    TreeParameters parameters;
    EXPECT_THROW(set_by_letter(parameters, text[0], text + 2), UsageError) << text;
    EXPECT_EQ(parameters, TreeParameters{}) << text;
  }
  EXPECT_THROW(Tree(tree_of("t=1,a=1,d=1")), UsageError);  // it has no meaning
}

TEST(Parameters, AreTheTextThatIsRead) {
  EXPECT_EQ(text_of(TreeParameters{}), "-t 1 -a 0 -d 6 -b 4 -r 0");
  EXPECT_EQ(tree_of("a=3,d=13,b=4.0,r=29"), parse_tree("T1L"));
  EXPECT_EQ(known_counts(parse_tree("T1L")), (TreeCounts{102'181'082, 81'746'377, 13}));
  EXPECT_EQ(known_counts(tree_of("a=3,d=13,b=4.0,r=30")), std::nullopt);
  for (const char* name :
       {"prins:T1", "prins:T2", "prins:T3", "prins:r=0x123456789abcdef,n=16777216,q=0.1,m=256",
        "prins:r=18446744073709551615,n=1,q=0,m=1"}) {
    const TreeParameters parameters = parse_tree(name);
    EXPECT_EQ(parse_tree(text_of(parameters)), parameters) << text_of(parameters);
  }
  EXPECT_EQ(parse_tree("prins:r=257,n=3200,q=0.234375,m=4").root, (NodeId{0, 0, 0, 0, 0x101}));
}

constexpr const char* kSmallTree = "prins:r=7,n=50,q=0.2,m=4";

/// A small tree of every type and shape.
std::vector<TreeParameters> small_trees() {
  std::vector<TreeParameters> all = {parse_tree(kSmallTree), parse_tree("prins:n=3,q=0,m=1")};
  for (const char* letters :
       {"t=0,b=300,q=0.12,m=8,r=3", "t=0,b=700,q=0.009,m=110,r=1", "t=0,b=2.9,q=0.1,m=2",
        "t=1,a=0,b=4,d=8,r=5", "t=1,a=1,b=3,d=8,r=2", "t=1,a=2,b=2,d=6,r=9", "t=1,a=3,b=4,d=6,r=19",
        "t=1,a=0,b=1.1,d=1500,r=1", "t=2,a=0,d=8,b=4,r=1,q=0.2,m=4",
        "t=2,a=3,d=6,f=0.3,b=8,r=2,q=0.4,m=2", "t=2,a=2,f=0,q=0.6,m=1,r=3", "t=3,b=3.7,d=7",
        "t=3,b=1,d=3000", "t=3,b=300,d=1", "t=1,b=0.01,r=1"}) {
    all.push_back(tree_of(letters));
  }
  return all;
}

TreeCounts count(const TreeParameters& parameters) {
  const Tree tree(parameters);
  return search_sequentially(Uts{tree}, whole_tree(tree));
}

class NamedTree : public ::testing::TestWithParam<const char*> {};

TEST_P(NamedTree, IsCountedExactly) {
  const TreeParameters parameters = parse_tree(GetParam());
  ASSERT_TRUE(known_counts(parameters));
  EXPECT_EQ(unlike_known_counts(parameters, count(parameters)), std::nullopt);
}

INSTANTIATE_TEST_SUITE_P(UpToAHundredMillionNodes, NamedTree,
                         ::testing::Values("prins:T1", "prins:T2", "prins:T3", "T1", "T2", "T3",
                                           "T4", "T5", "T1L", "T2L", "T3L"));

TEST(Uts, CountsWhatTheDefinitionSaysByAnyKernelAndGranularityFromAnyRoot) {
  for (TreeParameters parameters : small_trees()) {
    SCOPED_TRACE(text_of(parameters));
    const Tree tree(parameters);
    const TreeCounts expected = count_by_definition(parameters);
    EXPECT_EQ(count(parameters), expected);
    EXPECT_EQ(solve_sequential(Uts{tree}, whole_tree(tree)), expected);  // to an empty frontier
    for (const Uts& uts : {Uts({.tree = tree, .child_ids = child_ids_by_openssl}),
                           Uts({.tree = tree, .child_ids = child_ids_by_vectors}),
                           Uts({.tree = tree, .granularity = 3})}) {
      EXPECT_EQ(search_sequentially(uts, whole_tree(tree)), expected);
    }
    for (parameters.root.back() = 100; parameters.root.back() < 110; ++parameters.root.back()) {
      EXPECT_EQ(count(parameters), count_by_definition(parameters));
    }
  }
  EXPECT_EQ(count(parse_tree("prins:n=3,q=0,m=1")), (TreeCounts{4, 3, 1}));
  EXPECT_EQ(count(tree_of("t=1,b=0.01,r=1")), (TreeCounts{1, 1, 0}));
}

TEST(Uts, KeepsThePromisesOfAnApplication) {
  const Tree tree(parse_tree(kSmallTree));
  EXPECT_EQ(check(Uts{tree}, {whole_tree(tree)}), std::vector<std::string>{});
}

TEST(Check, TellsWrongCounts) {
  const TreeParameters t1 = parse_tree("prins:T1");
  EXPECT_EQ(wrong_counts(t1, {50'045, 38'333, 56}), std::nullopt);
  EXPECT_EQ(wrong_counts(t1, {50'045, 38'333, 55}),
            "50045 nodes, 38333 leaves, depth 55; the published tree has 50045, 38333, 56");
  EXPECT_EQ(wrong_counts(parse_tree("prins:n=3,q=0,m=1"), {5, 3, 1}),
            "5 nodes, 3 leaves, depth 1; a second traversal has 4, 3, 1");
}

TEST(Divide, CutsTheFrontierInProportionAndWidensANarrowOneFirst) {
  for (const char* const name : {"prins:T2", kSmallTree, "prins:r=7,n=2,q=0.2499,m=4"}) {
    const Tree tree(parse_tree(name));
    const Uts uts{tree};
    const TreeCounts all = count(tree.parameters());
    for (const int total : {2, 3, 5, 8, 100, 1000}) {
      const auto [left, right] = uts.divide(whole_tree(tree), Share{total / 2, total});
      EXPECT_EQ(uts.combine(search_sequentially(uts, left), search_sequentially(uts, right)), all);
      EXPECT_EQ(right.counted, TreeCounts{});
    }
  }
  const auto halves = [](const char* name, Share share) {
    const Tree tree(parse_tree(name));
    return Uts{tree}.divide(whole_tree(tree), share);
  };
  const auto [left, right] = halves("prins:T1", {.left = 2, .total = 5});
  EXPECT_EQ(left.size(), 3200 / 5 * 2);
  EXPECT_EQ(right.size(), 3200 / 5 * 3);
  const auto narrow = halves("prins:r=7,n=2,q=0.9,m=4", {.left = 1, .total = 2});
  const auto width = narrow.left.size() + narrow.right.size();
  EXPECT_TRUE(width >= 2 * kFrontierPerRank && width <= 2 * kFrontierPerRank + 16) << width;
  EXPECT_GT(narrow.left.counted.nodes, 1);
}

/// Prins 2003, section 4: one subtree of T3 has 82 % of its nodes, nine in ten have one.
TEST(Uts, OfT3HasSubtreesAsUnequalAsPublished) {
  const Tree tree(parse_tree("prins:T3"));
  std::vector<std::int64_t> sizes;
  for (std::uint32_t child = 0; child < tree.root_children(); ++child) {
    const Node root{.id = tree.root_id(), .depth = 0};
    const Forest below{.frontier = {{.parent = root, .first = child, .last = child + 1}}};
    sizes.push_back(search_sequentially(Uts{tree}, below).nodes);
  }
  EXPECT_EQ(sizes.size(), 3200U);
  EXPECT_EQ(*std::ranges::max_element(sizes), 4'551'481);
  EXPECT_NEAR(static_cast<double>(std::ranges::count(sizes, 1)) / 3200, 0.9, 0.02);
}

}  // namespace
}  // namespace cleave::uts
