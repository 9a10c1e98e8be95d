// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/words.hpp>

namespace cleave {

using namespace detail;
namespace {

template <class F>
std::string usage_error(F f) {
  try {
    f();
  } catch (const UsageError& e) {
    return e.what();
  }
  return "no error";
}

TEST(Count, UnitsArePowersOf1024) {
  EXPECT_EQ(parse_count("0"), 0);
  EXPECT_EQ(parse_count("1000"), 1000);
  EXPECT_EQ(parse_count("128K"), 131072);
  EXPECT_EQ(parse_count("32M"), 33554432);
  EXPECT_EQ(parse_count("1G"), 1073741824);
  EXPECT_EQ(parse_count("9223372036854775807"), std::numeric_limits<std::int64_t>::max());
}

TEST(Count, WhatIsNoCountIsNamed) {
  for (const char* text : {"", "12x", "-1", "1e30", "1.5M", "M", " 1", "1 ", "1KK", "1k", "+1",
                           "0x10", "nan", "12\n"}) {
    EXPECT_EQ(usage_error([&] { parse_count(text); }),
              fmt::format("'{}' is not a count: digits, then K, M or G (1024-based)", text));
  }
}

TEST(Count, BeyondSixtyThreeBitsIsRefused) {
  for (const char* text : {"9223372036854775808", "9007199254740992K", "99999999999999999999G"}) {
    EXPECT_NE(usage_error([&] { parse_count(text); }).find("is too large"), std::string::npos);
  }
}

TEST(Count, IsReadBackAsWritten) {
  for (const std::int64_t count : {0L, 1L, 1000L, 1024L, 131072L, 1L << 20, 3L << 30, 12345678L}) {
    EXPECT_EQ(parse_count(format_count(count)), count);
  }
  EXPECT_EQ(format_count(33554432), "32M");
}

TEST(Count, OfRanksIsOneOrMany) {
  EXPECT_EQ(format_ranks(1), "1 rank");
  EXPECT_EQ(format_ranks(8), "8 ranks");
}

TEST(ParsedSizes, AreByName) {
  EXPECT_EQ(parse_sizes("N=1M,M=2M"), (NamedSizes{{"M", 2 << 20}, {"N", 1 << 20}}));
  EXPECT_EQ(format_sizes(parse_sizes("N=1M,M=2M")), "M=2M, N=1M");
}

TEST(ParsedSizes, MistakesAreNamed) {
  EXPECT_EQ(usage_error([] { parse_sizes("N=0"); }), "size 'N=0' must be at least 1");
  EXPECT_EQ(usage_error([] { parse_sizes("N=1,N=2"); }), "size N is given twice");
  EXPECT_EQ(usage_error([] { parse_sizes("N"); }),
            "'N' is not a size: NAME=COUNT, for example N=4M");
  EXPECT_EQ(usage_error([] { parse_sizes("N=1,"); }),
            "'' is not a size: NAME=COUNT, for example N=4M");
  EXPECT_EQ(usage_error([] { parse_sizes("N=12x"); }),
            "'12x' is not a count: digits, then K, M or G (1024-based)");
}

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
  EXPECT_EQ(usage_error([] { parse_duration("1e10"); }),
            "'1e10' is not a time above 0 and up to 1e9 s: give seconds, or 20ms, 90s, 15m, 1h30m, "
            "2d");
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
}  // namespace cleave
