// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <atomic>
#include <ranges>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <cleave/stealing/bag.hpp>

namespace cleave {

using namespace cleave::detail;
namespace {

TEST(Bag, IsDepthFirstForOneWorker) {
  Bag<int> bag;
  bag.add(1);
  bag.add_bulk(std::vector{2, 3, 4});
  EXPECT_EQ(bag.remove(), 4);
  bag.add(5);
  EXPECT_EQ(bag.remove(), 5);
  EXPECT_EQ(bag.remove(), 3);
  EXPECT_EQ(bag.size(), 2U);
  EXPECT_TRUE(bag.contains(1));
  EXPECT_FALSE(bag.contains(3));
  bag.clear();
  EXPECT_EQ(bag.size(), 0U);
  EXPECT_EQ(bag.remove(), std::nullopt);
}

TEST(Bag, ForEachVisitsEveryNodeOnce) {
  Bag<std::string> bag;
  std::multiset<std::string> expected;
  for (int i = 0; i < 5000; ++i) {
    bag.add(std::to_string(i));
    expected.insert(std::to_string(i));
  }
  std::multiset<std::string> seen;
  bag.for_each([&](const std::string& node) { seen.insert(node); });
  EXPECT_EQ(seen, expected);
}

TEST(Bag, AnotherThreadStealsTheOldestOneByOne) {
  Bag<int> bag({.workers = 2});
  for (int i = 0; i < 100; ++i) {
    bag.add(i);
  }
  std::thread([&bag] {
    EXPECT_EQ(bag.remove(), 0);
    EXPECT_EQ(bag.remove(), 1);
    bag.add(1000);
    EXPECT_EQ(bag.remove(), 1000);
  }).join();
  EXPECT_EQ(bag.remove(), 99);
}

TEST(Bag, RefusesMoreThreadsThanWorkers) {
  Bag<int> bag({.workers = 2});
  bag.add(1);
  std::thread([&bag] { bag.add(2); }).join();
  std::thread([&bag] { EXPECT_THROW(bag.add(3), Error); }).join();
}

TEST(Bag, EveryNodeIsRemovedOnceByManyThreads) {
  constexpr int kWorkers = 4;
  constexpr int kNodes = 100'000;
  Bag<int> bag({.workers = kWorkers, .initial_capacity = 2});
  std::vector<std::atomic<int>> removed(kNodes);
  std::atomic<int> next = 0;
  std::atomic<int> total = 0;
  std::vector<std::thread> threads;
  for (int t = 0; t < kWorkers; ++t) {
    threads.emplace_back([&, t] {
      while (total.load() < kNodes) {
        for (int i = 0; t < 2 && i < 10; ++i) {  // the other two only steal
          if (const int node = next.fetch_add(1); node < kNodes) {
            bag.add(node);
          }
        }
        for (int i = 0; i < 8; ++i) {
          if (const auto node = bag.remove()) {
            ++removed.at(*node);
            ++total;
          }
        }
        std::this_thread::yield();
      }
    });
  }
  for (std::thread& thread : threads) {
    thread.join();
  }
  EXPECT_EQ(bag.size(), 0U);
  for (const auto& times : removed) {
    ASSERT_EQ(times.load(), 1);
  }
}

TEST(Bag, GivesEveryOtherNodeAndKeepsTheLast) {
  Bag<int> from;
  from.add_bulk(std::vector{0, 1, 2, 3, 4, 5, 6});
  Bag<int> to;
  EXPECT_EQ(to.take(from.give(1 << 20)), 3U);
  EXPECT_TRUE(to.contains(0) && to.contains(2) && to.contains(4));
  EXPECT_EQ(to.take(from.give(1 << 20)), 2U);
  EXPECT_TRUE(to.contains(1) && to.contains(5));
  EXPECT_EQ(to.take(from.give(1 << 20)), 1U);
  EXPECT_EQ(to.take(from.give(1 << 20)), 0U);
  EXPECT_TRUE(from.contains(6));
}

TEST(Bag, WhatOtherRanksGaveGoesToTheOnlyWorkerAtOnceAndByHalvesToSeveral) {
  for (const int workers : {1, 2}) {
    Bag<int> from;
    from.add_bulk(std::views::iota(0, 20));
    Bag<int> to({.workers = workers});
    ASSERT_EQ(to.take(from.give(1 << 20)), 10U);
    EXPECT_EQ(to.steal(0, 1), workers == 1 ? 10U : 5U);
    EXPECT_EQ(to.inbox_is_empty(), workers == 1);
    EXPECT_EQ(to.size(), 10U);
  }
}

TEST(Bag, GivesNodesOfAnyLengthToAnotherBag) {
  Bag<std::pair<int, std::string>> from({.workers = 2});
  for (int i = 0; i < 64; ++i) {
    from.add({i, std::string(i, 'x')});
  }
  Bag<std::pair<int, std::string>> to;
  std::vector<std::byte> nodes = from.give(1 << 20);
  const std::size_t count = to.take(nodes);
  EXPECT_GT(count, 8U);
  EXPECT_EQ(from.size() + count, 64U);
  EXPECT_TRUE(to.contains({0, ""}));
  EXPECT_EQ(to.take(from.give(1)), 1U);  // however few bytes are allowed
  EXPECT_TRUE(to.remove().has_value());
}

}  // namespace
}  // namespace cleave
