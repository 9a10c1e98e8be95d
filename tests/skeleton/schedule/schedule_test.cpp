// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <set>

#include <cleave/application.hpp>
#include <cleave/schedule/messages.hpp>
#include <cleave/schedule/schedule.hpp>

namespace cleave {

using namespace cleave::detail;
namespace {

constexpr int kMaxRanks = 70;
constexpr std::array<Way, 4> kWays = {Way::replicated, Way::rooted, Way::merging, Way::splitting};

/// Ranks that take part in `step`.
std::vector<int> ranks_of(const Schedule& schedule, const Step& step) {
  const Group group = schedule.groups[static_cast<std::size_t>(step.group)].ranks;
  if (step.kind == Step::Kind::swap || step.kind == Step::Kind::send) {
    return {step.first, step.second};
  }
  const bool is_work = step.kind == Step::Kind::work;
  std::vector<int> ranks(static_cast<std::size_t>(is_work ? step.count : group.size));
  std::iota(ranks.begin(), ranks.end(), is_work ? step.first : group.first);
  return ranks;
}

TEST(Schedule, GroupsAreHalvesDownToSingleRanks) {
  for (int ranks = 1; ranks <= kMaxRanks; ++ranks) {
    const Schedule schedule = schedule_of(Way::replicated, ranks);
    std::set<int> alone;
    for (std::size_t i = 0; i < schedule.groups.size(); ++i) {
      const ScheduledGroup& group = schedule.groups[i];
      if (group.ranks.size == 1) {
        EXPECT_EQ(group.left, -1);
        EXPECT_TRUE(alone.insert(group.ranks.first).second);
        continue;
      }
      const auto left = static_cast<std::size_t>(group.left);
      ASSERT_GT(left, i);
      EXPECT_EQ(schedule.groups[left].ranks, group.ranks.left());
      EXPECT_EQ(schedule.groups[left + 1].ranks, group.ranks.right());
      EXPECT_EQ(schedule.groups[left].parent, static_cast<int>(i));
      EXPECT_EQ(schedule.groups[left].level, group.level + 1);
    }
    EXPECT_EQ(std::ssize(alone), ranks);
  }
}

TEST(Schedule, EachRankSolvesOnceBetweenItsWayDownAndItsWayUp) {
  for (const Way way : kWays) {
    for (int ranks = 1; ranks <= kMaxRanks; ranks += ranks < 9 ? 1 : 20) {
      const Schedule schedule = schedule_of(way, ranks);
      std::map<int, std::vector<int>> levels;  // of a rank's steps, but for agreements
      std::map<int, std::size_t> solved;       // how many steps came before
      for (const Step& step : schedule.steps) {
        for (const int rank : ranks_of(schedule, step)) {
          if (step.block == Block::sequential) {
            EXPECT_TRUE(solved.emplace(rank, levels[rank].size()).second);
          } else if (step.kind != Step::Kind::agree) {
            levels[rank].push_back(schedule.groups[static_cast<std::size_t>(step.group)].level);
          }
        }
      }
      for (int rank = 0; rank < ranks; ++rank) {
        ASSERT_TRUE(solved.contains(rank));
        const auto turn = levels[rank].begin() + static_cast<std::ptrdiff_t>(solved[rank]);
        EXPECT_TRUE(std::is_sorted(levels[rank].begin(), turn));
        EXPECT_TRUE(std::is_sorted(turn, levels[rank].end(), std::greater()));
      }
    }
  }
}

TEST(Schedule, PartnersSwapAndTheOddOneGets) {
  for (int ranks = 2; ranks <= kMaxRanks; ++ranks) {
    const Schedule schedule = schedule_of(Way::replicated, ranks);
    std::map<int, std::multiset<int>> got;  // by group, who has the other half's solution
    for (const Step& step : schedule.steps) {
      const Group group = schedule.groups[static_cast<std::size_t>(step.group)].ranks;
      if (step.kind == Step::Kind::swap) {
        EXPECT_EQ(partner_of(step.first, group), step.second);
        got[step.group].insert({step.first, step.second});
      } else if (step.kind == Step::Kind::send) {
        EXPECT_EQ(giver_to_last(group), step.first);
        EXPECT_EQ(rank_without_partner(group), step.second);
        got[step.group].insert(step.second);
      }
    }
    for (std::size_t i = 0; i < schedule.groups.size(); ++i) {
      const Group group = schedule.groups[i].ranks;
      for (int rank = group.first; rank < group.first + group.size && group.size > 1; ++rank) {
        EXPECT_EQ(got[static_cast<int>(i)].count(rank), 1U) << rank << " of " << ranks;
      }
    }
  }
}

TEST(Schedule, WaysHaveTheNamesOfPlacements) {
  EXPECT_EQ(way_of("replicated", false), Way::replicated);
  EXPECT_EQ(way_of("rooted", false), Way::rooted);
  EXPECT_EQ(way_of("distributed", false), Way::merging);
  EXPECT_EQ(way_of("distributed", true), Way::splitting);
  EXPECT_FALSE(way_of("elsewhere", false));
}

TEST(Messages, RoundsReachEveryRankOnce) {
  for (int ranks = 1; ranks <= kMaxRanks; ++ranks) {
    int have = 1;
    int doublings = 0;
    for (const Round& round : rounds_of(ranks)) {
      EXPECT_EQ(round.have, have);
      EXPECT_LE(round.more, round.have);
      have += round.more;
      ++doublings;
    }
    EXPECT_EQ(have, ranks);
    EXPECT_GE(1 << doublings, ranks);
    EXPECT_LT(doublings == 0 ? 0 : 1 << (doublings - 1), ranks);
  }
}

template <class Splitter>
struct Verdict {
  std::int64_t is_chosen = 0;
  Split<Splitter> split;
};
struct TwelveBytes {
  std::int32_t a, b, c;
};

TEST(Messages, VerdictsAreAsLongAsTheirLayout) {
  EXPECT_EQ(verdict_bytes(4), sizeof(Verdict<std::int32_t>));
  EXPECT_EQ(verdict_bytes(8), sizeof(Verdict<std::int64_t>));
  EXPECT_EQ(verdict_bytes(8), sizeof(Verdict<double>));
  EXPECT_EQ(verdict_bytes(1), sizeof(Verdict<char>));
  EXPECT_EQ(verdict_bytes(12), sizeof(Verdict<TwelveBytes>));
}

TEST(Messages, SamplesAreOneInSixtyFourWithinBounds) {
  EXPECT_EQ(sample_of(0), 0);
  EXPECT_EQ(sample_of(100), 100);
  EXPECT_EQ(sample_of(5000), 4096);
  EXPECT_EQ(sample_of(640000), 10000);
  EXPECT_EQ(sample_of(std::int64_t{1} << 40), 32768);
}

}  // namespace
}  // namespace cleave
