// SPDX-License-Identifier: Apache-2.0
// How long work still takes by what is done of it, and how it is said.
#include <gtest/gtest.h>

#include <cleave/tool/pace.hpp>
#include <cleave/trace/count_text.hpp>

namespace cleave::detail {
namespace {

TEST(Pace, SaysNothingBeforeAStepIsDone) { EXPECT_FALSE(Pace().remaining_s(3, 1)); }

TEST(Pace, HoldsATenthToEitherSideOfEqualSteps) {
  Pace pace;
  pace.add(1, 10);
  pace.add(2, 20);
  const auto remaining = pace.remaining_s(4, 5);
  ASSERT_TRUE(remaining);
  EXPECT_DOUBLE_EQ(remaining->low, 31);
  EXPECT_DOUBLE_EQ(remaining->high, 39);
}

TEST(Pace, IsAsWideAsTwiceTheDeviationOfWhatIsDone) {
  Pace pace;
  pace.add(1, 8);
  pace.add(1, 12);
  const auto remaining = pace.remaining_s(1, 0);
  ASSERT_TRUE(remaining);
  EXPECT_DOUBLE_EQ(remaining->low, 6);
  EXPECT_DOUBLE_EQ(remaining->high, 14);
}

TEST(Pace, IsNeverNegative) {
  Pace pace;
  pace.add(1, 1);
  const auto remaining = pace.remaining_s(1, 100);
  ASSERT_TRUE(remaining);
  EXPECT_EQ(remaining->low, 0);
  EXPECT_EQ(remaining->high, 0);
}

TEST(Pace, OfNothingToDoIsOver) {
  Pace pace;
  pace.add(1, 1);
  EXPECT_EQ(pace.remaining_s(0, 0)->high, 0);
}

TEST(Remaining, IsSaidInTheUnitOfItsEnd) {
  EXPECT_EQ(format_range({31.2, 36.4}), "31 to 36 s");
  EXPECT_EQ(format_range({1.24, 2.1}), "1.2 to 2.1 s");
  EXPECT_EQ(format_range({0.2, 0.5}), "less than 1 s");
  EXPECT_EQ(format_range({200, 290}), "3.3 to 4.8 min");
  EXPECT_EQ(format_range({5400, 7560}), "1.5 to 2.1 h");
  EXPECT_EQ(format_duration(59), "59 s");
  EXPECT_EQ(format_duration(200), "3 min 20 s");
  EXPECT_EQ(format_duration(7500), "2 h 5 min");
}

TEST(Count, HasThreeDigits) {
  EXPECT_EQ(rounded_count(0), "0");
  EXPECT_EQ(rounded_count(950), "950");
  EXPECT_EQ(rounded_count(999.7), "1 k");
  EXPECT_EQ(rounded_count(3452000), "3.45 M");
  EXPECT_EQ(rounded_count(1.2e16), "1.2e+04 T");
}

}  // namespace
}  // namespace cleave::detail
