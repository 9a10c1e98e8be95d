// SPDX-License-Identifier: Apache-2.0
// The bags of all ranks as one.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <vector>

#include <cleave/stealing/global_bag.hpp>

namespace cleave {

using namespace cleave::detail;
namespace {

/// Rank r adds r + 1 nodes: 100 r, 100 r + 1 ...
void fill(const Comm& comm, Bag<int>& bag) {
  for (int i = 0; i <= comm.rank(); ++i) {
    bag.add(100 * comm.rank() + i);
  }
}

TEST(GlobalBag, CountsTheNodesOfAllRanks) {
  const Comm comm(MPI_COMM_WORLD);
  Bag<int> bag;
  EXPECT_EQ(global_size(comm, bag), 0);
  fill(comm, bag);
  EXPECT_EQ(global_size(comm, bag), comm.size() * (comm.size() + 1) / 2);
  bag.remove();
  EXPECT_EQ(global_size(comm, bag), comm.size() * (comm.size() - 1) / 2);
}

TEST(GlobalBag, FindsANodeOfAnyRank) {
  const Comm comm(MPI_COMM_WORLD);
  Bag<int> bag;
  fill(comm, bag);
  for (int rank = 0; rank < comm.size(); ++rank) {
    EXPECT_TRUE(global_contains(comm, bag, 100 * rank + rank)) << rank;
    EXPECT_FALSE(global_contains(comm, bag, 100 * rank + rank + 1)) << rank;
  }
}

TEST(GlobalBag, IsClearedOnAllRanks) {
  const Comm comm(MPI_COMM_WORLD);
  Bag<int> bag;
  fill(comm, bag);
  global_clear(comm, bag);
  EXPECT_EQ(bag.size(), 0U);
  EXPECT_EQ(global_size(comm, bag), 0);
  bag.add(7);
  EXPECT_EQ(bag.remove(), 7) << "it can be used on";
}

TEST(GlobalBag, ShowsEveryNodeOnceToOneRank) {
  const Comm comm(MPI_COMM_WORLD);
  Bag<std::string> bag;
  for (int i = 0; i <= comm.rank(); ++i) {
    bag.add(std::to_string(comm.rank()) + std::string(static_cast<std::size_t>(i), 'x'));
  }
  for (int root = 0; root < comm.size(); ++root) {
    std::vector<std::string> seen;
    global_for_each(comm, bag, root, [&seen](const std::string& node) { seen.push_back(node); });
    std::vector<std::string> expected;
    for (int rank = 0; rank < comm.size() && comm.rank() == root; ++rank) {
      for (int i = 0; i <= rank; ++i) {
        expected.push_back(std::to_string(rank) + std::string(static_cast<std::size_t>(i), 'x'));
      }
    }
    EXPECT_EQ(seen, expected);
  }
  EXPECT_EQ(bag.size(), static_cast<std::size_t>(comm.rank() + 1)) << "it keeps its nodes";
}

}  // namespace
}  // namespace cleave
