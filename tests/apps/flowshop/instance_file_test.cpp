// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/instance_file.hpp"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <vector>

#include <cleave/error.hpp>

#include "tests/support/mutations.hpp"

namespace cleave::flowshop {
namespace {

constexpr const char* kTwoInstances =
    "number of jobs, number of machines, initial seed, upper bound and lower bound :\n"
    "           3           2   873654221         170          11\n"
    "processing times :\n"
    " 54 83 15\n"
    " 79  3 11\n"
    "number of jobs, number of machines, initial seed, upper bound and lower bound :\r\n"
    "           1           2   379008056           0           0\r\n"
    "processing times :\r\n"
    " 26\r\n"
    " 38\r\n";

std::string refusal(std::string_view text) {
  try {
    parse_instances(text, "dir/tai.txt");
  } catch (const FileError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(InstanceFile, IsReadAsPublished) {
  const auto instances = parse_instances(kTwoInstances, "dir/tai.txt");
  ASSERT_EQ(instances.size(), 2U);
  EXPECT_EQ(instances[0].name, "tai-1");
  EXPECT_EQ(instances[0].jobs, 3);
  EXPECT_EQ(instances[0].machines, 2);
  EXPECT_EQ(instances[0].times, (std::vector<int>{54, 83, 15, 79, 3, 11}));
  EXPECT_EQ(instances[0].best_known, 170);
  EXPECT_EQ(instances[1].name, "tai-2");
  EXPECT_EQ(instances[1].times, (std::vector<int>{26, 38}));
  EXPECT_EQ(instances[1].best_known, std::nullopt);
}

/// An instance of 7 jobs on 4 machines, whose least makespan is 603.
constexpr const char* kTimes =
    "80 33 95 46 89 95 84\n68 4 60 32 84 7 21\n15 48 61 32 49 70 14\n74 32 2 94 28 53 36\n";

Instance parse_one(const std::string& text) {
  const auto instances = parse_instances(text, "nm.txt");
  EXPECT_EQ(instances.size(), 1U);
  return instances.at(0);
}

TEST(InstanceFile, OfAShortHeadIsRead) {
  const Instance instance = parse_one(std::string("7 4\n") + kTimes);
  EXPECT_EQ(instance.name, "nm");
  EXPECT_EQ(instance.jobs, 7);
  EXPECT_EQ(instance.machines, 4);
  EXPECT_EQ(instance.time(1, 0), 68);
  EXPECT_EQ(instance.best_known, std::nullopt);
}

TEST(InstanceFile, MayEndWithASolution) {
  const std::string times = std::string("7 4 \n") + kTimes;
  for (const std::string end : {"\n603\n3\t4\t5\t1\t6\t2\t7\n", "603\n", "3 4 5 1 6 2 7\n",
                                "Best permutation:\n2 3 4 0 5 1 6\n"}) {
    const Instance instance = parse_one(times + end);
    EXPECT_EQ(instance.times, parse_one(times).times) << end;
    EXPECT_EQ(instance.best_known, 603) << end;
  }
  EXPECT_EQ(refusal(times + "604\n3 4 5 1 6 2 7\n"),
            "dir/tai.txt: line 7: the makespan of this permutation is 603, not 604 as the line "
            "before says: are the times in another order?");
  EXPECT_EQ(refusal(times + "603\n3 4 5 1 6 2 2\n"),
            "dir/tai.txt: line 7: 7 numbers: a head has 2, jobs and machines, or 5, with seed, "
            "upper and lower bound");
}

TEST(InstanceFile, ThatTellsAMakespanWhichIsImpossibleIsRefused) {
  const std::string line =
      " is told, but machine 2 alone works for 15: are the times in another order?";
  EXPECT_EQ(refusal("3 2 0 14 1\n1 2 3\n4 5 6\n"), "dir/tai.txt: line 3: a makespan of 14" + line);
  EXPECT_EQ(refusal("3 2\n1 2 3\n4 5 6\n9\n"), "dir/tai.txt: line 4: a makespan of 9" + line);
  EXPECT_EQ(parse_one("3 2 0 15 1\n1 2 3\n4 5 6\n").best_known, 15);
}

TEST(InstanceFile, MayHaveComments) {
  EXPECT_EQ(parse_one("# 3 jobs\n3 2\n#1\n1 2 3\n4 5 6\n").times,
            (std::vector<int>{1, 2, 3, 4, 5, 6}));
}

TEST(InstanceFile, OfPairsOfMachineAndTimeIsTheSame) {
  const Instance instance = parse_one(
      "7  4\n0 80  1 68  2 15  3 74\n0 33  1 4  2 48  3 32\n0 95  1 60  2 61  3 2\n"
      "0 46  1 32  2 32  3 94\n0 89  1 84  2 49  3 28\n0 95  1 7  2 70  3 53\n"
      "0 84  1 21  2 14  3 36\n");
  EXPECT_EQ(instance.times, parse_one(std::string("7 4\n") + kTimes).times);
  EXPECT_EQ(refusal("2 2\n0 1 1 2\n1 3 0 4\n"),
            "dir/tai.txt: line 3: the times of job 2 of 2 must be 2 pairs of a machine, from 0, "
            "and its time");
}

TEST(InstanceFile, OfLinesThatLookLikePairsIsReadByMachines) {
  EXPECT_EQ(parse_one("2 1\n0 5\n").times, (std::vector<int>{0, 5}));
  EXPECT_EQ(parse_one("2 1\n0 5\n5\n1 2\n").best_known, 5);
  EXPECT_EQ(parse_one("4 2\n0 7 1 9\n3 2 5 4\n").times, (std::vector<int>{0, 7, 1, 9, 3, 2, 5, 4}));
  EXPECT_EQ(parse_one("4 2\n0 7 1 9\n0 2 1 4\n0 2 1 3\n").times,
            (std::vector<int>{0, 7, 1, 9, 0, 2, 1, 4}));
  EXPECT_EQ(parse_instances("2 1 7 9 1\n0 5\n2 1 7 9 1\n0 6\n", "nm.txt").size(), 2U);
  EXPECT_EQ(parse_one("2 1\n0 5\n0 7\n").times, (std::vector<int>{5, 7}));
  EXPECT_EQ(parse_one("4 2\n0 1 1 2\n0 3 1 4\n0 5 1 6\n0 7 1 8\n").times,
            (std::vector<int>{1, 3, 5, 7, 2, 4, 6, 8}));
  EXPECT_EQ(refusal("2 1\n0 5\n0 1\n"),
            "dir/tai.txt: line 3: '0 1' is a permutation or a pair: write a permutation as 1 2, or "
            "both times on one line");
}

TEST(InstanceFile, OfLinesThatTheHeadDoesNotPromiseIsRefused) {
  EXPECT_EQ(refusal("4 7\n80 33 95 46 89 95 84\n"),
            "dir/tai.txt: line 2: 7 numbers, but the times of machine 1 of 7 are 4 numbers by the "
            "head: lines are machines here, not jobs");
  EXPECT_EQ(refusal("3 4\n1 2 3\n1 2 3\n1 2 3 4\n1 2 3\n"),
            "dir/tai.txt: line 4: 4 numbers, but the times of machine 3 of 4 are 3 numbers by the "
            "head: lines are machines here, not jobs");
  EXPECT_EQ(refusal("2 2 0 9 9 1 2 3 4"),
            "dir/tai.txt: line 1: 9 numbers: a head has 2, jobs and machines, or 5, with seed, "
            "upper and lower bound");
}

/// Once read as a head of five numbers, with a better makespan than there is.
TEST(InstanceFile, OfThreeJobsAndAPermutationIsReadByLines) {
  const Instance instance = parse_one("3 4\n10 20 5\n3 30 8\n7 2 40\n6 6 6\n1 3 2\n");
  EXPECT_EQ(instance.times, (std::vector<int>{10, 20, 5, 3, 30, 8, 7, 2, 40, 6, 6, 6}));
  EXPECT_EQ(instance.best_known, makespan(instance, Permutation{0, 2, 1}));
}

TEST(InstanceFile, ThatIsNoneIsRefusedByLine) {
  const std::string header = "number of jobs :\n";
  EXPECT_EQ(refusal(""), "dir/tai.txt: holds no instance");
  EXPECT_EQ(refusal("number of jobs :\n"), "dir/tai.txt: holds no instance");
  EXPECT_EQ(refusal(header + "3 2 0\nprocessing times :\n"),
            "dir/tai.txt: line 2: 3 numbers: a head has 2, jobs and machines, or 5, with seed, "
            "upper and lower bound");
  EXPECT_EQ(refusal(header + "0 2 0 0 0\n"),
            "dir/tai.txt: line 2: number of jobs 0 is out of range: from 1 to 10000");
  EXPECT_EQ(refusal(header + "3 -2 0 0 0\n"),
            "dir/tai.txt: line 2: '-2' is not a number of machines");
  EXPECT_EQ(refusal(header + "3 2 0 9 10\n"),
            "dir/tai.txt: line 2: lower bound 10 is out of range: from 0 to 9");
  EXPECT_EQ(refusal(header + "3 2 0 9 9\n1 2 3\n"),
            "dir/tai.txt: ends before the times of machine 2 of 2");
  EXPECT_EQ(refusal(header + "3 2 0 9 9\n1 2 3\n4 -5 6\n"),
            "dir/tai.txt: line 4: '-5' is not a time");
  EXPECT_EQ(refusal(header + "3 2 0 9 9\n1 2.5 3\n"), "dir/tai.txt: line 3: '2.5' is not a time");
  EXPECT_EQ(refusal(header + "3 2 0 9 9\n1 2 99999999999999999999\n"),
            "dir/tai.txt: line 3: time 99999999999999999999 is out of range: from 0 to 32767");
}

TEST(InstanceFile, DamagedInAnyWayIsReadOrRefusedByName) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    const std::string text = cleave::testing::damaged(kTwoInstances, random);
    try {
      for (const Instance& instance : parse_instances(text, "tai.txt")) {
        ASSERT_EQ(instance.times.size(), static_cast<std::size_t>(instance.jobs) *
                                             static_cast<std::size_t>(instance.machines))
            << text;
      }
    } catch (const FileError& error) {
      ASSERT_TRUE(std::string_view(error.what()).starts_with("tai.txt: ")) << text;
    }
  }
}

}  // namespace
}  // namespace cleave::flowshop
