#include "apps/quicksort/quicksort.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "apps/harness/random.hpp"
#include "apps/quicksort/check.hpp"
#include "apps/quicksort/input.hpp"
#include "skeleton/trace/error.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave {
namespace {

constexpr std::int32_t kLeast = std::numeric_limits<std::int32_t>::min();
constexpr std::int32_t kGreatest = std::numeric_limits<std::int32_t>::max();

constexpr std::array kOrders = {KeyOrder::uniform, KeyOrder::sorted, KeyOrder::reverse,
                                KeyOrder::equal, KeyOrder::few};

TEST(Divide, PutsNoGreaterKeyLeftAndNoLesserKeyRight) {
  for (const KeyOrder order : kOrders) {
    for (const std::int64_t count : {2, 3, 10, 1000, 20000}) {
      const Keys keys = make_keys(order, count, 1);
      const auto [left, right] = Quicksort{}.divide(keys, Share{});
      EXPECT_LE(*std::max_element(left.begin(), left.end()),
                *std::min_element(right.begin(), right.end()));
      Keys both = left;
      both.insert(both.end(), right.begin(), right.end());
      EXPECT_EQ(radix_sorted(both), radix_sorted(keys));
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
      if (order == KeyOrder::few) {
        continue;  // its pivot is one of 16 keys: the ties around it are split, see below
      }
      const auto halves = Quicksort{}.divide(make_keys(order, kCount, 3), share);
      const double wanted = static_cast<double>(kCount) * share.left / share.total;
      EXPECT_NEAR(static_cast<double>(halves.left.size()) / wanted, 1, 0.07);
    }
  }
}

TEST(Divide, SplitsTiesSoThatHalvesAreEqual) {
  EXPECT_EQ(Quicksort{}.divide(Keys(1000, 7), Share{}).left.size(), 500U);
  EXPECT_EQ(Quicksort{}.divide(make_keys(KeyOrder::few, 100000, 1), Share{}).left.size(), 50000U);
}

TEST(Divide, IsTheSameOnEveryRank) {
  const Keys keys = make_keys(KeyOrder::uniform, 50000, 4);
  EXPECT_EQ(Quicksort{}.divide(keys, Share{}).left, Quicksort{}.divide(keys, Share{}).left);
}

TEST(Quicksort, DownToOneKeyEqualsARadixSort) {
  for (const KeyOrder order : kOrders) {
    for (const std::int64_t count : {0, 1, 2, 17, 5000}) {
      const Keys keys = make_keys(order, count, 5);
      EXPECT_EQ(solve_sequential(Quicksort{}, keys), radix_sorted(keys));
      EXPECT_EQ(Quicksort{}.sequential(keys), radix_sorted(keys));
    }
  }
  const Keys extremes = {kGreatest, 0, kLeast, -1, 1, kLeast, kGreatest};
  EXPECT_EQ(solve_sequential(Quicksort{}, extremes), radix_sorted(extremes));
}

TEST(RadixSort, OrdersNegativeKeysBeforePositiveOnes) {
  EXPECT_EQ(radix_sorted({5, -1, kGreatest, kLeast, 0, -70000, 5}),
            (Keys{kLeast, -70000, -1, 0, 5, 5, kGreatest}));
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
  EXPECT_EQ(sorted.front(), kLeast);
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
  EXPECT_EQ(keys[0], -1'888'888'888);  // on every machine, with every compiler
}

TEST(KeyFile, IsReadAsItStands) {
  const test::TemporaryFolder folder;
  const Keys keys = {1, -2, kLeast, kGreatest};
  const auto file = folder.write(
      "keys", {reinterpret_cast<const char*>(keys.data()), keys.size() * sizeof(std::int32_t)});
  EXPECT_EQ(read_keys(file), keys);
}

TEST(KeyFile, ThatIsNoneIsRefused) {
  const test::TemporaryFolder folder;
  EXPECT_THROW(read_keys(folder.path() / "missing"), FileError);
  EXPECT_THROW(read_keys(folder.path()), FileError);
  EXPECT_THROW(read_keys(folder.write("empty", "")), FileError);
  EXPECT_THROW(read_keys(folder.write("cut", "12345")), FileError);
}

}  // namespace
}  // namespace cleave
