// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <random>
#include <tuple>
#include <vector>

#include "apps/flowshop/branching.hpp"
#include "apps/flowshop/heuristic.hpp"
#include "tests/apps/flowshop/examples.hpp"

namespace cleave::flowshop {
namespace {

using namespace examples;  // NOLINT(google-build-using-namespace)

constexpr std::array kBounds = {Bound::lb1, Bound::lb2, Bound::mix};
constexpr std::array kBranchings = {Branching::forward,   Branching::backward,
                                    Branching::alternate, Branching::min_branch,
                                    Branching::min_min,   Branching::max_sum};

TEST(Branching, PrefersTheSideThatItsRuleSays) {
  constexpr int kIncumbent = 100;
  std::mt19937 random(3);
  for (int i = 0; i < 3000; ++i) {
    const Branching branching = kBranchings[3 + i % 3];
    // Three free jobs; the one in the prefix has bounds that must not count.
    Node node{.permutation = {3, 0, 1, 2}, .prefix = 1, .free_end = 4};
    ByJob front{0, 0, 0, 1};
    ByJob back{0, 0, 0, 30000};
    for (int job = 0; job < 3; ++job) {
      front[job] = static_cast<Time>(draw(random, 97, 102));
      back[job] = static_cast<Time>(draw(random, 97, 102));
    }
    const int least =
        std::min(*std::min_element(&front[0], &front[3]), *std::min_element(&back[0], &back[3]));
    const auto key_of = [&](const ByJob& by_job) {  // the smaller is preferred
      const std::span bounds(by_job.data(), 3);
      const auto rare = std::ranges::count(bounds, least);
      const auto kept = std::ranges::count_if(bounds, [](int b) { return b < kIncumbent; });
      return std::tuple(branching == Branching::min_min ? rare : 0,
                        branching == Branching::max_sum ? 0 : kept,
                        -std::accumulate(bounds.begin(), bounds.end(), 0));
    };
    EXPECT_EQ(preferred_side(branching, node, kIncumbent, front, back),
              key_of(back) < key_of(front) ? Side::back : Side::front);
  }
}

TEST(Brancher, AppendsTheChildrenBelowTheIncumbentBestLast) {
  std::mt19937 random(1);
  const Instance instance = random_instance(random, 8, 4, 99);
  const Brancher brancher(instance, Bound::lb1, Branching::backward);
  ByJob expected{};
  Bounds(instance).one_machine(brancher.root(), Side::back, expected);
  std::vector<Time> sorted(expected.begin(), expected.begin() + instance.jobs);
  std::sort(sorted.rbegin(), sorted.rend());
  const int incumbent = sorted[3];

  std::vector<Node> children(1);
  brancher.append_children(brancher.root(), incumbent, children);
  std::vector<Time> kept;
  for (std::size_t i = 1; i < children.size(); ++i) {
    EXPECT_EQ(children[i].prefix, 0);
    EXPECT_EQ(children[i].free_end, instance.jobs - 1);
    kept.push_back(expected[children[i].permutation[instance.jobs - 1]]);
  }
  std::erase_if(sorted, [&](Time bound) { return bound >= incumbent; });
  EXPECT_EQ(kept, sorted);
  EXPECT_EQ(children[0], Node{});
}

TEST(Brancher, AlternatesBeginningAtTheFront) {
  std::mt19937 random(2);
  const Instance instance = random_instance(random, 6, 3, 99);
  const Brancher brancher(instance, Bound::lb1, Branching::alternate);
  Node node = brancher.root();
  for (int fixed = 1; fixed < instance.jobs; ++fixed) {
    std::vector<Node> children;
    brancher.append_children(node, kNoMakespan, children);
    ASSERT_EQ(children.size(), static_cast<std::size_t>(instance.jobs - fixed + 1));
    node = children.back();
    EXPECT_EQ(node.prefix, (fixed + 1) / 2);
    EXPECT_EQ(instance.jobs - node.free_end, fixed / 2);
  }
}

TEST(Search, FromTheOptimumExploresAsManyNodesAsOtherPrograms) {
  using Row = std::tuple<const char*, Bound, Branching, std::int64_t, std::int64_t>;
  for (const auto& [name, bound, branching, explored, leaves] :
       {Row{"ta003", Bound::lb1, Branching::forward, 2'573'133, 5'689},
        Row{"ta014", Bound::lb1, Branching::forward, 2'573'652, 2'648},
        Row{"ta014", Bound::lb2, Branching::forward, 144'639, 0},
        Row{"ta014", Bound::lb1, Branching::min_branch, 19'300, 16},
        Row{"ta020", Bound::lb1, Branching::min_branch, 268'814, 2},
        Row{"ta030", Bound::lb1, Branching::min_branch, 2'415'778, 32},
        Row{"ta042", Bound::lb1, Branching::min_branch, 3'526'004, 0}}) {
    const Instance instance = taillard_instance(name);
    const SearchResult expected{
        .explored = explored, .leaves = leaves, .makespan = instance.best_known.value()};
    EXPECT_EQ(search_depth_first(Brancher(instance, bound, branching), expected.makespan), expected)
        << name;
  }
}

/// How many permutations have at most the makespan `maximum`.
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

TEST(Search, FindsTheOptimumAndEveryOptimalPermutationWithEveryBoundAndRule) {
  std::mt19937 random(1);
  for (int i = 0; i < 30; ++i) {
    const Instance instance =
        random_instance(random, draw(random, 1, 7), draw(random, 1, 6), i % 2 == 0 ? 99 : 3);
    const int optimum = min_makespan(instance);
    const std::int64_t optimal =
        count_permutations(Brancher(instance, Bound::lb1, Branching::forward), optimum);
    for (const Bound bound : kBounds) {
      for (const Branching branching : kBranchings) {
        const Brancher brancher(instance, bound, branching);
        const SearchResult found = search_depth_first(brancher, kNoMakespan);
        ASSERT_EQ(found.makespan, optimum);
        ASSERT_TRUE(is_complete(instance, found.permutation.value()));
        ASSERT_EQ(makespan(instance, *found.permutation), optimum);
        ASSERT_EQ(search_depth_first(brancher, optimum).permutation, std::nullopt);
        ASSERT_EQ(count_permutations(brancher, optimum), optimal);
      }
    }
  }
}

TEST(Search, FindsAsManyOptimalPermutationsAsOtherPrograms) {
  for (const auto& [name, expected] : {std::pair("ta003", 1083),
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

class SolvedFromHeuristic : public ::testing::TestWithParam<int> {};

TEST_P(SolvedFromHeuristic, EndsWithTheKnownOptimum) {
  const Instance instance = taillard_instance(fmt::format("ta{:03}", GetParam()));
  const Schedule start = iterated_greedy(instance, 1, 500);
  const SearchResult result =
      search_depth_first(Brancher(instance, Bound::lb1, Branching::min_branch), start.makespan);
  EXPECT_EQ(result.makespan, instance.best_known);
  EXPECT_EQ(makespan(instance, result.permutation.value_or(start.permutation)), result.makespan);
}

// ta017, which takes about 35 million nodes, is left out.
INSTANTIATE_TEST_SUITE_P(Ta001To016, SolvedFromHeuristic, ::testing::Range(1, 17));
INSTANTIATE_TEST_SUITE_P(Ta018To020, SolvedFromHeuristic, ::testing::Range(18, 21));

void expect_consistent(const Instance& instance, const Schedule& schedule) {
  ASSERT_TRUE(is_complete(instance, schedule.permutation));
  ASSERT_EQ(schedule.makespan, makespan(instance, schedule.permutation));
}

/// The schedule's makespan is `minimum` at least, and at most `share` more.
void expect_within(double share, int minimum, const Instance& instance, const Schedule& schedule) {
  expect_consistent(instance, schedule);
  EXPECT_GE(schedule.makespan, minimum);
  EXPECT_LE(schedule.makespan, minimum * (1 + share)) << instance.name;
}

TEST(Heuristics, ComeAsCloseToTheOptimumAsPublished) {
  for (const char* name : {"ta001", "ta011", "ta021", "ta031", "ta051", "ta081", "ta111"}) {
    const Instance instance = taillard_instance(name);
    expect_within(0.07, *instance.best_known, instance, neh(instance));
  }
  const Instance of_fifty = taillard_instance("ta041");
  expect_within(0.02, *of_fifty.best_known, of_fifty, iterated_greedy(of_fifty, 1, 300));
  std::mt19937 random(3);
  for (int i = 0; i < 200; ++i) {
    const Instance instance =
        random_instance(random, draw(random, 1, 12), draw(random, 1, 8), i % 2 == 0 ? 99 : 3);
    expect_consistent(instance, neh(instance));
    if (instance.jobs <= 7 && i < 50) {
      expect_within(0, min_makespan(instance), instance, iterated_greedy(instance, 1, 200));
    }
  }
}

TEST(IteratedGreedy, DependsOnTheSeedAloneAndEndsWhereItIsGoodEnough) {
  const Instance instance = taillard_instance("ta021");
  const Schedule schedule = iterated_greedy(instance, 1, 20);
  EXPECT_EQ(schedule.permutation, iterated_greedy(instance, 1, 20).permutation);
  EXPECT_NE(schedule.permutation, iterated_greedy(instance, 2, 20).permutation);
  EXPECT_EQ(iterated_greedy(taillard_instance("ta001"), 1, 1 << 20, 1278).makespan, 1278);
}

}  // namespace
}  // namespace cleave::flowshop
