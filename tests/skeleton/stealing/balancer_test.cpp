// SPDX-License-Identifier: Apache-2.0
// The protocol on simulated ranks in virtual time: messages take random times, some very long, so
// that those of different senders overtake one another at will.
#include <gtest/gtest.h>

#include <cstdlib>
#include <vector>

#include <cleave/stealing/balancer.hpp>

#include "tests/skeleton/stealing/simulated_ranks.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

constexpr int kSeeds = 60;
const std::vector<int> kRankCounts = {1, 2, 3, 4, 5, 8, 17, 40};

TEST(Balancer, EndsWhenAllIsVisitedAndNotBefore) {
  for (const int ranks : kRankCounts) {
    for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
      World world(ranks, seed, seed % 2 == 1);
      ASSERT_TRUE(world.run()) << ranks << " ranks, seed " << seed << " hang";
      ASSERT_EQ(world.visited(), world.tree_size()) << ranks << " ranks, seed " << seed;
      for (int rank = 0; rank < ranks; ++rank) {
        ASSERT_EQ(world.balancer(rank).outcome(), Balancer::Outcome::done);
      }
      ASSERT_EQ(world.messages_under_way(), 0);
    }
  }
}

/// CLEAVE_INTERLEAVINGS=1000000 tries so many.
TEST(Balancer, AnyOrderOfMessagesEndsItOnce) {
  const char* const wish = std::getenv("CLEAVE_INTERLEAVINGS");
  const int tries = wish == nullptr ? 500 : std::atoi(wish);
  for (int i = 0; i < tries; ++i) {
    World world(2 + i % 4, static_cast<std::uint32_t>(1000 + i), i % 2 == 1);
    if (i % 3 == 0) {
      world.wish_at(i % 1000 * 1000, kSnapshot, false);
    }
    ASSERT_TRUE(world.run()) << "try " << i << " hangs";
    ASSERT_EQ(world.visited(), world.tree_size()) << "try " << i;
    ASSERT_EQ(world.messages_under_way(), 0) << "try " << i;
  }
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

/// A rank's first request waits until there is something to give, so many ask only once before they
/// have work. The trees are small here, so the rank that was asked often runs dry.
TEST(Balancer, FirstRequestsBringWork) {
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
  int with_work = 0;
  for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
    World world(17, seed, false);
    world.ranks()[0]->gifts_left = 1;  // to rank 16
    world.ranks()[0]->is_slow = true;
    ASSERT_TRUE(world.run());
    ASSERT_EQ(world.visited(), world.tree_size());
    for (int rank = 1; rank < 16; ++rank) {
      with_work += world.ranks()[rank]->visited > 0 ? 1 : 0;
    }
  }
  EXPECT_GT(with_work, kSeeds * 15 / 2) << with_work;
}

TEST(Balancer, TheIncumbentReachesEveryRank) {
  World world(17, 5, false);
  world.ranks()[11]->best = -5;
  ASSERT_TRUE(world.run());
  for (const auto& rank : world.ranks()) {
    EXPECT_EQ(rank->best, -5);
  }
}

TEST(Balancer, SnapshotsAreTakenWhileNothingIsUnderWay) {
  int snapshots = 0;
  for (const int ranks : kRankCounts) {
    for (std::uint32_t seed = 0; seed < kSeeds; ++seed) {
      World world(ranks, seed, seed % 2 == 1);
      world.wish_at(static_cast<std::int64_t>(seed) * 20'000, kSnapshot, false);
      ASSERT_TRUE(world.run()) << ranks << " ranks, seed " << seed << " hang";
      ASSERT_EQ(world.visited(), world.tree_size());
      snapshots += world.snapshots;
    }
  }
  EXPECT_GT(snapshots, kSeeds * std::ssize(kRankCounts) / 2);
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