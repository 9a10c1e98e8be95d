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

std::vector<double> seconds_of(const RankClocks& clocks) {
  std::vector<double> all;
  for (const Arrival& clock : clocks.each()) {
    all.push_back(clock.seconds);
  }
  return all;
}

/// `clocks` with that of one rank replaced.
RankClocks with(const RankClocks& clocks, int rank, Arrival clock) {
  RankClocks all = clocks.slice(0, rank);
  all.add(1, clock);
  all.add(clocks.slice(rank + 1, clocks.size() - rank - 1));
  return all;
}

TEST(ClocksOfRanks, GoOnFromTheLaterOfTwo) {
  Spending spending;
  const Arrival late = spending.spend({}, kDivide, 3);
  const RankClocks three(3, {});
  const RankClocks both = RankClocks::later(with(three, 1, late), with(three, 2, late));
  EXPECT_EQ(seconds_of(both), (std::vector<double>{0, 3, 3}));
  EXPECT_EQ(spent_on(both.latest()), (std::map<Place, double>{{kDivide, 3}}));
}

TEST(ClocksOfRanks, TellWhatWasSpentBeforeAndAfter) {
  Spending spending;
  const Arrival before = spending.spend({}, kDivide, 1);
  const Arrival after = spending.after(before, spending.spend({}, kCombine, 4));
  const Arrival last = spending.spend(after, kDivide, 0.5);
  EXPECT_EQ(last.seconds, 5.5);
  EXPECT_EQ(spent_on(last), (std::map<Place, double>{{kDivide, 1.5}, {kCombine, 4}}));
}

/// The same as with a number for each rank, whatever is done to them.
TEST(ClocksOfRanks, AreThoseOfEachRank) {
  std::mt19937 random(5);
  Spending spending;
  const int size = 13;
  std::vector<double> plain(size, 0);
  RankClocks clocks(size, {});
  for (int step = 0; step < 500; ++step) {
    const int count = 1 + static_cast<int>(random() % (size / 2));
    const int first = static_cast<int>(random() % (size - 2 * count + 1));
    const double seconds = static_cast<double>(random() % 8);
    const auto at = static_cast<std::size_t>(first);
    if (step % 2 == 0) {
      plain[at] += seconds;
      clocks = with(clocks, first, spending.spend(clocks.each()[at], kDivide, seconds));
    } else {  // `count` pairs of neighbouring groups meet
      const RankClocks met =
          RankClocks::later(clocks.slice(first, count), clocks.slice(first + count, count));
      RankClocks all = clocks.slice(0, first);
      all.add(met);
      all.add(met);
      all.add(clocks.slice(first + 2 * count, size - first - 2 * count));
      clocks = std::move(all);
      for (std::size_t i = at; i < at + static_cast<std::size_t>(count); ++i) {
        double& partner = plain[i + static_cast<std::size_t>(count)];
        plain[i] = partner = std::max(plain[i], partner);
      }
    }
    ASSERT_EQ(seconds_of(clocks), plain) << step;
    EXPECT_EQ(clocks.latest().seconds, *std::ranges::max_element(plain));
  }
}

}  // namespace
}  // namespace cleave::models
