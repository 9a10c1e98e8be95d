// SPDX-License-Identifier: Apache-2.0
#include "apps/uts/uts.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include <cleave/check.hpp>

#include "apps/uts/check.hpp"
#include "tests/apps/uts/examples.hpp"

namespace cleave::uts {

using namespace cleave::detail;
namespace {

constexpr const char* kSmallTree = "prins:r=7,n=50,q=0.2,m=4";

/// A small tree of every type and shape.
const std::vector<TreeParameters>& small_trees() {
  static const std::vector<TreeParameters> trees = [] {
    std::vector<TreeParameters> all = {parse_tree(kSmallTree), parse_tree("prins:n=3,q=0,m=1")};
    for (const char* letters :
         {"t=0,b=300,q=0.12,m=8,r=3", "t=0,b=700,q=0.009,m=110,r=1", "t=1,a=0,b=4,d=8,r=5",
          "t=1,a=1,b=3,d=8,r=2", "t=1,a=2,b=2,d=6,r=9", "t=1,a=3,b=4,d=6,r=19",
          "t=1,a=0,b=1.1,d=1500,r=1", "t=2,a=0,d=8,b=4,r=1,q=0.2,m=4",
          "t=2,a=3,d=6,f=0.3,b=8,r=2,q=0.4,m=2", "t=2,a=2,f=0,q=0.6,m=1,r=3", "t=3,b=3.7,d=7",
          "t=3,b=1,d=3000", "t=1,b=0.01,r=1"}) {
      all.push_back(examples::tree_of(letters));
    }
    return all;
  }();
  return trees;
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
                                           "T4", "T5", "T1L", "T2L", "T3L"),
                         [](const auto& test) {
                           std::string name = test.param;
                           std::erase(name, ':');
                           return name;
                         });

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
  EXPECT_EQ(count(examples::tree_of("t=1,b=0.01,r=1")), (TreeCounts{1, 1, 0}));
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

TEST(Divide, CountsEveryNodeOnceEvenForMoreRanksThanTheTreeIsWide) {
  for (const char* const name : {"prins:T2", kSmallTree}) {
    const Tree tree(parse_tree(name));
    const Uts uts{tree};
    for (const int total : {2, 3, 5, 8, 100, 1000}) {
      const auto [left, right] = uts.divide(whole_tree(tree), Share{total / 2, total});
      EXPECT_EQ(uts.combine(search_sequentially(uts, left), search_sequentially(uts, right)),
                count(tree.parameters()));
    }
  }
}

TEST(Divide, CutsTheFrontierInProportionToTheRanks) {
  const Tree tree(parse_tree("prins:T1"));
  const auto [left, right] = Uts{tree}.divide(whole_tree(tree), Share{.left = 2, .total = 5});
  EXPECT_EQ(left.size(), 3200 / 5 * 2);
  EXPECT_EQ(right.size(), 3200 / 5 * 3);
}

TEST(Divide, WidensANarrowFrontierFirst) {
  const Tree tree(parse_tree("prins:r=7,n=2,q=0.9,m=4"));
  const auto [left, right] = Uts{tree}.divide(whole_tree(tree), Share{.left = 1, .total = 2});
  EXPECT_GE(left.size() + right.size(), 2 * kFrontierPerRank);
  EXPECT_LE(left.size() + right.size(), 2 * kFrontierPerRank + 16);
  EXPECT_GT(left.counted.nodes, 1);
  EXPECT_EQ(right.counted, TreeCounts{});
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
