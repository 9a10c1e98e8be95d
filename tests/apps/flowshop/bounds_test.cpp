// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>

#include <cleave/error.hpp>
#include <cleave/wire.hpp>

#include "tests/apps/flowshop/examples.hpp"

namespace cleave::flowshop {
namespace {

using namespace examples;  // NOLINT(google-build-using-namespace)

static_assert(Plain<Node>, "a node crosses to another rank as its bytes");

/// Calls `expect` with each child on either side, its LB1 and its LB2.
template <class Expect>
void for_each_child(const Bounds& bounds, const Node& node, Expect&& expect) {
  for (const Side side : {Side::front, Side::back}) {
    ByJob one_machine{};
    bounds.one_machine(node, side, one_machine);
    ByJob two_machines = one_machine;
    bounds.two_machines(node, side, two_machines);
    for (int position = node.prefix; position < node.free_end; ++position) {
      Node child = node;
      bounds.fix_job(child, side, position);
      const int job = node.permutation[position];
      expect(child, one_machine[job], two_machines[job]);
    }
  }
}

TEST(Bounds, OfAllChildrenAreAsDefinedAndNeverExceedTheLeastMakespanBelow) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const int jobs = draw(random, 2, 7);
    const Instance instance =
        random_instance(random, jobs, draw(random, 1, i % 3 == 0 ? 4 : 8), i % 2 == 0 ? 99 : 4);
    const Bounds bounds(instance);
    const Node node = random_node(random, bounds, draw(random, 0, jobs - 2));
    for_each_child(bounds, node, [&](const Node& child, int one_machine, int two_machines) {
      const PlainNode below = plain(child, jobs);
      ASSERT_EQ(below.free.size() + 1, plain(node, jobs).free.size());
      ASSERT_EQ(one_machine, one_machine_bound(instance, below));
      ASSERT_LE(one_machine, two_machines);
      ASSERT_LE(two_machines, min_makespan(instance, below));
      if (i % 3 == 0) {
        ASSERT_EQ(two_machines, two_machine_bound(instance, below));
      }
    });
  }
}

TEST(Bounds, FitIntoSixteenBitsAtTheLargestSizeAndTimes) {
  std::mt19937 random(4);
  const Instance instance = random_instance(random, kMaxJobs, kMaxMachines, 275);
  const Bounds bounds(instance);
  for (int fixed = 0; fixed <= kMaxJobs - 2; ++fixed) {
    const Node node = random_node(random, bounds, fixed);
    for_each_child(bounds, node, [&](const Node& child, int one_machine, int two_machines) {
      int bound = 0;  // that of the definition would take years at this size
      for (int machine = 0; machine < kMaxMachines; ++machine) {
        bound =
            std::max(bound, child.front[machine] + child.remaining[machine] + child.back[machine]);
      }
      ASSERT_EQ(one_machine, bound);
      ASSERT_LE(one_machine, two_machines);
      const Permutation below(child.permutation.begin(), child.permutation.begin() + kMaxJobs);
      ASSERT_LE(two_machines, makespan(instance, below));
    });
  }
}

TEST(Bounds, LeafHasTheMakespanOfItsPermutation) {
  std::mt19937 random(5);
  for (int i = 0; i < 200; ++i) {
    const int jobs = draw(random, 1, 8);
    const Instance instance = random_instance(random, jobs, draw(random, 1, 6), 99);
    const Bounds bounds(instance);
    const Node leaf = random_node(random, bounds, jobs - 1);
    ASSERT_TRUE(leaf.is_leaf());
    ASSERT_EQ(bounds.leaf_makespan(leaf), min_makespan(instance, plain(leaf, jobs)));
  }
}

TEST(Bounds, RefuseWhatIsTooLarge) {
  EXPECT_NO_THROW(Bounds{taillard_instance("ta090")});
  EXPECT_THROW(Bounds{taillard_instance("ta101")}, UsageError);
  const auto of_two = [](int time, int other) {
    return Bounds({.name = "slow", .jobs = 2, .machines = 1, .times = {time, other}});
  };
  EXPECT_NO_THROW(of_two(16383, 16383));
  EXPECT_THROW(of_two(16384, 1), UsageError);
}

}  // namespace
}  // namespace cleave::flowshop
