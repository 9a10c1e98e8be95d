// SPDX-License-Identifier: Apache-2.0
// What is told of a tree beside its counts: distribution, expectation, estimate, wanted size.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdint>
#include <numeric>
#include <vector>

#include <cleave/error.hpp>

#include "apps/uts/estimate.hpp"
#include "apps/uts/expectation.hpp"
#include "apps/uts/subtrees.hpp"
#include "apps/uts/uts.hpp"
#include "apps/uts/wanted_size.hpp"
#include "tests/apps/uts/examples.hpp"

namespace cleave::uts {
namespace {

TEST(Subtrees, OfT3AreAsUnequalAsPublished) {
  const Uts t3{.tree = Tree(parse_tree("prins:T3"))};
  const std::vector<std::int64_t> sizes = subtree_sizes(t3);
  EXPECT_EQ(std::accumulate(sizes.begin(), sizes.end(), std::int64_t{1}), 5'529'089);
  const SubtreeShares shares = shares_of(sizes);
  EXPECT_EQ(shares.count, 3200);
  EXPECT_NEAR(shares.largest, 4'551'481 / 5'529'089.0, 1e-12);
  EXPECT_NEAR(shares.single_node, 0.9, 0.02);
  EXPECT_LT(shares.holding_98_percent, 0.005);
  EXPECT_EQ(std::accumulate(shares.by_power_of_ten.begin(), shares.by_power_of_ten.end(),
                            std::int64_t{0}),
            3200);
}

TEST(Subtrees, AreSharedOutByPowersOfTen) {
  const SubtreeShares shares = shares_of({1, 1, 2, 9, 10, 99, 100});
  EXPECT_EQ(shares.by_power_of_ten, (std::vector<std::int64_t>{2, 2, 2, 1}));
  EXPECT_EQ(shares.median_size, 9);
  EXPECT_EQ(shares_of({}).count, 0);
}

TEST(Parallelism, OfT3IsItsSizeOverItsHeight) {
  EXPECT_NEAR(available_parallelism({5'529'089, 4'838'352, 1291}), 4283, 1);
}

TEST(Expectation, OfATreeOfPrinsIsAsPublished) {
  // 1 + n / (1 - q m)
  EXPECT_NEAR(size_moments(parse_tree("prins:T1")).mean, 1 + 3200 / 0.0625, 1e-6);
  EXPECT_TRUE(std::isinf(size_moments(parse_tree("T3L")).mean));
}

/// Mean and variance over many roots agree with the formulas, for every type of tree.
TEST(Expectation, IsWhatManyRootsHave) {
  for (const char* letters : {"t=0,b=20,q=0.1,m=8", "t=1,a=0,b=3,d=7", "t=1,a=1,b=2,d=5",
                              "t=1,a=2,b=2,d=4", "t=1,a=3,b=2,d=6", "t=2,a=3,b=2,d=8,q=0.2,m=4"}) {
    TreeParameters parameters = examples::tree_of(letters);
    constexpr int kRoots = 1000;
    double sum = 0;
    for (std::uint32_t root = 0; root < kRoots; ++root) {
      parameters.root.back() = root;
      const Tree tree(parameters);
      sum += static_cast<double>(search_sequentially(Uts{tree}, whole_tree(tree)).nodes);
    }
    const Moments moments = size_moments(parameters);
    EXPECT_NEAR(sum / kRoots, moments.mean, 4 * std::sqrt(moments.variance / kRoots)) << letters;
  }
}

TEST(Estimate, OfATreeVisitedWholeIsItsSize) {
  const SizeEstimate estimate = estimate_size({.tree = Tree(parse_tree("prins:T1"))}, 1'000'000);
  EXPECT_EQ(estimate.visited, 50'045);
  EXPECT_EQ(estimate.waiting, 0);
  EXPECT_EQ(estimate.mean, 50'045);
  EXPECT_EQ(estimate.low, 50'045);
  EXPECT_EQ(estimate.high, 50'045);
}

/// The interval holds the size for as many roots as it promises.
TEST(Estimate, HoldsTheSizeAsOftenAsItSays) {
  for (const char* letters : {"t=0,b=200,q=0.12,m=8", "t=1,a=3,b=3,d=7", "t=1,a=0,b=4,d=9"}) {
    TreeParameters parameters = examples::tree_of(letters);
    constexpr int kRoots = 500;
    int held = 0;
    for (std::uint32_t root = 0; root < kRoots; ++root) {
      parameters.root.back() = root;
      const Uts uts{.tree = Tree(parameters)};
      const SizeEstimate estimate = estimate_size(uts, 300, 0.9);
      const auto nodes = static_cast<double>(search_sequentially(uts, whole_tree(uts.tree)).nodes);
      held += estimate.low <= nodes && nodes <= estimate.high ? 1 : 0;
    }
    EXPECT_GT(held, 0.86 * kRoots) << letters;
    EXPECT_LE(held, kRoots) << letters;
  }
}

TEST(Estimate, OfASupercriticalTreeSaysThatItMayNeverEnd) {
  const SizeEstimate t3l = estimate_size({.tree = Tree(parse_tree("T3L"))}, 100'000);
  EXPECT_TRUE(std::isinf(t3l.mean));
  EXPECT_LT(t3l.probability_to_end, 1);
  EXPECT_GT(t3l.probability_to_end, 0.9);
  EXPECT_LT(t3l.low, 111'345'631);
  EXPECT_GT(t3l.high, 111'345'631);
  const SizeEstimate endless =
      estimate_size({.tree = Tree(parse_tree("prins:n=10,q=0.5,m=4"))}, 1000);
  EXPECT_LT(endless.probability_to_end, 1e-100);
}

TEST(WantedSize, IsTheExpectedOneForEveryTypeOfTree) {
  for (const char* letters : {"t=0,b=20,m=8", "t=1,a=0,d=7", "t=1,a=1,d=5", "t=1,a=2,d=9",
                              "t=1,a=3,d=6", "t=2,a=3,d=8,q=0.2,m=4"}) {
    const TreeParameters found = with_expected_size(examples::tree_of(letters), 12'345);
    EXPECT_NEAR(size_moments(found).mean, 12'345, 10) << letters;
  }
  EXPECT_THROW(with_expected_size(examples::tree_of("t=3"), 1000), UsageError);
  EXPECT_THROW(with_expected_size(examples::tree_of("t=0,b=2000"), 1000), UsageError);
}

TEST(WantedSize, IsFoundWithinTheTolerance) {
  for (const char* name : {"prins:T3", "T1", "T4"}) {
    const FoundTree found = find_tree(parse_tree(name), 100'000, 0.05, fastest_kernel().child_ids);
    EXPECT_NEAR(static_cast<double>(found.counts.nodes), 100'000, 5'000) << name;
    const Tree tree(found.parameters);
    EXPECT_EQ(search_sequentially(Uts{tree}, whole_tree(tree)), found.counts) << name;
  }
}

}  // namespace
}  // namespace cleave::uts
