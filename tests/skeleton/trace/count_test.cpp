// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/words.hpp>

namespace cleave {

using detail::format_ranks;
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

}  // namespace
}  // namespace cleave
