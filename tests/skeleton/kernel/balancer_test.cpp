// SPDX-License-Identifier: Apache-2.0
// The protocol on simulated ranks in virtual time: messages take random times, some very long, so
// that those of different senders overtake one another at will.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <random>
#include <set>
#include <vector>

#include <cleave/kernel/balancer.hpp>

#include "tests/skeleton/kernel/simulated_ranks.hpp"
#include "tests/support/number_of.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

constexpr int kSeeds = 60;
const std::vector<int> kRankCounts = {1, 2, 3, 4, 5, 8, 17, 40};

/// All that a run may meet, drawn at random: how many ranks and workers, which are slow, what is
/// sent beside nodes, when some rank wants a snapshot, an end, or has failed, and when one is
/// killed.
World drawn_world(std::mt19937_64& random, std::uint32_t seed, const Snapshot& newest) {
  const int ranks = random() % 32 == 0 ? 40 : 1 + static_cast<int>(random() % 9);
  const int workers = 1 + static_cast<int>(random() % 3);
  constexpr std::int64_t kMinimumSize = 20;
  World world(ranks, seed, random() % 2 == 0, workers, kMinimumSize, newest);
  for (const auto& rank : world.ranks()) {
    rank->turns = random() % 8 == 0 ? 8 : 1;
  }
  constexpr std::array<std::uint8_t, 5> kWishes = {kNothing, kSnapshot, kEnd, kEnd | kSnapshot,
                                                   kEnd | kLost};
  if (const std::uint8_t wish = kWishes[random() % kWishes.size()]; wish != kNothing) {
    world.wish_at(static_cast<std::int64_t>(random() % 300'000), wish, wish != kSnapshot);
  }
  if (random() % 2 == 0) {
    world.snapshot_every(static_cast<std::int64_t>(2'000 + random() % 50'000));
    world.kill_at(static_cast<std::int64_t>(random() % 1'500'000));
  }
  return world;
}

void expect_as_promised(World& world, std::uint32_t seed) {
  ASSERT_TRUE(world.run()) << "schedule " << seed << " hangs";
  if (world.is_killed()) {
    return;
  }
  ASSERT_EQ(world.messages_under_way(), 0) << "schedule " << seed;
  const Balancer::Outcome outcome = world.balancer(0).outcome();
  bool is_wished = false;
  for (int rank = 0; rank < std::ssize(world.ranks()); ++rank) {
    ASSERT_EQ(world.balancer(rank).outcome(), outcome) << "schedule " << seed << ", rank " << rank;
    is_wished = is_wished || (world.ranks()[rank]->wish & kEnd) != 0;
  }
  ASSERT_EQ(world.accounted_for(), world.tree_size()) << "schedule " << seed;
  if (outcome == Balancer::Outcome::done) {
    ASSERT_EQ(world.visited(), world.tree_size()) << "schedule " << seed;
  } else {
    ASSERT_TRUE(is_wished) << "schedule " << seed << " ended for no reason";
  }
}

/// What has happened in schedules.
struct Course {
  std::uint64_t digest = 0;  ///< of all messages
  std::int64_t ns = 0;       ///< that all worlds took
  int kills = 0;
  int kills_in_snapshots = 0;  ///< of these, when some ranks had written their parts
  int completed_after_resume = 0;
};

/// Runs a world, and after one that is killed another, from the newest snapshot that is whole.
void run_schedule(std::uint32_t seed, Course& course) {
  std::mt19937_64 random(seed);
  Snapshot newest;
  for (bool goes_on = true; goes_on;) {
    World world = drawn_world(random, seed, newest);
    ASSERT_NO_FATAL_FAILURE(expect_as_promised(world, seed));
    course.digest = CounterRandom::mix(course.digest ^ world.digest());
    course.ns += world.now_ns();
    goes_on = world.is_killed();
    course.kills += goes_on ? 1 : 0;
    course.kills_in_snapshots += goes_on && world.is_writing_snapshot() ? 1 : 0;
    const bool is_done = !goes_on && world.balancer(0).outcome() == Balancer::Outcome::done;
    course.completed_after_resume += is_done && !newest.empty() ? 1 : 0;
    newest = world.newest_snapshot();
  }
}

/// CLEAVE_INTERLEAVINGS=1000000 tries so many.
TEST(Balancer, AnyScheduleEndsWithTheExactCountOrAsOneOnAllRanks) {
  const std::uint32_t tries = testing::number_of("CLEAVE_INTERLEAVINGS", 2000);
  Course course;
  for (std::uint32_t seed = 0; seed < tries; ++seed) {
    ASSERT_NO_FATAL_FAILURE(run_schedule(seed, course));
  }
  EXPECT_GT(course.kills, tries / 4);
  EXPECT_GT(course.kills_in_snapshots, tries / 20);
  EXPECT_GT(course.completed_after_resume, tries / 25);
}

TEST(Balancer, ASeedGivesTheSameMessagesAgain) {
  std::set<std::uint64_t> digests;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    Course first;
    Course again;
    ASSERT_NO_FATAL_FAILURE(run_schedule(seed, first));
    ASSERT_NO_FATAL_FAILURE(run_schedule(seed, again));
    ASSERT_EQ(first.digest, again.digest) << "seed " << seed;
    ASSERT_EQ(first.ns, again.ns) << "seed " << seed;
    digests.insert(first.digest);
  }
  EXPECT_GT(digests.size(), kSeeds / 2);
}

TEST(Balancer, SharesTheWork) {
  std::vector<double> minimum;  // share of a rank, of the mean
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    World world(8, seed, false);
    ASSERT_TRUE(world.run());
    std::vector<std::int64_t> visited;
    for (const auto& rank : world.ranks()) {
      visited.push_back(rank->visited);
    }
    minimum.push_back(8.0 * static_cast<double>(std::ranges::min(visited)) /
                      static_cast<double>(world.tree_size()));
  }
  std::ranges::nth_element(minimum, minimum.begin() + kSeeds / 2);
  EXPECT_GT(minimum[kSeeds / 2], 0.3);
}

