// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/instance.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <cleave/error.hpp>

#include "tests/apps/flowshop/examples.hpp"
#include "tests/support/mutations.hpp"

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

constexpr const char* kBlock =
    "number of jobs, number of machines, initial seed, upper bound and lower bound :\r\n"
    "           3           2   873654221         170          11\r\n"
    "processing times :\r\n"
    " 54 83 15\r\n"
    " 79  3 11\r\n";

TEST(InstanceFile, IsABlockOfTaillardsOrJobsMachinesAndTimes) {
  for (const std::string text : {kBlock, "3 2\n54 83 15\n79 3 11", "3 2\n54 83 15\n79 3 11\n\n"}) {
    const Instance instance = parse_instance(text, "dir/tai.txt");
    EXPECT_EQ(instance.name, "tai");
    EXPECT_EQ(instance.jobs, 3);
    EXPECT_EQ(instance.machines, 2);
    EXPECT_EQ(instance.times, (std::vector<int>{54, 83, 15, 79, 3, 11}));
    EXPECT_EQ(instance.best_known, text == kBlock ? std::optional(170) : std::nullopt);
  }
}

TEST(InstanceFile, OfAnotherFormIsRefusedByLine) {
  const std::string head =
      "number of jobs, number of machines, initial seed, upper bound and lower bound :\n";
  const std::string form =
      "; a file is a line of jobs n and machines m and m lines of n times, or a block of "
      "Taillard's";
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"", "ends too early" + form},
      {"# 3 jobs\n3 2\n", "line 1: '#' is not a number of jobs" + form},
      {"3 2 0\n1 2 3\n", "line 1: ' 0' is too much" + form},
      {"0 2\n", "line 1: number of jobs 0 is out of range: from 1 to 10000" + form},
      {"3 2\n1 2 3\n", "ends too early" + form},
      {"3 2\n1 2\n3 4\n5 6\n", "line 2: the time is missing" + form},
      {"3 2\n\n1 2 3\n4 5 6\n", "line 2: the time is missing" + form},
      {"2 1\n1,5 2,5\n", "line 2: '1,5' is not a time" + form},
      {"2 1\n1 2\n3\n", "line 3: '3' is too much" + form},
      {"2 1\n0 1 1 2\n0 3 1 4\n", "line 2: ' 1 2' is too much" + form},
      {"2 1\n1 99999999999\n", "line 2: time 99999999999 is out of range: from 0 to 32767" + form},
      {head + "3 2 0 9 10\n", "line 2: lower bound 10 is out of range: from 0 to 9" + form},
      {head + "3 2 0 9 9\n1 2 3\n", "line 3: expected 'processing times'" + form},
      {head + "3 2 0 14 1\nprocessing times :\n1 2 3\n4 5 6\n",
       "line 5: the upper bound is 14, but machine 2 alone works for 15"},
      {std::string(kBlock) + kBlock,
       "line 6: 'number of jobs, number of machines, init' is too much" + form}};
  for (const auto& [text, expected] : rows) {
    try {
      parse_instance(text, "x");
      ADD_FAILURE() << "accepted: " << text;
    } catch (const FileError& error) {
      EXPECT_EQ(error.what(), "x: " + expected);
    }
  }
}

TEST(InstanceFile, DamagedInAnyWayIsReadOrRefusedByName) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    const std::string text = cleave::testing::damaged(kBlock, random);
    try {
      const Instance instance = parse_instance(text, "tai.txt");
      ASSERT_EQ(instance.times.size(), static_cast<std::size_t>(instance.jobs) *
                                           static_cast<std::size_t>(instance.machines))
          << text;
    } catch (const FileError& error) {
      ASSERT_TRUE(std::string_view(error.what()).starts_with("tai.txt: ")) << text;
    }
  }
}

}  // namespace
}  // namespace cleave::flowshop
