// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include <cleave/application.hpp>
#include <cleave/schedule/messages.hpp>
#include <cleave/schedule/schedule.hpp>

namespace cleave {

using namespace cleave::detail;
namespace {

constexpr int kMaxRanks = 70;
constexpr std::array<Way, 4> kWays = {Way::replicated, Way::rooted, Way::merging, Way::splitting};

const ScheduledGroup& group_of(const Schedule& schedule, const Step& step) {
  return schedule.groups[static_cast<std::size_t>(step.group)];
}

/// Whether elements move by the group's own plan, rather than between two ranks each.
bool is_planned(const Step& step) { return step.what == Step::What::part; }

/// Ranks that take part in `step`.
std::vector<int> ranks_of(const Schedule& schedule, const Step& step) {
  const Group group = group_of(schedule, step).ranks;
  std::vector<int> ranks;
  for (int rank = group.first; rank < group.first + group.size; ++rank) {
    const bool takes_part = step.kind == Step::Kind::move && !is_planned(step)
                                ? other_of(rank, step.ranks, group).has_value()
                                : step.ranks == Step::Ranks::all || rank == group.first;
    if (takes_part) {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

/// A step without the place of its group in a list.
std::string text_of(const Schedule& schedule, const Step& step) {
  const ScheduledGroup& group = group_of(schedule, step);
  return fmt::format(
      "{}", fmt::join(std::array{static_cast<int>(step.kind), static_cast<int>(step.block),
                                 static_cast<int>(step.ranks), static_cast<int>(step.what),
                                 static_cast<int>(step.flow), static_cast<int>(step.is_of_getter),
                                 static_cast<int>(step.has_header), static_cast<int>(step.bytes),
                                 group.ranks.first, group.ranks.size, group.level},
                      " "));
}

TEST(Schedule, BeginsWithAnAgreement) {
  for (const Way way : kWays) {
    for (int ranks = 2; ranks <= kMaxRanks; ++ranks) {
      EXPECT_EQ(schedule_of(way, ranks).steps.front().what, Step::What::call);
    }
  }
}

TEST(Group, APowerOfTwoIsTheHypercube) {
  // Flipping bit k of a rank is the partner at the level whose groups have 2^(k+1) ranks.
  for (int rank = 0; rank < 64; ++rank) {
    Group group{0, 64};
    for (int bit = 5; bit >= 0; --bit) {
      EXPECT_EQ(partner_of(rank, group), rank ^ (1 << bit));
      group = group.half_of(rank);
    }
    EXPECT_EQ(group, (Group{rank, 1}));
  }
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
      EXPECT_EQ(group.ranks.right().size - group.ranks.left().size, group.ranks.size % 2);
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
            levels[rank].push_back(group_of(schedule, step).level);
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

TEST(Schedule, TheOwnStepsOfARankAreThoseOfAllThatItTakesPartIn) {
  for (const Way way : kWays) {
    for (int ranks = 1; ranks <= kMaxRanks; ranks += ranks < 9 ? 1 : 20) {
      const Schedule of_all = schedule_of(way, ranks);
      std::vector<std::vector<std::string>> expected(static_cast<std::size_t>(ranks));
      for (const Step& step : of_all.steps) {
        for (const int rank : ranks_of(of_all, step)) {
          expected[static_cast<std::size_t>(rank)].push_back(text_of(of_all, step));
        }
      }
      for (int rank = 0; rank < ranks; ++rank) {
        const Schedule own = schedule_of(way, ranks, rank);
        std::vector<std::string> steps;
        for (const Step& step : own.steps) {
          steps.push_back(text_of(own, step));
        }
        EXPECT_EQ(steps, expected[static_cast<std::size_t>(rank)]) << rank << " of " << ranks;
      }
    }
  }
}

TEST(Schedule, ARankHasAFewStepsALevelOnAnyNumberOfRanks) {
  constexpr int kRanks = (1 << 30) + 1;
  constexpr std::size_t kLevels = 31;
  for (const Way way : kWays) {
    for (const int rank : {0, 1, kRanks / 2, kRanks - 1}) {
      const Schedule own = schedule_of(way, kRanks, rank);
      EXPECT_LE(own.steps.size(), 4 + 7 * kLevels);
      EXPECT_LE(own.groups.size(), 1 + 2 * kLevels);
    }
  }
}

TEST(Schedule, WhoGivesMeetsWhoGets) {
  for (const Way way : kWays) {
    for (int ranks = 2; ranks <= kMaxRanks; ++ranks) {
      const Schedule schedule = schedule_of(way, ranks);
      for (const Step& step : schedule.steps) {
        if (step.kind != Step::Kind::move || is_planned(step)) {
          continue;
        }
        const Group group = group_of(schedule, step).ranks;
        const auto [left, right, count] = pairs_of(step.ranks, group);
        EXPECT_EQ(ranks_of(schedule, step).size(), 2 * static_cast<std::size_t>(count));
        for (int i = 0; i < count; ++i) {
          EXPECT_TRUE(group.left().contains(left + i));
          EXPECT_TRUE(group.right().contains(right + i));
          EXPECT_EQ(other_of(left + i, step.ranks, group), right + i);
          EXPECT_EQ(other_of(right + i, step.ranks, group), left + i);
          if (step.ranks == Step::Ranks::all) {
            EXPECT_EQ(partner_of(left + i, group), right + i);
            EXPECT_EQ(partner_of(right + i, group), left + i);
          } else if (step.ranks == Step::Ranks::last) {
            EXPECT_EQ(rank_without_partner(group), right);
            EXPECT_FALSE(partner_of(right, group));
          }
        }
      }
    }
  }
}

TEST(Schedule, PartnersSwapAndTheOddOneGets) {
  for (int ranks = 2; ranks <= kMaxRanks; ++ranks) {
    const Schedule schedule = schedule_of(Way::replicated, ranks);
    std::map<std::pair<int, int>, int> got;  // by group and rank, solutions of the other half
    for (const Step& step : schedule.steps) {
      if (step.kind == Step::Kind::move) {
        for (const int rank : ranks_of(schedule, step)) {
          const bool is_left = group_of(schedule, step).ranks.left().contains(rank);
          got[{step.group, rank}] += step.flow == Step::Flow::both || !is_left ? 1 : 0;
        }
      }
    }
    for (int i = 0; i < std::ssize(schedule.groups); ++i) {
      const Group group = schedule.groups[static_cast<std::size_t>(i)].ranks;
      for (int rank = group.first; rank < group.first + group.size && group.size > 1; ++rank) {
        EXPECT_EQ((got[{i, rank}]), 1) << rank << " of " << ranks;
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

TEST(Schedule, TellsWhetherProblemsMoveAndWhetherRanksSwap) {
  for (const Way way : kWays) {
    bool any_problem = false;
    bool any_swap = false;
    for (const Step& step : schedule_of(way, 5).steps) {
      any_problem = any_problem || step.what == Step::What::problem;
      any_swap = any_swap || (step.kind == Step::Kind::move && step.flow == Step::Flow::both);
    }
    EXPECT_EQ(moves_problems(way), any_problem);
    EXPECT_EQ(swaps(way), any_swap);
  }
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
struct Choice {
  std::int64_t is_chosen = 0;
  Split<Splitter> split;
};
struct TwelveBytes {
  std::int32_t a, b, c;
};

TEST(Messages, ChoicesAreAsLongAsTheirLayout) {
  EXPECT_EQ(choice_bytes(4), sizeof(Choice<std::int32_t>));
  EXPECT_EQ(choice_bytes(8), sizeof(Choice<std::int64_t>));
  EXPECT_EQ(choice_bytes(8), sizeof(Choice<double>));
  EXPECT_EQ(choice_bytes(1), sizeof(Choice<char>));
  EXPECT_EQ(choice_bytes(12), sizeof(Choice<TwelveBytes>));
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
