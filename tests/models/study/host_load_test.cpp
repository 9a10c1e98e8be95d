// SPDX-License-Identifier: Apache-2.0
#include "models/study/host_load.hpp"

#include <gtest/gtest.h>

namespace cleave::models {
namespace {

TEST(HostLoad, IsWhatNeitherThisProcessNorItsChildrenUsed) {
  const HostTimes before = host_times("cpu 100 0 100 700 100 0 0 0 0 0\ncpu0 9 9 9 9\n", 1);
  // 400 ticks more, 200 of them busy; 100 ticks a second are usual.
  const HostTimes after = host_times("cpu 200 20 130 800 200 10 20 20 0 0\n", 1);
  EXPECT_NEAR(used_by_others(before, after), 0.5, 1e-9);
  HostTimes ours = after;
  ours.own_s += (after.busy_s - before.busy_s) / 2;
  EXPECT_NEAR(used_by_others(before, ours), 0.25, 1e-9);
  EXPECT_EQ(used_by_others(before, before), 0);
}

TEST(HostLoad, IsNoneWhereTheHostDoesNotTell) {
  EXPECT_EQ(used_by_others(host_times("", 0), host_times("", 1)), 0);
  EXPECT_EQ(host_times("intr 5\n", 0).all_s, 0);
}

TEST(HostLoad, OfThisHostGrows) {
  const HostTimes now = host_times();
  EXPECT_GT(now.all_s, 0);
  EXPECT_GE(now.all_s, now.busy_s);
}

}  // namespace
}  // namespace cleave::models
