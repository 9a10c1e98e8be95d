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

TEST(Bounds, AreAsDefinedForAllChildren) {
  std::mt19937 random(1);
  for (int i = 0; i < 300; ++i) {
    const bool has_two_machines = i % 3 == 0;  // the best order of every pair
    const int jobs = draw(random, 2, has_two_machines ? 6 : 8);
    const Instance instance =
        random_instance(random, jobs, draw(random, 1, 5), i % 2 == 0 ? 99 : 4);
    const Bounds bounds(instance);
    const Node node = random_node(random, bounds, draw(random, 0, jobs - 2));
    for (const Side side : {Side::front, Side::back}) {
      ByJob one_machine{};
      bounds.one_machine(node, side, one_machine);
      ByJob two_machines = one_machine;
      bounds.two_machines(node, side, two_machines);
      for (const int job : plain(node, jobs).free) {
        const PlainNode child = child_of(plain(node, jobs), side, job);
        ASSERT_EQ(one_machine[job], one_machine_bound(instance, child));
        if (has_two_machines) {
          ASSERT_EQ(two_machines[job], two_machine_bound(instance, child));
        }
      }
    }
  }
}

TEST(Bounds, NeverExceedTheLeastMakespanBelow) {
  std::mt19937 random(3);
  constexpr int kJobs = 7;
  for (int i = 0; i < 60; ++i) {
    const Instance instance = random_instance(random, kJobs, draw(random, 1, 10), 99);
    const Bounds bounds(instance);
    const Node node = random_node(random, bounds, draw(random, 0, kJobs - 2));
    for (const Side side : {Side::front, Side::back}) {
      ByJob one_machine{};
      bounds.one_machine(node, side, one_machine);
      ByJob two_machines = one_machine;
      bounds.two_machines(node, side, two_machines);
      for (const int job : plain(node, kJobs).free) {
        ASSERT_LE(one_machine[job], two_machines[job]);
        ASSERT_LE(two_machines[job],
                  min_makespan(instance, child_of(plain(node, kJobs), side, job)));
      }
    }
  }
}

/// The definition of LB1 by trying all paths would take years at this size.
int bound_of_node(const Node& node, int machines) {
  int bound = 0;
  for (int machine = 0; machine < machines; ++machine) {
    bound = std::max(bound, node.front[machine] + node.remaining[machine] + node.back[machine]);
  }
  return bound;
}

TEST(Bounds, FitIntoSixteenBitsAtTheLargestSizeAndTimes) {
  std::mt19937 random(4);
  const Instance instance = random_instance(random, kMaxJobs, kMaxMachines, 275);
  const Bounds bounds(instance);
  for (int fixed = 0; fixed <= kMaxJobs - 2; ++fixed) {
    const Node node = random_node(random, bounds, fixed);
    for (const Side side : {Side::front, Side::back}) {
      ByJob one_machine{};
      bounds.one_machine(node, side, one_machine);
      ByJob two_machines = one_machine;
      bounds.two_machines(node, side, two_machines);
      for (int position = node.prefix; position < node.free_end; ++position) {
        const int job = node.permutation[position];
        Node child = node;
        bounds.fix_job(child, side, position);
        ASSERT_EQ(one_machine[job], bound_of_node(child, kMaxMachines));
        ASSERT_LE(one_machine[job], two_machines[job]);
        ASSERT_LE(two_machines[job], makespan(instance, permutation_of(plain(child, kMaxJobs))));
      }
    }
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