/// A rank waits for its parent at the beginning, so many have their first work of it. The trees are
/// small here, so the parent often runs dry.
TEST(Balancer, TheFirstWorkComesUnasked) {
  for (const int ranks : {17, 40}) {
    int with_work = 0;
    int at_once = 0;
    for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
      World world(ranks, seed, false);
      ASSERT_TRUE(world.run());
      for (const auto& rank : world.ranks()) {
        with_work += rank->requests_before_work ? 1 : 0;
        at_once += rank->requests_before_work == 1 ? 1 : 0;
      }
    }
    EXPECT_GT(at_once, with_work * 45 / 100) << at_once << " of " << with_work << ", " << ranks;
  }
}

/// Fifteen ranks wait for work of rank 0, which is slow and has none to spare any more.
TEST(Balancer, WhoWaitsForARankWithoutSpareNodesAsksOthers) {
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    World world(17, seed, false);
    world.ranks()[0]->gifts_left = 1;  // to rank 16
    world.ranks()[0]->is_slow = true;
    ASSERT_TRUE(world.run());
    ASSERT_EQ(world.visited(), world.tree_size());
    for (int rank = 1; rank < 16; ++rank) {
      EXPECT_GT(world.balancer(rank).statistics().tried, 1) << "rank " << rank << ", seed " << seed;
    }
  }
}

TEST(Balancer, TheIncumbentReachesEveryRank) {
  World world(17, 5, false);
  world.ranks()[11]->best = -5;
  ASSERT_TRUE(world.run());
  for (const auto& rank : world.ranks()) {
    EXPECT_EQ(rank->best, -5);
  }
}

TEST(Balancer, AnyRankEndsTheSearchWithOrWithoutASnapshot) {
  int ended_early = 0;
  for (const int ranks : kRankCounts) {
    for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
      const auto wish = static_cast<std::uint8_t>(seed % 2 == 0 ? kEnd | kSnapshot : kEnd | kLost);
      World world(ranks, seed, false);
      world.wish_at(100'000, wish, true);
      ASSERT_TRUE(world.run()) << ranks << " ranks, seed " << seed << " hang";
      const Balancer::Outcome outcome = world.balancer(0).outcome();
      for (int rank = 0; rank < ranks; ++rank) {
        ASSERT_EQ(world.balancer(rank).outcome(), outcome);
      }
      ASSERT_EQ(world.accounted_for(), world.tree_size());
      if (outcome == Balancer::Outcome::ended_early) {
        ++ended_early;
        ASSERT_EQ(world.snapshots, seed % 2 == 0 ? 1 : 0);
      } else {
        ASSERT_EQ(world.visited(), world.tree_size());
      }
    }
  }
  EXPECT_GT(ended_early, kSeeds * std::ssize(kRankCounts) / 2);
}

TEST(Balancer, WorksAtFiveHundredRanks) {
  World world(500, 2, true);
  ASSERT_TRUE(world.run());
  EXPECT_EQ(world.visited(), world.tree_size());
}

}  // namespace
}  // namespace cleave