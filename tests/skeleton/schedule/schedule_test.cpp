// SPDX-License-Identifier: Apache-2.0
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <set>

#include <cleave/application.hpp>
#include <cleave/schedule/schedule.hpp>

namespace cleave {

using namespace cleave::detail;
namespace {

constexpr int kMostRanks = 70;
constexpr std::array<Way, 4> kWays = {Way::replicated, Way::rooted, Way::merging, Way::splitting};

/// Calls `check(way, ranks, schedule)` for every way and many numbers of ranks.
template <class Check>
void for_each_schedule(Check&& check) {
  for (const Way way : kWays) {
    for (int ranks = 1; ranks <= kMostRanks; ranks += ranks < 9 ? 1 : 20) {
      check(way, ranks, schedule_of(way, ranks));
    }
  }
}

const ScheduledGroup& group_of(const Schedule& schedule, const Step& step) {
  return schedule.groups[static_cast<std::size_t>(step.group)];
}

/// Whether two ranks each meet, rather than all by the group's own plan.
bool is_of_pairs(const Step& step) {
  return step.kind == Step::Kind::move && step.what != Step::What::part;
}

/// Ranks that take part in `step`.
std::vector<int> ranks_of(const Schedule& schedule, const Step& step) {
  const Group group = group_of(schedule, step).ranks;
  std::vector<int> ranks;
  for (int rank = group.first; rank < group.first + group.size; ++rank) {
    if (is_of_pairs(step) ? other_of(rank, step.ranks, group).has_value()
                          : step.ranks == Step::Ranks::all || rank == group.first) {
      ranks.push_back(rank);
    }
  }
  return ranks;
}

/// A step without the place of its group in a list.
std::string text_of(const Schedule& schedule, const Step& step) {
  const auto& [group, level, parent, left] = group_of(schedule, step);
  return fmt::format("{}",
                     fmt::join(std::array{static_cast<int>(step.kind), static_cast<int>(step.block),
                                          static_cast<int>(step.ranks), static_cast<int>(step.what),
                                          static_cast<int>(step.flow), static_cast<int>(step.bytes),
                                          group.first, group.size, level},
                               " "));
}

TEST(Group, APowerOfTwoIsTheHypercube) {
  // Flipping bit k of a rank is the partner at the level whose groups have 2^(k+1) ranks.
  for (int rank = 0; rank < 64; ++rank) {
    Group group{0, 64};
    for (int bit = 5; bit >= 0; --bit) {
      EXPECT_EQ(other_of(rank, Step::Ranks::all, group), rank ^ (1 << bit));
      group = group.half_of(rank);
    }
    EXPECT_EQ(group, (Group{rank, 1}));
  }
}

TEST(Schedule, GroupsAreHalvesDownToSingleRanks) {
  for_each_schedule([](Way, int ranks, const Schedule& schedule) {
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
  });
}

TEST(Schedule, BeginsWithAnAgreement) {
  for_each_schedule([](Way, int ranks, const Schedule& schedule) {
    EXPECT_EQ(schedule.steps.front().what == Step::What::call, ranks > 1);
  });
}

TEST(Schedule, EachRankSolvesOnceBetweenItsWayDownAndItsWayUp) {
  for_each_schedule([](Way, int ranks, const Schedule& schedule) {
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
  });
}

TEST(Schedule, TheOwnStepsOfARankAreThoseOfAllThatItTakesPartIn) {
  for_each_schedule([](Way way, int ranks, const Schedule& of_all) {
    std::map<int, std::vector<std::string>> expected;
    for (const Step& step : of_all.steps) {
      for (const int rank : ranks_of(of_all, step)) {
        expected[rank].push_back(text_of(of_all, step));
      }
    }
    for (int rank = 0; rank < ranks; ++rank) {
      const Schedule own = schedule_of(way, ranks, rank);
      std::vector<std::string> steps;
      for (const Step& step : own.steps) {
        steps.push_back(text_of(own, step));
      }
      EXPECT_EQ(steps, expected[rank]) << rank << " of " << ranks;
    }
  });
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
  for_each_schedule([](Way, int, const Schedule& schedule) {
    for (const Step& step : schedule.steps) {
      if (!is_of_pairs(step)) {
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
        EXPECT_EQ(other_of(right, Step::Ranks::all, group).has_value(),
                  step.ranks != Step::Ranks::last);
      }
    }
  });
}

TEST(Schedule, PartnersSwapAndTheOddOneGets) {
  for (int ranks = 2; ranks <= kMostRanks; ++ranks) {
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

TEST(Schedule, WaysHaveTheNamesOfPlacementsAndTellWhatMoves) {
  EXPECT_EQ(way_of("replicated", false), Way::replicated);
  EXPECT_EQ(way_of("rooted", false), Way::rooted);
  EXPECT_EQ(way_of("distributed", false), Way::merging);
  EXPECT_EQ(way_of("distributed", true), Way::splitting);
  EXPECT_FALSE(way_of("elsewhere", false));
  for (const Way way : kWays) {
    const std::vector<Step> steps = schedule_of(way, 5).steps;
    EXPECT_EQ(moves_problems(way), std::ranges::any_of(steps, [](const Step& step) {
                return step.what == Step::What::problem;
              }));
    EXPECT_EQ(swaps(way), std::ranges::any_of(steps, [](const Step& step) {
                return step.kind == Step::Kind::move && step.flow == Step::Flow::both;
              }));
  }
}

TEST(Messages, RoundsReachEveryRankOnce) {
  for (int ranks = 1; ranks <= kMostRanks; ++ranks) {
    int have = 1;
    for (const Round& round : rounds_of(ranks)) {
      EXPECT_EQ(round.have, have);
      EXPECT_LE(round.more, round.have);
      have += round.more;
    }
    EXPECT_EQ(have, ranks);
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

TEST(Messages, AreAsLongAsTheirLayoutAndAsSamples) {
  EXPECT_EQ(choice_bytes(4), sizeof(Choice<std::int32_t>));
  EXPECT_EQ(choice_bytes(8), sizeof(Choice<std::int64_t>));
  EXPECT_EQ(choice_bytes(1), sizeof(Choice<char>));
  EXPECT_EQ(choice_bytes(12), sizeof(Choice<TwelveBytes>));
  EXPECT_EQ(sample_of(0), 0);
  EXPECT_EQ(sample_of(100), 100);
  EXPECT_EQ(sample_of(5000), 4096);
  EXPECT_EQ(sample_of(640000), 10000);
  EXPECT_EQ(sample_of(std::int64_t{1} << 40), 32768);
}

}  // namespace
}  // namespace cleave
