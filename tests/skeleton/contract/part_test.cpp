// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <numeric>

#include <cleave/part.hpp>
#include <cleave/row.hpp>

namespace cleave {
namespace {

Part<int> counting(std::size_t count) {
  Part<int> part(count);
  std::iota(part.begin(), part.end(), 0);
  return part;
}

TEST(Part, GrowsAndShrinksAtBothEndsWithoutMovingTheRest) {
  Part<int> part = counting(1000);
  const int* const third = part.begin() + 300;
  const std::size_t room_before = part.room_before();
  part.drop_first(300);
  part.drop_last(100);
  EXPECT_EQ(part.size(), 600U);
  EXPECT_EQ(part.begin(), third);
  EXPECT_EQ(part.room_before(), room_before + 300U);
  const auto before = part.grow_before(2);
  before[0] = -2;
  before[1] = -1;
  part.grow_behind(1)[0] = 7;
  EXPECT_EQ(part.begin(), third - 2);
  EXPECT_EQ(part[0], -2);
  EXPECT_EQ(part[2], 300);
  EXPECT_EQ(part[602], 7);
}

TEST(Part, IsUniformUntilElementsArePutOn) {
  Part<int> part(100);
  EXPECT_FALSE(part.is_uniform());
  part.set_uniform(true);
  part.grow_behind(0);
  part.drop_first(10);
  Part<int> moved = std::move(part);
  EXPECT_TRUE(moved.is_uniform());
  moved.grow_before(1);
  EXPECT_FALSE(moved.is_uniform());
}

TEST(Part, MovesWithinItsStorageWhereItsRoomIsEnoughElseToMore) {
  for (const std::size_t count : {0, 1, 1000, 3'000'000}) {
    Part<int> part = counting(count);
    const int* const storage = part.begin() - part.room_before();
    const std::size_t room = part.room_before() + part.room_behind();
    part.make_room_before(room / 2);
    EXPECT_EQ(part.begin(), storage + room / 2);
    EXPECT_EQ(part, counting(count));
    part.make_room_behind(room);
    EXPECT_EQ(part.begin(), storage);
    EXPECT_EQ(part, counting(count));
    part.make_room_before(500);
    EXPECT_GE(part.room_before(), 500U);
    part.make_room_behind(3 * count + 1);
    EXPECT_GE(part.room_behind(), 3 * count + 1);
    EXPECT_EQ(part, counting(count));
  }
}

TEST(Row, OfAnyLengthIsAlignedAndKeepsItsElements) {
  for (const std::size_t count : {0, 1, 1000, 3'000'000}) {
    Row<int> row(count);
    std::iota(row.begin(), row.end(), 5);
    row.push_back(-1);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(row.data()) % 64, 0U);
    EXPECT_EQ(row.front(), count == 0 ? -1 : 5);
    EXPECT_EQ(row[count / 2], count == 0 ? -1 : static_cast<int>(5 + count / 2));
    EXPECT_EQ(row.back(), -1);
  }
}

TEST(Part, OfMoreThanMemoryIsRefused) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the address sanitizer ends a program that asks for too much";
#endif
  EXPECT_THROW(Part<int>(std::size_t{1} << 60), std::bad_alloc);
  EXPECT_THROW(Part<int>(SIZE_MAX), std::bad_alloc);
  EXPECT_THROW(allocate_row(SIZE_MAX), std::bad_alloc);
  EXPECT_THROW(RowAllocator<int>().allocate(SIZE_MAX / 4), std::bad_array_new_length);
  Part<int> part = counting(10);
  EXPECT_THROW(part.make_room_before(SIZE_MAX / 2), std::bad_alloc);
  EXPECT_EQ(part, counting(10));
}

}  // namespace
}  // namespace cleave
