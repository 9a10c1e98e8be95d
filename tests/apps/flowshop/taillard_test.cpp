// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/taillard.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <string>

#include <cleave/error.hpp>

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

}  // namespace
}  // namespace cleave::flowshop
