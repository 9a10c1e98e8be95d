// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/branching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <random>
#include <vector>

#include "tests/apps/flowshop/examples.hpp"

namespace cleave::flowshop {
namespace {

/// Three free jobs with the given bounds.
Side preferred(Branching branching, std::vector<int> front, std::vector<int> back) {
  constexpr int kIncumbent = 100;
  Node node;
  node.permutation[0] = 3;  // in the prefix, so that its bounds must not count
  for (std::uint8_t i = 1; i <= 3; ++i) {
    node.permutation[i] = static_cast<Job>(i - 1);
  }
  node.prefix = 1;
  node.free_end = 4;
  ByJob front_bounds{};
  ByJob back_bounds{};
  std::copy(front.begin(), front.end(), front_bounds.begin());
  std::copy(back.begin(), back.end(), back_bounds.begin());
  front_bounds[3] = 1;
  back_bounds[3] = 30000;
  return preferred_side(branching, node, kIncumbent, front_bounds, back_bounds);
}

TEST(Branching, PrefersTheSideThatItsRuleSays) {
  struct Row {
    Branching branching;
    std::vector<int> front;
    std::vector<int> back;
    Side expected;
  };
  const std::vector<Row> rows = {
      // The side where more is pruned; on a tie that of the larger sum, then the front.
      {Branching::min_branch, {100, 10, 10}, {99, 99, 99}, Side::front},
      {Branching::min_branch, {99, 99, 99}, {100, 10, 10}, Side::back},
      {Branching::min_branch, {100, 101, 10}, {500, 99, 99}, Side::front},
      {Branching::min_branch, {100, 50, 50}, {100, 50, 51}, Side::back},
      {Branching::min_branch, {100, 50, 51}, {100, 50, 50}, Side::front},
      {Branching::min_branch, {100, 50, 50}, {50, 100, 50}, Side::front},
      // The larger sum, then the front.
      {Branching::max_sum, {10, 50, 50}, {100, 5, 6}, Side::back},
      {Branching::max_sum, {100, 5, 6}, {10, 50, 50}, Side::front},
      {Branching::max_sum, {100, 5, 5}, {10, 50, 50}, Side::front},
      // The side where the least bound is rarer, then as min_branch.
      {Branching::min_min, {20, 90, 90}, {20, 20, 90}, Side::front},
      {Branching::min_min, {20, 20, 200}, {20, 90, 90}, Side::back},
      {Branching::min_min, {30, 30, 30}, {20, 90, 90}, Side::front},
      {Branching::min_min, {20, 90, 90}, {20, 100, 50}, Side::back},
      {Branching::min_min, {20, 90, 90}, {20, 90, 91}, Side::back}};
  for (const auto& [branching, front, back, expected] : rows) {
    EXPECT_EQ(preferred(branching, front, back), expected);
  }
}

TEST(Brancher, AppendsTheChildrenBelowTheIncumbentBestLast) {
  std::mt19937 random(1);
  const Instance instance = examples::random_instance(random, 8, 4, 99);
  const Bounds bounds(instance);
  const Brancher brancher(instance, Bound::lb1, Branching::backward);
  ByJob expected{};
  bounds.one_machine(brancher.root(), Side::back, expected);
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
  const Instance instance = examples::random_instance(random, 6, 3, 99);
  const Brancher brancher(instance, Bound::lb1, Branching::alternate);
  Node node = brancher.root();
  for (int fixed = 1; fixed < instance.jobs; ++fixed) {
    std::vector<Node> children;
    brancher.append_children(node, std::numeric_limits<int>::max(), children);
    ASSERT_EQ(children.size(), static_cast<std::size_t>(instance.jobs - fixed + 1));
    node = children.back();
    EXPECT_EQ(node.prefix, (fixed + 1) / 2);
    EXPECT_EQ(instance.jobs - node.free_end, fixed / 2);
  }
}

}  // namespace
}  // namespace cleave::flowshop
