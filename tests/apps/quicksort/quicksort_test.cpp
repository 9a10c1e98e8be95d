// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/quicksort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <tuple>

#include <cleave/check.hpp>

#include "apps/quicksort/check.hpp"
#include "apps/quicksort/key_file.hpp"
#include "apps/quicksort/keys.hpp"
#include "apps/quicksort/local_sort.hpp"

namespace cleave::quicksort {
namespace {

constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();

constexpr std::array kOrders = {KeyOrder::uniform,  KeyOrder::sorted, KeyOrder::reverse,
                                KeyOrder::equal,    KeyOrder::few,    KeyOrder::zipf,
                                KeyOrder::staggered};

template <class Key = std::int32_t>
std::vector<Key> make_keys(KeyOrder order, std::int64_t count, std::uint64_t seed) {
  std::vector<Key> keys(static_cast<std::size_t>(count));
  GeneratedKeys<Key>(order, count, seed).fill(0, keys);
  return keys;
}

Keys merge_sorted(Keys keys) {
  std::stable_sort(keys.begin(), keys.end());
  return keys;
}

/// Halves whose left one is within `tolerance` of its share, and that keep all keys.
void expect_divided(const Keys& keys, Share share, double tolerance) {
  const auto [left, right] = Quicksort{}.divide(keys, share);
  ASSERT_FALSE(left.empty() || right.empty());
  EXPECT_LE(*std::ranges::max_element(left), *std::ranges::min_element(right));
  const double wanted = static_cast<double>(keys.size()) * share.left / share.total;
  EXPECT_NEAR(static_cast<double>(left.size()) / wanted, 1, tolerance);
  Keys both = left;
  both.insert(both.end(), right.begin(), right.end());
  EXPECT_EQ(merge_sorted(both), merge_sorted(keys));
}

TEST(Divide, GivesEachSideItsShareOfAnyInputAndLeavesNoneEmpty) {
  for (const Share share : {Share{1, 2}, Share{1, 3}, Share{2, 5}, Share{1, 64}, Share{63, 64}}) {
    for (const KeyOrder order : kOrders) {
      for (std::int64_t count = 2; count < 40; ++count) {
        expect_divided(make_keys(order, count, 2), share, 64);
      }
      if (share.total < 64) {
        expect_divided(make_keys(order, 1 << 17, 3), share, 0.07);
      }
    }
  }
  EXPECT_EQ(Quicksort{}.divide(Keys(1000, 7), Share{}).left.size(), 500U);
}

TEST(Quicksort, KeepsThePromisesOfAnApplicationAndEqualsAMergeSort) {
  std::vector<Keys> problems = {{kMax, 0, kMin, -1, 1, kMin, kMax}};
  for (const KeyOrder order : kOrders) {
    for (const std::int64_t count : {0, 1, 2, 17, 1000}) {
      problems.push_back(make_keys(order, count, 5));
    }
  }
  EXPECT_EQ(check(Quicksort{}, problems), std::vector<std::string>{});
  for (const Keys& keys : problems) {
    EXPECT_EQ(solve_sequential(Quicksort{}, keys), merge_sorted(keys));
    EXPECT_EQ(Quicksort{}.sequential(keys), merge_sorted(keys));
  }
}

TEST(Check, SaysWhatIsWrong) {
  const Keys input = {3, 1, 2};
  EXPECT_EQ(wrong_order(input, {1, 2, 3}), std::nullopt);
  EXPECT_EQ(wrong_order(input, {1, 2}), "3 keys went in, 2 came out");
  EXPECT_EQ(wrong_order(input, {1, 3, 2}), "key 2 is less than the one before it");
  EXPECT_EQ(wrong_order(input, {1, 2, 4}), "the keys that came out are not those that went in");
  EXPECT_EQ(wrong_order({1, 1, 3}, {1, 3, 3}), "the keys that came out are not those that went in");
}

TEST(Input, IsWhatItsNameSaysAndDependsOnTheSeedAndNothingElse) {
  const Keys sorted = make_keys(KeyOrder::sorted, 1000, 1);
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  EXPECT_EQ(sorted.front(), kMin);
  const Keys reverse = make_keys(KeyOrder::reverse, 1000, 1);
  EXPECT_EQ(Keys(reverse.rbegin(), reverse.rend()), sorted);
  for (const auto& [order, least, most] :
       {std::tuple(KeyOrder::equal, 1, 1), std::tuple(KeyOrder::few, 16, 16),
        std::tuple(KeyOrder::uniform, 990, 1000), std::tuple(KeyOrder::sorted, 1000, 1000)}) {
    Keys keys = merge_sorted(make_keys(order, 1000, 1));
    const auto different = std::unique(keys.begin(), keys.end()) - keys.begin();
    EXPECT_TRUE(different >= least && different <= most) << different;
  }
  const Keys keys = make_keys(KeyOrder::uniform, 1000, 1);
  EXPECT_EQ(keys, make_keys(KeyOrder::uniform, 1000, 1));
  EXPECT_NE(keys, make_keys(KeyOrder::uniform, 1000, 2));
  EXPECT_EQ(keys[0], -574433422);  // on every machine, with every compiler
}

constexpr std::int64_t kMany = 530'001;  // they are sorted in buckets, if their keys allow it

template <class Key>
void expect_all_sorted(const std::vector<Key>& keys) {
  for (const ByKey order : {ByKey{}, ByKey{.descends = true}}) {
    std::vector<Key> sorted = keys;
    local_sort(std::span(sorted), order);
    EXPECT_EQ(KeySum().add(std::span(keys)), KeySum().add(std::span<const Key>(sorted)));
    EXPECT_TRUE(std::ranges::is_sorted(sorted, [order](const Key& a, const Key& b) {
      if constexpr (std::same_as<Key, Record>) {
        return order(a.key, b.key) || (a.key == b.key && order(a.value, b.value));
      } else {
        return order(a, b);
      }
    })) << order.descends;
  }
}

TEST(LocalSort, OfRecordsOfEveryInputIsByKeyAndThenByValue) {
  for (const std::int64_t count : {std::int64_t{0}, std::int64_t{1}, std::int64_t{1000}, kMany}) {
    for (const KeyOrder order : kOrders) {
      SCOPED_TRACE(::testing::Message() << count << " of input " << static_cast<int>(order));
      expect_all_sorted(make_keys<Record>(order, count, 1));
    }
  }
}

TEST(LocalSort, OfRecordsWithSkewedKeysIsByKeyAndThenByValue) {
  const std::pair<const char*, std::uint64_t (*)(std::uint64_t)> keys_of_bits[] = {
      {"the high bits are equal",
       [](std::uint64_t bits) { return 0xabcd'0000'0000'0000 | bits >> 44; }},
      {"one in a hundred is far from the others",
       [](std::uint64_t bits) { return bits % 100 == 0 ? bits : bits >> 32; }},
      // Such keys are too rare for a sample: they go to the first bucket and to the last.
      {"few are below and above all others",
       [](std::uint64_t bits) {
         return bits % 50'000 == 0   ? 0
                : bits % 50'000 == 1 ? ~std::uint64_t{0}
                                     : (bits >> 8) + (std::uint64_t{1} << 62);
       }},
      {"a thousand keys", [](std::uint64_t bits) { return (bits % 1000) << 54; }},
      {"the least keys are the most", [](std::uint64_t bits) { return bits >> bits % 60; }}};
  for (const auto& [name, key_of] : keys_of_bits) {
    SCOPED_TRACE(name);
    const CounterRandom random(1);
    std::vector<Record> records(kMany);
    for (std::int64_t i = 0; i < kMany; ++i) {
      records[i] = {.value = static_cast<std::uint64_t>(kMany - i), .key = key_of(random(i))};
    }
    expect_all_sorted(records);
  }
}

/// Highway's own sort of floats leaves keys just below a frequent one behind it, and loses others.
TEST(LocalSort, OfManyFloatsIsRight) {
  std::vector<float> keys = make_keys<float>(KeyOrder::uniform, 3 << 19, 1);
  constexpr std::array kLost = {INFINITY, -INFINITY, NAN, -NAN, 0.F, -0.F};
  for (std::size_t i = 0; i < keys.size(); i += 16) {
    keys[i] = (static_cast<float>(i / 16 % 128) + 0.5F) / 128;
    keys[i + 1] = i % 128 == 0 ? std::nextafter(keys[i], 0.F) : keys[i + 1];
    keys[i + 2] = i % 16384 == 0 ? kLost[i / 16384 % kLost.size()] : keys[i + 2];
  }
  expect_all_sorted(keys);
}

TEST(TextKeys, AreReadInAnySlicesAsTheyWereWritten) {
  const std::string text = "5\n-3\r\n7\n-2147483648\n2147483647";
  for (const int slices : {1, 2, 3, 50}) {
    Keys all;
    for (int i = 0; i < slices; ++i) {
      const auto some = parse_keys<std::int32_t>(text, "x", {i, slices});
      all.insert(all.end(), some.begin(), some.end());
    }
    EXPECT_EQ(all, (Keys{5, -3, 7, kMin, kMax}));
  }
  const std::vector<double> keys = {0.1, -1e300, 5e-324, 3,
                                    std::numeric_limits<double>::infinity()};
  EXPECT_EQ(parse_keys<double>(text_of_keys(std::span(keys)), "x"), keys);
  EXPECT_TRUE(parse_keys<double>("", "x").empty());
  const std::vector<std::uint64_t> large = {18446744073709551615U, 0};
  EXPECT_EQ(parse_keys<std::uint64_t>(text_of_keys(std::span(large)), "x"), large);
  EXPECT_TRUE(std::isnan(parse_keys<float>("nan", "x").at(0)));
}

}  // namespace
}  // namespace cleave::quicksort
