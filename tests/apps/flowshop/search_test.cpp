// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/search.hpp"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "apps/flowshop/heuristic.hpp"
#include "apps/flowshop/taillard.hpp"
#include "tests/apps/flowshop/examples.hpp"

namespace cleave::flowshop {
namespace {

constexpr std::array kBounds = {Bound::lb1, Bound::lb2, Bound::mix};
constexpr std::array kBranchings = {Branching::forward,   Branching::backward,
                                    Branching::alternate, Branching::min_branch,
                                    Branching::min_min,   Branching::max_sum};

SearchResult search_from_optimum(const char* name, Bound bound, Branching branching) {
  const Instance instance = taillard_instance(name);
  return search_depth_first(Brancher(instance, bound, branching), instance.best_known.value());
}

struct Counts {
  std::int64_t explored;
  std::int64_t leaves;
};

void expect_counts(const SearchResult& result, const Counts& expected) {
  EXPECT_EQ(result.explored, expected.explored);
  EXPECT_EQ(result.leaves, expected.leaves);
  EXPECT_EQ(result.permutation, std::nullopt);
}

// Counts on which independent programs agree, with the incumbent started at the optimum.
TEST(Search, OfTa003ForwardExploresAsManyNodesAsOtherPrograms) {
  expect_counts(search_from_optimum("ta003", Bound::lb1, Branching::forward), {2'573'133, 5'689});
}

TEST(Search, OfTa014ForwardExploresAsManyNodesAsOtherPrograms) {
  expect_counts(search_from_optimum("ta014", Bound::lb1, Branching::forward), {2'573'652, 2'648});
  expect_counts(search_from_optimum("ta014", Bound::lb2, Branching::forward), {144'639, 0});
}

TEST(Search, WithMinBranchExploresAsManyNodesAsOtherPrograms) {
  expect_counts(search_from_optimum("ta014", Bound::lb1, Branching::min_branch), {19'300, 16});
  expect_counts(search_from_optimum("ta020", Bound::lb1, Branching::min_branch), {268'814, 2});
}

TEST(Search, OfTa030ExploresAsManyNodesAsOtherPrograms) {
  expect_counts(search_from_optimum("ta030", Bound::lb1, Branching::min_branch), {2'415'778, 32});
}

TEST(Search, OfTa042ExploresAsManyNodesAsOtherPrograms) {
  expect_counts(search_from_optimum("ta042", Bound::lb1, Branching::min_branch), {3'526'004, 0});
}

TEST(Search, FindsTheOptimumOfSmallInstancesWithEveryBoundAndRule) {
  std::mt19937 random(1);
  for (int i = 0; i < 30; ++i) {
    const Instance instance = examples::random_instance(
        random, examples::draw(random, 1, 7), examples::draw(random, 1, 6), i % 2 == 0 ? 99 : 3);
    const int optimum = examples::min_makespan(instance);
    for (const Bound bound : kBounds) {
      for (const Branching branching : kBranchings) {
        const Brancher brancher(instance, bound, branching);
        const SearchResult found = search_depth_first(brancher, std::numeric_limits<int>::max());
        ASSERT_EQ(found.makespan, optimum);
        ASSERT_TRUE(is_complete(instance, found.permutation.value()));
        ASSERT_EQ(makespan(instance, *found.permutation), optimum);
        ASSERT_EQ(search_depth_first(brancher, optimum).permutation, std::nullopt);
      }
    }
  }
}

TEST(Search, OfOneJobEvaluatesItsOnePermutation) {
  const Instance instance{.name = "one", .jobs = 1, .machines = 2, .times = {3, 4}};
  const SearchResult result =
      search_depth_first(Brancher(instance, Bound::lb2, Branching::min_branch), 100);
  EXPECT_EQ(result.explored, 0);
  EXPECT_EQ(result.leaves, 1);
  EXPECT_EQ(result.makespan, 7);
  EXPECT_EQ(result.permutation, Permutation{0});
}

/// How many permutations have at most the makespan `most`.
std::int64_t count_permutations(const Brancher& brancher, int maximum) {
  std::int64_t count = 0;
  std::vector<Node> stack = {brancher.root()};
  while (!stack.empty()) {
    const Node node = stack.back();
    stack.pop_back();
    if (node.is_leaf()) {
      count += brancher.leaf_makespan(node) <= maximum ? 1 : 0;
    } else {
      brancher.append_children(node, maximum + 1, stack);
    }
  }
  return count;
}

TEST(Search, LosesNoOptimalPermutationWithAnyBoundAndRule) {
  std::mt19937 random(2);
  for (int i = 0; i < 10; ++i) {
    const Instance instance = examples::random_instance(random, 7, examples::draw(random, 1, 6), 9);
    const int optimum = examples::min_makespan(instance);
    const std::int64_t expected =
        count_permutations(Brancher(instance, Bound::lb1, Branching::forward), optimum);
    for (const Bound bound : kBounds) {
      for (const Branching branching : kBranchings) {
        ASSERT_EQ(count_permutations(Brancher(instance, bound, branching), optimum), expected);
      }
    }
  }
}

TEST(Search, FindsAsManyOptimalPermutationsAsOtherPrograms) {
  struct Known {
    const char* name;
    std::int64_t optimal_permutations;
  };
  for (const auto& [name, expected] : {Known{"ta003", 1083},
                                       {"ta004", 192},
                                       {"ta007", 116},
                                       {"ta014", 3},
                                       {"ta016", 23},
                                       {"ta019", 33}}) {
    const Instance instance = taillard_instance(name);
    for (const Bound bound : kBounds) {
      EXPECT_EQ(count_permutations(Brancher(instance, bound, Branching::min_branch),
                                   instance.best_known.value()),
                expected)
          << name;
    }
  }
}

class SolvedFromHeuristic : public ::testing::TestWithParam<const char*> {};

TEST_P(SolvedFromHeuristic, EndsWithTheKnownOptimum) {
  const Instance instance = taillard_instance(GetParam());
  const Schedule start = iterated_greedy(instance, 1, 500);
  const SearchResult result =
      search_depth_first(Brancher(instance, Bound::lb1, Branching::min_branch), start.makespan);
  EXPECT_EQ(result.makespan, instance.best_known);
  EXPECT_EQ(makespan(instance, result.permutation.value_or(start.permutation)), result.makespan);
}

// ta017 takes the longest, about 35 million nodes: long_test.cpp.
INSTANTIATE_TEST_SUITE_P(Ta001To020, SolvedFromHeuristic,
                         ::testing::Values("ta001", "ta002", "ta003", "ta004", "ta005", "ta006",
                                           "ta007", "ta008", "ta009", "ta010", "ta011", "ta012",
                                           "ta013", "ta014", "ta015", "ta016", "ta018", "ta019",
                                           "ta020"),
                         [](const auto& test) { return std::string(test.param); });

}  // namespace
}  // namespace cleave::flowshop
