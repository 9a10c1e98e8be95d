// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/bounds.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>

#include <cleave/error.hpp>
#include <cleave/wire.hpp>

#include "apps/flowshop/taillard.hpp"
#include "tests/apps/flowshop/examples.hpp"

namespace cleave::flowshop {
namespace {

using namespace examples;  // NOLINT(google-build-using-namespace)

static_assert(Plain<Node>, "a node crosses to another rank as its bytes");

/// The bound of one node, as it is defined.
using BoundOfChild = int (*)(const Instance&, const PlainNode&);
/// The bounds of all children on one side at once, which must be equal to it.
using BoundsOfChildren = void (*)(const Bounds&, const Node&, Side, ByJob&);

void expect_bounds_as_defined(std::mt19937 random, int instances, int max_jobs,
                              BoundsOfChildren computed_by, BoundOfChild defined) {
  for (int i = 0; i < instances; ++i) {
    const int jobs = draw(random, 2, max_jobs);
    const Instance instance =
        random_instance(random, jobs, draw(random, 1, 5), i % 2 == 0 ? 99 : 4);
    const Bounds bounds(instance);
    const Node node = random_node(random, bounds, draw(random, 0, jobs - 2));
    for (const Side side : {Side::front, Side::back}) {
      ByJob computed{};
      computed_by(bounds, node, side, computed);
      for (const int job : plain(node, jobs).free) {
        ASSERT_EQ(computed[job], defined(instance, child_of(plain(node, jobs), side, job)));
      }
    }
  }
}

TEST(Bounds, OfOneMachineAreAsDefinedForAllChildren) {
  expect_bounds_as_defined(
      std::mt19937(1), 300, 8,
      [](const Bounds& bounds, const Node& node, Side side, ByJob& computed) {
        bounds.one_machine(node, side, computed);
      },
      one_machine_bound);
}

TEST(Bounds, OfTwoMachinesAreTheBestOrderOfEveryPair) {
  expect_bounds_as_defined(
      std::mt19937(2), 100, 6,
      [](const Bounds& bounds, const Node& node, Side side, ByJob& computed) {
        bounds.one_machine(node, side, computed);
        bounds.two_machines(node, side, computed);
      },
      two_machine_bound);
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

std::string refusal(const Instance& instance) {
  try {
    Bounds{instance};
  } catch (const UsageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(Bounds, RefuseWhatIsTooLarge) {
  EXPECT_EQ(refusal(taillard_instance("ta090")), "accepted");
  EXPECT_EQ(refusal(taillard_instance("ta101")),
            "ta101 has 200 jobs on 20 machines, branch-and-bound takes 1 to 100 jobs on 1 to 20 "
            "machines");
  EXPECT_EQ(refusal({.name = "slow", .jobs = 2, .machines = 1, .times = {16383, 16383}}),
            "accepted");
  EXPECT_EQ(refusal({.name = "slow", .jobs = 2, .machines = 1, .times = {16384, 1}}),
            "slow has a processing time of 16384, branch-and-bound takes at most 16383 for its "
            "size");
}

}  // namespace
}  // namespace cleave::flowshop
