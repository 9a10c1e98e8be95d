// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/quicksort.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include <cleave/check.hpp>

#include "apps/quicksort/check.hpp"
#include "apps/quicksort/keys.hpp"

namespace cleave::quicksort {
namespace {

constexpr std::int32_t kMin = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kMax = std::numeric_limits<std::int32_t>::max();

constexpr std::array kOrders = {KeyOrder::uniform, KeyOrder::sorted, KeyOrder::reverse,
                                KeyOrder::equal, KeyOrder::few};

Keys make_keys(KeyOrder order, std::int64_t count, std::uint64_t seed) {
  Keys keys(static_cast<std::size_t>(count));
  GeneratedKeys<std::int32_t>(order, count, seed).fill(0, keys);
  return keys;
}

Keys merge_sorted(Keys keys) {
  std::stable_sort(keys.begin(), keys.end());
  return keys;
}

TEST(Divide, PutsNoGreaterKeyLeftAndNoLesserKeyRight) {
  for (const KeyOrder order : kOrders) {
    for (const std::int64_t count : {2, 3, 10, 1000, 20000}) {
      const Keys keys = make_keys(order, count, 1);
      const auto [left, right] = Quicksort{}.divide(keys, Share{});
      EXPECT_LE(*std::max_element(left.begin(), left.end()),
                *std::min_element(right.begin(), right.end()));
      Keys both = left;
      both.insert(both.end(), right.begin(), right.end());
      EXPECT_EQ(merge_sorted(both), merge_sorted(keys));
    }
  }
}

TEST(Divide, LeavesNoHalfEmptyWhateverTheShare) {
  for (const Share share : {Share{1, 2}, Share{1, 3}, Share{2, 5}, Share{1, 64}, Share{63, 64}}) {
    for (const KeyOrder order : kOrders) {
      for (std::int64_t count = 2; count < 40; ++count) {
        const auto [left, right] = Quicksort{}.divide(make_keys(order, count, 2), share);
        EXPECT_FALSE(left.empty());
        EXPECT_FALSE(right.empty());
      }
    }
  }
}

TEST(Divide, GivesEachSideItsShareOfAnyInput) {
  constexpr std::int64_t kCount = 1 << 20;
  for (const Share share : {Share{1, 2}, Share{1, 3}, Share{2, 5}}) {
    for (const KeyOrder order : kOrders) {
      const auto halves = Quicksort{}.divide(make_keys(order, kCount, 3), share);
      const double wanted = static_cast<double>(kCount) * share.left / share.total;
      EXPECT_NEAR(static_cast<double>(halves.left.size()) / wanted, 1, 0.07);
    }
  }
}

TEST(Divide, OfEqualKeysSplitsThemInHalves) {
  EXPECT_EQ(Quicksort{}.divide(Keys(1000, 7), Share{}).left.size(), 500U);
}

TEST(Quicksort, KeepsThePromisesOfAnApplication) {
  std::vector<Keys> problems(kOrders.size());
  std::transform(kOrders.begin(), kOrders.end(), problems.begin(),
                 [](KeyOrder order) { return make_keys(order, 1000, 6); });
  EXPECT_EQ(check(Quicksort{}, problems), std::vector<std::string>{});
}

TEST(Quicksort, DownToOneKeyEqualsAMergeSort) {
  for (const KeyOrder order : kOrders) {
    for (const std::int64_t count : {0, 1, 2, 17, 5000}) {
      const Keys keys = make_keys(order, count, 5);
      EXPECT_EQ(solve_sequential(Quicksort{}, keys), merge_sorted(keys));
      EXPECT_EQ(Quicksort{}.sequential(keys), merge_sorted(keys));
    }
  }
  const Keys extremes = {kMax, 0, kMin, -1, 1, kMin, kMax};
  EXPECT_EQ(solve_sequential(Quicksort{}, extremes), merge_sorted(extremes));
}

TEST(Check, SaysWhatIsWrong) {
  const Keys input = {3, 1, 2};
  EXPECT_EQ(wrong_order(input, {1, 2, 3}), std::nullopt);
  EXPECT_EQ(wrong_order(input, {1, 2}), "3 keys went in, 2 came out");
  EXPECT_EQ(wrong_order(input, {1, 3, 2}), "key 2 is less than the one before it");
  EXPECT_EQ(wrong_order(input, {1, 2, 4}), "the keys that came out are not those that went in");
  EXPECT_EQ(wrong_order({1, 1, 3}, {1, 3, 3}), "the keys that came out are not those that went in");
}

TEST(Input, IsWhatItsNameSays) {
  const Keys sorted = make_keys(KeyOrder::sorted, 1000, 1);
  EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()));
  EXPECT_EQ(sorted.front(), kMin);
  EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());

  const Keys reverse = make_keys(KeyOrder::reverse, 1000, 1);
  EXPECT_EQ(Keys(reverse.rbegin(), reverse.rend()), sorted);

  const auto different = [](Keys keys) {
    std::sort(keys.begin(), keys.end());
    return std::unique(keys.begin(), keys.end()) - keys.begin();
  };
  EXPECT_EQ(different(make_keys(KeyOrder::equal, 1000, 1)), 1);
  EXPECT_EQ(different(make_keys(KeyOrder::few, 1000, 1)), 16);
  EXPECT_GT(different(make_keys(KeyOrder::uniform, 1000, 1)), 990);
}

TEST(Input, DependsOnTheSeedAndNothingElse) {
  const Keys keys = make_keys(KeyOrder::uniform, 1000, 1);
  EXPECT_EQ(keys, make_keys(KeyOrder::uniform, 1000, 1));
  EXPECT_NE(keys, make_keys(KeyOrder::uniform, 1000, 2));
  EXPECT_EQ(keys[0], -574433422);  // on every machine, with every compiler
}

}  // namespace
}  // namespace cleave::quicksort
