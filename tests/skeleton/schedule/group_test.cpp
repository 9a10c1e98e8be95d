// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <set>

#include <cleave/schedule/group.hpp>

namespace cleave {

using namespace cleave::detail;
namespace {

constexpr int kMaxGroup = 70;

TEST(Group, HalvesCoverEveryRankOnce) {
  for (int size = 2; size <= kMaxGroup; ++size) {
    const Group group{3, size};
    EXPECT_EQ(group.left().first, 3);
    EXPECT_EQ(group.right().first, group.left().first + group.left().size);
    EXPECT_EQ(group.left().size + group.right().size, size);
    EXPECT_GE(group.left().size, 1);
    EXPECT_LE(group.right().size - group.left().size, 1);
    EXPECT_GE(group.right().size, group.left().size);
  }
}

TEST(Group, PartnerIsItsOwnInverseAndAcrossTheCut) {
  for (int size = 2; size <= kMaxGroup; ++size) {
    const Group group{5, size};
    int without = 0;
    for (int rank = 5; rank < 5 + size; ++rank) {
      const auto partner = partner_of(rank, group);
      if (!partner) {
        ++without;
        EXPECT_EQ(rank_without_partner(group), rank);
        EXPECT_TRUE(group.left().contains(giver_to_last(group)));
        continue;
      }
      EXPECT_EQ(partner_of(*partner, group), rank);
      EXPECT_NE(group.left().contains(rank), group.left().contains(*partner));
    }
    EXPECT_EQ(without, size % 2);
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

}  // namespace
}  // namespace cleave
