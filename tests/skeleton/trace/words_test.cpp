// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>
#include <string>

#include <cleave/sizes.hpp>
#include <cleave/trace/words.hpp>

#include "tests/support/message_of.hpp"

namespace cleave {

using namespace detail;
using testing::message_of;
namespace {

TEST(Count, IsReadAndWrittenInPowersOf1024) {
  const std::map<std::string, std::int64_t> counts = {{"0", 0},
                                                      {"1000", 1000},
                                                      {"128K", 131072},
                                                      {"32M", 1 << 25},
                                                      {"3G", 3LL << 30},
                                                      {"12345678", 12345678},
                                                      {"1M", 1 << 20},
                                                      {"4097G", 4097L << 30},
                                                      {"3T", 3LL << 40},
                                                      {"9223372036854775807", INT64_MAX},
                                                      {"10^9", 1'000'000'000},
                                                      {"100000", 100'000},
                                                      {"16000000", 16'000'000}};
  for (const auto& [text, count] : counts) {
    EXPECT_EQ(parse_count(text), count);
    EXPECT_EQ(format_count(count), text);
  }
}

TEST(Count, IsReadAsPeopleTypeIt) {
  const std::map<std::string, std::int64_t> counts = {{"1e9", 1'000'000'000},
                                                      {"1.5e3", 1500},
                                                      {"1_000_000", 1'000'000},
                                                      {"2^20", 1 << 20},
                                                      {"1.5G", 3LL << 29},
                                                      {"48KB", 48 << 10},
                                                      {"10^0", 1},
                                                      {"1.25K", 1280}};
  for (const auto& [text, count] : counts) {
    EXPECT_EQ(parse_count(text), count) << text;
  }
}

constexpr const char* kNoCount =
    "'{}' is not a count: as 12, 4K, 1.5M, 2G, 1T (1024-based), 1e9, 10^9";

TEST(Count, WhatIsNoCountIsNamed) {
  for (const char* text :
       {"",   "12x",  "-1",  "1.5",  "M",    " 1",    "1 ",  "1KK", "1k", "+1",
        "1B", "0x10", "nan", "12\n", "1e-3", "10^-1", "10^", "^9",  "_",  "2^0.5"}) {
    EXPECT_EQ(message_of([&] { parse_count(text); }), fmt::format(fmt::runtime(kNoCount), text));
  }
  for (const char* text : {"9223372036854775808", "9007199254740992K", "99999999999999999999G",
                           "1e30", "10^400", "inf"}) {
    EXPECT_NE(message_of([&] { parse_count(text); }).find("is too large"), std::string::npos);
  }
}

TEST(ParsedSizes, AreByName) {
  EXPECT_EQ(parse_sizes("N=1M,M=2M"), (NamedSizes{{"M", 2 << 20}, {"N", 1 << 20}}));
  EXPECT_EQ(format_sizes(parse_sizes("N=1M,M=2M")), "M=2M, N=1M");
  const std::string no_size = " is not a size: NAME=COUNT, for example N=4M";
  const std::map<std::string, std::string> wrong = {
      {"N=0", "size 'N=0' must be at least 1"},
      {"N=1,N=2", "size N is given twice"},
      {"N", "'N'" + no_size},
      {"N=1,", "''" + no_size},
      {"N=12x", fmt::format(fmt::runtime(kNoCount), "12x")}};
  for (const auto& [text, message] : wrong) {
    EXPECT_EQ(message_of([&] { parse_sizes(text); }), message);
  }
}

TEST(Duration, IsReadAsPeopleTypeIt) {
  const std::map<std::string, double> durations = {
      {"90", 90},        {"60s", 60},    {"15m", 900},     {"15min", 900},
      {"1.5h", 5400},    {"2d", 172800}, {"20ms", 0.02},   {"1h30m", 5400},
      {"2:00:00", 7200}, {"1:30", 90},   {"1d12h", 129600}};
  for (const auto& [text, seconds] : durations) {
    EXPECT_DOUBLE_EQ(parse_duration(text), seconds);
  }
  for (const char* wrong :
       {"",     "s",  "0",   "0s",   "-1",    "1e30",   "1e10",  "nan", "inf", "12x",
        "1h30", "2:", ":30", "1::2", "2:30h", "1h2:30", "1h-5m", " 5s", "5 s", "h1"}) {
    EXPECT_EQ(message_of([&] { parse_duration(wrong); }),
              fmt::format("'{}' is not a time up to 1e9 s: as 90 (seconds), 20ms, 15m, 1h30m, "
                          "2:00:00, 2d",
                          wrong));
  }
}

TEST(KeptState, IsNamedWhereNoColdMemoryExplainsASlowFirstRepetition) {
  EXPECT_EQ(kept_state(600'000'000, 10'000'000),
            "keeps state: repetition 2 took 1/60 of the first");
  for (const auto& [first_ns, second_ns] :
       {std::pair(600'000'000, 80'000'000), {6'000'000, 100}, {10, 60'000'000}, {0, 0}}) {
    EXPECT_EQ(kept_state(first_ns, second_ns), "") << first_ns;
  }
}

TEST(Numbers, AreShownInTheUnitInWhichTheyAreEasyToRead) {
  const std::map<double, std::string> durations = {{4.8 * 86400, "4.8 d"}, {1e9, "11574 d"},
                                                   {9000, "2.5 h"},        {5400, "90 min"},
                                                   {100, "100 s"},         {1.91634, "1.916 s"},
                                                   {0.061, "61 ms"},       {2.3e-6, "2.3 us"},
                                                   {5e-9, "5 ns"},         {0, "0 s"}};
  for (const auto& [seconds, text] : durations) {
    EXPECT_EQ(format_seconds(seconds), text);
  }
  EXPECT_EQ(format_ranks(1), "1 rank");
  EXPECT_EQ(format_ranks(8), "8 ranks");
}

}  // namespace
}  // namespace cleave
