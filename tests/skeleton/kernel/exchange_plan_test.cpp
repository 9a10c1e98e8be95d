// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <map>
#include <numeric>
#include <random>

#include <cleave/kernel/exchange_plan.hpp>

namespace cleave {

using namespace cleave::detail;
namespace {

/// Carries a plan out on counts alone, and checks all that it promises.
void expect_balanced(const std::vector<ClassCounts>& counts) {
  const ExchangePlan plan = plan_exchange(counts);
  const int ranks = static_cast<int>(counts.size());
  const Group group{.first = 0, .size = ranks};
  ClassCounts all;
  std::vector<std::int64_t> sizes;
  for (const ClassCounts& c : counts) {
    sizes.push_back(c.total());
    all.less += c.less;
    all.equal += c.equal;
    all.greater += c.greater;
  }
  std::map<std::pair<int, bool>, std::int64_t> next;
  std::map<std::pair<int, int>, int> messages;
  for (const Transfer& transfer : plan.transfers) {
    EXPECT_GT(transfer.count, 0);
    EXPECT_NE(transfer.from, transfer.to);
    EXPECT_EQ((++messages[{transfer.from, transfer.to}]), 1);
    EXPECT_EQ(transfer.crosses,
              group.left().contains(transfer.from) != group.left().contains(transfer.to));
    EXPECT_EQ(transfer.offset, (next[{transfer.from, transfer.crosses}]));
    next[{transfer.from, transfer.crosses}] += transfer.count;
    sizes[transfer.from] -= transfer.count;
    sizes[transfer.to] += transfer.count;
  }
  EXPECT_EQ(sizes, plan.sizes);
  std::int64_t left_total = 0;
  for (int i = 0; i < ranks; ++i) {
    EXPECT_EQ((next[{i, true}]), plan.crossing[i]);  // all that must cross does
    EXPECT_EQ((next[{i, false}]), plan.shed[i]);
    // Elements of the left half cross only after the splitter or ties may cross, and the other way
    // round.
    const std::int64_t must = group.left().contains(i) ? counts[i].greater : counts[i].less;
    EXPECT_GE(plan.crossing[i], must);
    EXPECT_LE(plan.crossing[i], must + counts[i].equal);
    left_total += group.left().contains(i) ? sizes[i] : 0;
  }
  const std::int64_t total = all.less + all.equal + all.greater;
  const std::int64_t wanted = total * group.share().left / group.share().total;
  EXPECT_EQ(left_total, std::clamp(wanted, all.less, all.less + all.equal));
  for (const Group half : {group.left(), group.right()}) {
    const std::int64_t of_half = half == group.left() ? left_total : total - left_total;
    const std::int64_t mean = (of_half + half.size - 1) / half.size;
    for (int i = half.first; i < half.first + half.size; ++i) {
      EXPECT_LE(sizes[i], mean + mean / 128);
    }
  }
}

TEST(ExchangePlan, BringsAnyCountsToTheMeanOfEachHalf) {
  std::mt19937_64 random(1);
  for (int ranks = 2; ranks <= 17; ++ranks) {
    for (int run = 0; run < 300; ++run) {
      std::vector<ClassCounts> counts(ranks);
      const auto some = [&](unsigned maximum) {
        return static_cast<std::int64_t>(random() % 3 == 0 ? 0 : random() % maximum);
      };
      for (ClassCounts& c : counts) {
        c = {.less = some(1000), .equal = some(run % 2 == 0 ? 2 : 1000), .greater = some(1000)};
      }
      expect_balanced(counts);
    }
  }
}

TEST(ExchangePlan, OfRandomOrderExchangesWithPartnersOnly) {
  const ExchangePlan plan =
      plan_exchange({{5000, 0, 5010}, {4990, 0, 5020}, {5005, 0, 5000}, {5010, 0, 4980}});
  ASSERT_EQ(plan.transfers.size(), 4U);
  for (const Transfer& transfer : plan.transfers) {
    EXPECT_EQ(transfer.to, partner_of(transfer.from, {.first = 0, .size = 4}));
  }
}

TEST(ExchangePlan, MovesNothingThatIsInPlace) {
  EXPECT_TRUE(
      plan_exchange({{100, 0, 0}, {100, 0, 0}, {0, 0, 100}, {0, 0, 100}}).transfers.empty());
  EXPECT_TRUE(
      plan_exchange({{0, 100, 0}, {0, 100, 0}, {0, 100, 0}, {0, 100, 0}}).transfers.empty());
  EXPECT_TRUE(plan_exchange({{0, 0, 0}, {0, 0, 0}, {0, 0, 0}}).transfers.empty());
}

}  // namespace
}  // namespace cleave
