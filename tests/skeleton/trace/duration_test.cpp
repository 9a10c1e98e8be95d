// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cleave/error.hpp>
#include <cleave/trace/duration.hpp>

namespace cleave::detail {

namespace {

TEST(Duration, IsReadAsPeopleTypeIt) {
  EXPECT_EQ(parse_duration("90"), 90);
  EXPECT_EQ(parse_duration("60s"), 60);
  EXPECT_EQ(parse_duration("15m"), 900);
  EXPECT_EQ(parse_duration("15min"), 900);
  EXPECT_EQ(parse_duration("1.5h"), 5400);
  EXPECT_EQ(parse_duration("1h30m"), 5400);
  EXPECT_EQ(parse_duration("1d2h3m4s"), 93784);
  EXPECT_DOUBLE_EQ(parse_duration("20ms"), 0.02);
  EXPECT_DOUBLE_EQ(parse_duration("1s20ms"), 1.02);
}

TEST(Duration, IsRefusedWhereItIsNone) {
  for (const char* wrong : {"", "s", "0", "0s", "-1", "1e30", "nan", "inf", "12x", "1h30", "30m1h",
                            "1m1min", "1h-5m", " 5s", "5 s", "h1"}) {
    EXPECT_THROW(parse_duration(wrong), UsageError) << wrong;
  }
  try {
    parse_duration("1e10");
    ADD_FAILURE() << "nothing was thrown";
  } catch (const UsageError& e) {
    EXPECT_STREQ(e.what(),
                 "'1e10' is not a time above 0 and up to 1e9 s: give seconds, or 20ms, 90s, 15m, "
                 "1h30m, 2d");
  }
}

TEST(Duration, IsShownInTheUnitInWhichItIsEasyToRead) {
  EXPECT_EQ(format_seconds(4.8 * 86400), "4.8 d");
  EXPECT_EQ(format_seconds(1e9), "11574 d");
  EXPECT_EQ(format_seconds(9000), "2.5 h");
  EXPECT_EQ(format_seconds(5400), "90 min");
  EXPECT_EQ(format_seconds(100), "100 s");
  EXPECT_EQ(format_seconds(1.91634), "1.916 s");
  EXPECT_EQ(format_seconds(0.061), "61 ms");
  EXPECT_EQ(format_seconds(2.3e-6), "2.3 us");
  EXPECT_EQ(format_seconds(5e-9), "5 ns");
  EXPECT_EQ(format_seconds(0), "0 s");
}

}  // namespace

}  // namespace cleave::detail
