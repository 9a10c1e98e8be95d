// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/instance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>

#include "tests/apps/flowshop/examples.hpp"

namespace cleave::flowshop {
namespace {

using examples::draw;
using examples::longest_path;
using examples::random_instance;

TEST(Makespan, IsTheLongestOfAllPathsThroughTheSchedule) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const Instance instance = random_instance(random, draw(random, 1, 7), draw(random, 1, 5), 99);
    Permutation permutation(static_cast<std::size_t>(instance.jobs));
    std::iota(permutation.begin(), permutation.end(), 0);
    std::shuffle(permutation.begin(), permutation.end(), random);
    ASSERT_EQ(makespan(instance, permutation),
              longest_path(instance, permutation, 0, instance.machines - 1));
  }
}

TEST(Makespan, OfTwoJobsOnTwoMachinesIsAsByHand) {
  const Instance instance{.name = "two", .jobs = 2, .machines = 2, .times = {3, 1, 2, 4}};
  EXPECT_EQ(makespan(instance, Permutation{0, 1}), 9);  // 3 + 2 + 4
  EXPECT_EQ(makespan(instance, Permutation{1, 0}), 7);  // 1 + 4 + 2
  EXPECT_EQ(makespan(instance, Permutation{1}), 5);
  EXPECT_EQ(makespan(instance, Permutation{}), 0);
}

TEST(Permutation, IsCompleteWithEveryJobOnce) {
  const Instance instance{.name = "three", .jobs = 3, .machines = 1, .times = {1, 1, 1}};
  EXPECT_TRUE(is_complete(instance, Permutation{2, 0, 1}));
  EXPECT_FALSE(is_complete(instance, Permutation{2, 0}));
  EXPECT_FALSE(is_complete(instance, Permutation{2, 0, 2}));
  EXPECT_FALSE(is_complete(instance, Permutation{2, 0, 3}));
  EXPECT_FALSE(is_complete(instance, Permutation{2, 0, -1}));
  EXPECT_FALSE(is_complete(instance, Permutation{2, 0, 1, 1}));
}

}  // namespace
}  // namespace cleave::flowshop
