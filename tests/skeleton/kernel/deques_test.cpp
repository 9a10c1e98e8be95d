// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include <cleave/kernel/segments.hpp>

namespace cleave {

using namespace cleave::detail;
namespace {

template <class T>
void put(Segments<T>& bag, int worker, T node) {
  bag.of(worker).push(std::move(node));
  bag.share(worker);
}

/// The newest node of the worker, else the oldest of another one.
template <class T>
std::optional<T> get(Segments<T>& bag, int worker) {
  if (!bag.of(worker).has_private() && bag.steal(worker, 1) == 0) {
    return std::nullopt;
  }
  std::optional<T> node = bag.of(worker).pop();
  bag.share(worker);
  return node;
}

/// Whether a node is there, while nobody works.
template <class T>
bool contains(const Segments<T>& bag, const T& node) {
  bool is_there = false;
  bag.for_each([&](const T& other) { is_there = is_there || other == node; });
  return is_there;
}

TEST(Segments, AreDepthFirstForTheirWorkerAndGiveOthersTheOldest) {
  Segments<int> bag(2);
  for (int i = 0; i < 100; ++i) {
    put(bag, 0, i);
  }
  EXPECT_EQ(get(bag, 0), 99);
  put(bag, 0, 1000);
  EXPECT_EQ(get(bag, 0), 1000);
  EXPECT_EQ(get(bag, 1), 0);
  EXPECT_EQ(get(bag, 1), 1);
  put(bag, 1, 2000);
  EXPECT_EQ(get(bag, 1), 2000);
  for (int i = 98; i > 1; --i) {
    EXPECT_EQ(bag.size(), static_cast<std::size_t>(i - 1));
    EXPECT_EQ(get(bag, 0), i);
  }
  EXPECT_EQ(get(bag, 0), std::nullopt);
}

TEST(Segments, ShareTheLaterHalfOfTheChildrenOfALoneNode) {
  Segments<OpenNode<int>> bag(1);
  put(bag, 0, OpenNode<int>{.node = 7, .next = 1, .end = 6});
  ASSERT_EQ(bag.of(0).private_size(), 1U);
  ASSERT_EQ(bag.of(0).shared_size(), 1U);
  const OpenNode<int> kept = bag.of(0).pop();
  bag.of(0).lock();
  const OpenNode<int> shared = bag.of(0).shared().front();
  bag.of(0).unlock();
  EXPECT_EQ((std::vector<std::int64_t>{kept.node, kept.next, kept.end}),
            (std::vector<std::int64_t>{7, 1, 3}));
  EXPECT_EQ((std::vector<std::int64_t>{shared.node, shared.next, shared.end}),
            (std::vector<std::int64_t>{7, 3, 6}));
  Segments<OpenNode<int>> of_one_child(1);
  put(of_one_child, 0, OpenNode<int>{.node = 7, .next = 5, .end = 6});
  EXPECT_EQ(of_one_child.of(0).private_size(), 1U);
  EXPECT_EQ(of_one_child.size(), 1U);
}

TEST(Segments, GivesEveryOtherNodeAndKeepsTheLast) {
  Segments<int> from(1);
  for (int i = 0; i < 7; ++i) {
    put(from, 0, i);
  }
  Segments<int> to(1);
  EXPECT_EQ(to.take(from.give(1 << 20)), 3U);
  EXPECT_TRUE(contains(to, 0) && contains(to, 2) && contains(to, 4));
  EXPECT_EQ(to.take(from.give(1 << 20)), 2U);
  EXPECT_TRUE(contains(to, 1) && contains(to, 5));
  Segments<int> next(1);
  EXPECT_EQ(next.take(from.give(1 << 20)), 1U);
  EXPECT_TRUE(next.give(1 << 20).empty());  // or it would go round
  EXPECT_EQ(to.take(from.give(1 << 20)), 0U);
  EXPECT_TRUE(contains(from, 6));
}

TEST(Segments, WhatOtherRanksGaveGoesToTheOnlyWorkerAtOnceAndByHalvesToSeveral) {
  for (const int workers : {1, 2}) {
    Segments<int> from(1);
    for (int i = 0; i < 20; ++i) {
      put(from, 0, i);
    }
    Segments<int> to(workers);
    ASSERT_EQ(to.take(from.give(1 << 20)), 10U);
    EXPECT_EQ(to.steal(0, 1), workers == 1 ? 10U : 5U);
    EXPECT_EQ(to.inbox_is_empty(), workers == 1);
    EXPECT_EQ(to.size(), 10U);
  }
}

TEST(Segments, GivesNodesOfAnyLengthToAnotherBag) {
  Segments<std::pair<int, std::string>> from(2);
  for (int i = 0; i < 64; ++i) {
    put(from, 0, {i, std::string(i, 'x')});
  }
  Segments<std::pair<int, std::string>> to(1);
  std::vector<std::byte> nodes = from.give(1 << 20);
  const std::size_t count = to.take(nodes);
  EXPECT_GT(count, 8U);
  EXPECT_EQ(from.size() + count, 64U);
  EXPECT_TRUE(contains(to, std::pair<int, std::string>{0, ""}));
  EXPECT_EQ(to.take(from.give(1)), 1U);  // however few bytes are allowed
  EXPECT_TRUE(get(to, 0).has_value());
}

}  // namespace
}  // namespace cleave
