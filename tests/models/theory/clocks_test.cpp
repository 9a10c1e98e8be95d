// SPDX-License-Identifier: Apache-2.0
#include "models/theory/clocks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <vector>

namespace cleave::models {

using namespace cleave::detail;
namespace {

constexpr Place kDivide{Block::divide, 0};
constexpr Place kCombine{Block::combine, 1};

std::vector<double> seconds_of(const RankClocks* line) {
  std::vector<double> all;
  for (int rank = 0; rank < line->size; ++rank) {
    all.push_back(Clocks::at(line, rank).seconds);
  }
  return all;
}

TEST(ClocksOfRanks, ThatAreAlikeAreKeptOnce) {
  Clocks clocks;
  const RankClocks* line = clocks.same(1 << 24, {});
  line = clocks.spend(clocks.join(line, line), kDivide, 2);
  EXPECT_EQ(line->left, nullptr);
  EXPECT_EQ(line->size, 1 << 25);
  EXPECT_EQ(line->latest.seconds, 2);
}

TEST(ClocksOfRanks, GoOnFromTheLaterOfTwo) {
  Clocks clocks;
  const Arrival late = clocks.spend(Arrival{}, kDivide, 3);
  const RankClocks* a = clocks.with(clocks.same(3, {}), 1, late);
  const RankClocks* both = clocks.later(a, clocks.with(clocks.same(3, {}), 2, late));
  EXPECT_EQ(seconds_of(both), (std::vector<double>{0, 3, 3}));
  EXPECT_EQ(Clocks::spent_on(both->latest), (std::map<Place, double>{{kDivide, 3}}));
}

TEST(ClocksOfRanks, TellWhatWasSpentBeforeAndAfter) {
  Clocks clocks;
  const Arrival before = clocks.spend(Arrival{}, kDivide, 1);
  const RankClocks* line = clocks.spend(clocks.same(2, {}), kCombine, 4);
  line = clocks.spend(clocks.after(before, line), kDivide, 0.5);
  EXPECT_EQ(line->latest.seconds, 5.5);
  EXPECT_EQ(Clocks::spent_on(line->latest),
            (std::map<Place, double>{{kDivide, 1.5}, {kCombine, 4}}));
}

/// The same as with a number for each rank, whatever is done to them.
TEST(ClocksOfRanks, AreThoseOfEachRank) {
  std::mt19937 random(5);
  Clocks clocks;
  const int size = 13;
  std::vector<double> plain(size, 0);
  const RankClocks* line = clocks.same(size, {});
  for (int step = 0; step < 500; ++step) {
    const int count = 1 + static_cast<int>(random() % (size / 2));
    const int first = static_cast<int>(random() % (size - 2 * count + 1));
    const double seconds = static_cast<double>(random() % 8);
    if (step % 2 == 0) {
      plain[static_cast<std::size_t>(first)] += seconds;
      line = clocks.with(line, first, clocks.spend(Clocks::at(line, first), kDivide, seconds));
    } else {  // `count` pairs of neighbouring groups meet
      const RankClocks* met =
          clocks.later(clocks.slice(line, first, count), clocks.slice(line, first + count, count));
      const RankClocks* all = clocks.join(met, met);
      if (first > 0) {
        all = clocks.join(clocks.slice(line, 0, first), all);
      }
      const int rest = size - first - 2 * count;
      line = rest > 0 ? clocks.join(all, clocks.slice(line, size - rest, rest)) : all;
      for (int i = first; i < first + count; ++i) {
        double& a = plain[static_cast<std::size_t>(i)];
        double& b = plain[static_cast<std::size_t>(i + count)];
        a = b = std::max(a, b);
      }
    }
    ASSERT_EQ(seconds_of(line), plain) << step;
    EXPECT_EQ(line->latest.seconds, *std::ranges::max_element(plain));
  }
}

}  // namespace
}  // namespace cleave::models
