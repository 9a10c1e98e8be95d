// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/heuristic.hpp"

#include <gtest/gtest.h>

#include <random>

#include "apps/flowshop/taillard.hpp"
#include "tests/apps/flowshop/examples.hpp"

namespace cleave::flowshop {
namespace {

void expect_consistent(const Instance& instance, const Schedule& schedule) {
  ASSERT_TRUE(is_complete(instance, schedule.permutation));
  ASSERT_EQ(schedule.makespan, makespan(instance, schedule.permutation));
}

TEST(Neh, GivesAPermutationAndItsMakespan) {
  std::mt19937 random(1);
  for (int i = 0; i < 200; ++i) {
    const Instance instance = examples::random_instance(
        random, examples::draw(random, 1, 12), examples::draw(random, 1, 8), i % 2 == 0 ? 99 : 3);
    expect_consistent(instance, neh(instance));
  }
}

TEST(Neh, IsOptimalForTwoJobs) {
  std::mt19937 random(2);
  for (int i = 0; i < 100; ++i) {
    const Instance instance =
        examples::random_instance(random, 2, examples::draw(random, 1, 8), 99);
    ASSERT_EQ(neh(instance).makespan, examples::min_makespan(instance));
  }
}

TEST(Neh, IsWithinSevenPercentOfTaillardsBestAsPublished) {
  for (const char* name : {"ta001", "ta011", "ta021", "ta031", "ta051", "ta081", "ta111"}) {
    const Instance instance = taillard_instance(name);
    const Schedule schedule = neh(instance);
    expect_consistent(instance, schedule);
    EXPECT_LE(schedule.makespan, instance.best_known.value() * 1.07) << name;
    EXPECT_GE(schedule.makespan, instance.best_known.value()) << name;
  }
}

TEST(IteratedGreedy, FindsTheOptimumOfSmallInstances) {
  std::mt19937 random(3);
  for (int i = 0; i < 20; ++i) {
    const Instance instance =
        examples::random_instance(random, examples::draw(random, 1, 7), 4, 99);
    const Schedule schedule = iterated_greedy(instance, 1, 200);
    expect_consistent(instance, schedule);
    ASSERT_EQ(schedule.makespan, examples::min_makespan(instance));
  }
}

TEST(IteratedGreedy, IsWithinTwoPercentOfTheBestOfFiftyJobs) {
  const Instance instance = taillard_instance("ta041");
  const Schedule schedule = iterated_greedy(instance, 1, 300);
  expect_consistent(instance, schedule);
  EXPECT_LE(schedule.makespan, instance.best_known.value() * 1.02);
  EXPECT_GE(schedule.makespan, instance.best_known.value());
}

TEST(IteratedGreedy, DependsOnTheSeedAlone) {
  const Instance instance = taillard_instance("ta021");
  const Schedule schedule = iterated_greedy(instance, 1, 20);
  EXPECT_EQ(schedule.permutation, iterated_greedy(instance, 1, 20).permutation);
  EXPECT_NE(schedule.permutation, iterated_greedy(instance, 2, 20).permutation);
}

TEST(IteratedGreedy, EndsWhereItIsGoodEnough) {
  EXPECT_EQ(iterated_greedy(taillard_instance("ta001"), 1, 1 << 20, 1278).makespan, 1278);
}

}  // namespace
}  // namespace cleave::flowshop
