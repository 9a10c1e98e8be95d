// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/taillard.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <string>

#include <cleave/error.hpp>

#include "tests/support/mutations.hpp"

namespace cleave::flowshop {
namespace {

int sum(const Instance& instance) {
  return std::accumulate(instance.times.begin(), instance.times.end(), 0);
}

TEST(Taillard, FirstMachineOfTa001IsAsPublished) {
  const Instance instance = taillard_instance("ta001");
  const std::vector<int> published = {54, 83, 15, 71, 77, 36, 53, 38, 27, 87,
                                      76, 91, 14, 29, 12, 77, 32, 87, 68, 94};
  EXPECT_TRUE(std::equal(published.begin(), published.end(), instance.times.begin()));
}

// The sums come from a separate program that draws the numbers by Schrage's method, as published.
TEST(Taillard, AllInstancesHaveTheirKnownSums) {
  EXPECT_EQ(sum(taillard_instance("ta001")), 5153);
  EXPECT_EQ(sum(taillard_instance("ta021")), 20273);
  EXPECT_EQ(sum(taillard_instance("ta056")), 49030);
  EXPECT_EQ(sum(taillard_instance("ta110")), 199666);
  EXPECT_EQ(sum(taillard_instance("ta120")), 499516);
  int total = 0;
  for (int i = 1; i <= 120; ++i) {
    const Instance instance = taillard_instance(fmt::format("ta{:03}", i));
    total += sum(instance);
    EXPECT_EQ(instance.times.size(), static_cast<std::size_t>(instance.jobs) *
                                         static_cast<std::size_t>(instance.machines));
    EXPECT_TRUE(std::all_of(instance.times.begin(), instance.times.end(),
                            [](int time) { return time >= 1 && time <= 99; }));
  }
  EXPECT_EQ(total, 10'961'254);
}

TEST(Taillard, InstancesHaveTheirSizeAndBestKnownMakespan) {
  const Instance first = taillard_instance("ta001");
  EXPECT_EQ(first.jobs, 20);
  EXPECT_EQ(first.machines, 5);
  EXPECT_EQ(first.best_known, 1278);
  EXPECT_EQ(taillard_instance("ta021").best_known, 2297);
  EXPECT_EQ(taillard_instance("ta056").best_known, 3679);
  const Instance last = taillard_instance("ta120");
  EXPECT_EQ(last.jobs, 500);
  EXPECT_EQ(last.machines, 20);
}

TEST(Taillard, OtherNamesAreRefused) {
  for (const char* name : {"ta000", "ta121", "ta1", "ta0001", "TA001", "", "ta00x"}) {
    try {
      taillard_instance(name);
      ADD_FAILURE() << name;
    } catch (const UsageError& error) {
      EXPECT_EQ(error.what(),
                fmt::format("'{}' is not one of Taillard's instances, ta001 to ta120", name));
    }
  }
}

constexpr const char* kTwoInstances =
    "number of jobs, number of machines, initial seed, upper bound and lower bound :\n"
    "           3           2   873654221          17          11\n"
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
    parse_taillard_file(text, "dir/tai.txt");
  } catch (const FileError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(TaillardFile, IsReadAsPublished) {
  const auto instances = parse_taillard_file(kTwoInstances, "dir/tai.txt");
  ASSERT_EQ(instances.size(), 2U);
  EXPECT_EQ(instances[0].name, "tai-1");
  EXPECT_EQ(instances[0].jobs, 3);
  EXPECT_EQ(instances[0].machines, 2);
  EXPECT_EQ(instances[0].times, (std::vector<int>{54, 83, 15, 79, 3, 11}));
  EXPECT_EQ(instances[0].best_known, 17);
  EXPECT_EQ(instances[1].name, "tai-2");
  EXPECT_EQ(instances[1].times, (std::vector<int>{26, 38}));
  EXPECT_EQ(instances[1].best_known, std::nullopt);
}

TEST(TaillardFile, NeedsNoCaptionsAndNoLines) {
  const auto instances = parse_taillard_file("2 2 0 9 9 1 2 3 4", "tai.txt");
  ASSERT_EQ(instances.size(), 1U);
  EXPECT_EQ(instances[0].name, "tai");
  EXPECT_EQ(instances[0].times, (std::vector<int>{1, 2, 3, 4}));
}

TEST(TaillardFile, ThatIsNoneIsRefusedByLine) {
  const std::string header = "number of jobs :\n";
  EXPECT_EQ(refusal(""), "dir/tai.txt: holds no instance");
  EXPECT_EQ(refusal("number of jobs :\n"), "dir/tai.txt: holds no instance");
  EXPECT_EQ(refusal(header + "3 2 0\nprocessing times :\n"),
            "dir/tai.txt: line 3: 'processing' is not a number, expected the upper bound");
  EXPECT_EQ(refusal(header + "0 2 0 0 0\n"),
            "dir/tai.txt: line 2: the number of jobs is 0, allowed are 1 to 10000");
  EXPECT_EQ(refusal(header + "3 -2 0 0 0\n"),
            "dir/tai.txt: line 2: the number of machines is -2, allowed are 1 to 1000");
  EXPECT_EQ(refusal(header + "3 2 0 9 10\n"),
            "dir/tai.txt: line 2: the lower bound is 10, allowed are 0 to 9");
  EXPECT_EQ(refusal(header + "3 2 0 9 9\n1 2 3\n4 5\n"),
            "dir/tai.txt: line 5: the file ends before the time of job 3 of 3 on machine 2 of 2");
  EXPECT_EQ(refusal(header + "3 2 0 9 9\n1 2 3\n4 -5 6\n"),
            "dir/tai.txt: line 4: the time of job 2 of 3 on machine 2 of 2 is -5, allowed are 0 to "
            "32767");
  EXPECT_EQ(refusal(header + "3 2 0 9 9\n1 2.5 3\n"),
            "dir/tai.txt: line 3: '2.5' is not a number, expected the time of job 2 of 3 on "
            "machine 1 of 2");
  EXPECT_EQ(refusal(header + "3 2 0 9 9\n1 2 99999999999999999999\n"),
            "dir/tai.txt: line 3: the time of job 3 of 3 on machine 1 of 2 is "
            "99999999999999999999, allowed are 0 to 32767");
  EXPECT_EQ(refusal(header + "1 1 0 9 9\n1 2\n"),
            "dir/tai.txt: line 4: the file ends before the number of machines");
}

TEST(TaillardFile, DamagedInAnyWayIsReadOrRefusedByName) {
  std::mt19937 random(1);
  for (int i = 0; i < 20000; ++i) {
    const std::string text = cleave::testing::damaged(kTwoInstances, random);
    try {
      for (const Instance& instance : parse_taillard_file(text, "tai.txt")) {
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
