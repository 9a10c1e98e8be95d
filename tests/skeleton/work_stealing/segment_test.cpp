// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <numeric>
#include <random>
#include <thread>
#include <vector>

#include <cleave/contract/segment.hpp>

namespace cleave {

using namespace cleave::detail;
namespace {

/// What a thief does.
template <class T>
std::vector<T> take(Segment<T>& segment, std::size_t maximum) {
  const std::lock_guard guard(segment);
  const std::span<T> shared = segment.shared();
  const std::size_t count = std::min(maximum, shared.size());
  std::vector<T> taken(std::make_move_iterator(shared.begin()),
                       std::make_move_iterator(shared.begin() + count));
  segment.drop(count);
  return taken;
}

TEST(Segment, DropsTheOldestAndEverySecondAfterIt) {
  Segment<std::unique_ptr<int>> segment;
  for (int i = 0; i < 7; ++i) {
    segment.push(std::make_unique<int>(i));
  }
  segment.release(6);
  const auto left_after = [&segment](std::size_t count) {
    const std::lock_guard guard(segment);
    segment.drop_alternate(count);
    std::vector<int> left;
    for (const auto& node : segment.nodes()) {
      left.push_back(*node);
    }
    return left;
  };
  EXPECT_EQ(left_after(2), (std::vector{1, 3, 4, 5, 6}));
  EXPECT_EQ(left_after(2), (std::vector{3, 5, 6}));
  EXPECT_EQ(left_after(1), (std::vector{5, 6}));
  EXPECT_EQ(left_after(1), (std::vector{6}));
  EXPECT_EQ(segment.shared_size(), 0U);
}

TEST(Segment, AgreesWithADequeUnderRandomOperations) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    Segment<std::unique_ptr<int>> segment(random() % 8);
    std::deque<int> shared;
    std::deque<int> own;
    for (int i = 0; i < 2000; ++i) {
      switch (random() % 6) {
        case 0:
        case 1:
          segment.push(std::make_unique<int>(i));
          own.push_back(i);
          break;
        case 2:
          if (!own.empty()) {
            EXPECT_EQ(*segment.pop(), own.back());
            own.pop_back();
          }
          break;
        case 3: {
          const std::size_t count = own.empty() ? 0 : random() % own.size();
          segment.release(count);
          shared.insert(shared.end(), own.begin(), own.begin() + count);
          own.erase(own.begin(), own.begin() + count);
          break;
        }
        case 4: {
          const std::size_t back = (shared.size() + 1) / 2;
          EXPECT_EQ(segment.reacquire(), back > 0);
          own.insert(own.begin(), shared.end() - back, shared.end());
          shared.erase(shared.end() - back, shared.end());
          break;
        }
        default:
          for (const auto& taken : take(segment, random() % 4)) {
            EXPECT_EQ(*taken, shared.front());
            shared.pop_front();
          }
      }
      ASSERT_EQ(segment.private_size(), own.size());
      ASSERT_EQ(segment.shared_size(), shared.size());
      ASSERT_EQ(segment.nodes().size(), own.size() + shared.size());
    }
  }
}

TEST(Segment, EveryNodeIsGotOnceWithThievesAtWork) {
  constexpr int kNodes = 200'000;
  constexpr int kThieves = 3;
  Segment<int> segment(4);
  std::atomic<bool> is_done = false;
  std::vector<std::vector<int>> got(kThieves + 1);
  std::vector<std::thread> thieves;
  for (int t = 0; t < kThieves; ++t) {
    thieves.emplace_back([&, t] {
      while (!is_done.load()) {
        for (const int node : take(segment, static_cast<std::size_t>(t) + 1)) {
          got[t].push_back(node);
        }
        std::this_thread::yield();
      }
    });
  }
  std::mt19937 random(3);
  for (int i = 0; i < kNodes; ++i) {
    segment.push(i);
    if (random() % 3 == 0 && segment.private_size() >= 2) {
      segment.release(segment.private_size() / 2);
    }
    while (random() % 2 == 0 && (!segment.private_empty() || segment.reacquire())) {
      got[kThieves].push_back(segment.pop());
    }
  }
  while (!segment.private_empty() || segment.reacquire()) {
    got[kThieves].push_back(segment.pop());
  }
  is_done = true;
  for (std::thread& thief : thieves) {
    thief.join();
  }
  std::vector<int> all;
  for (const std::vector<int>& some : got) {
    all.insert(all.end(), some.begin(), some.end());
  }
  std::sort(all.begin(), all.end());
  std::vector<int> expected(kNodes);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(all, expected);
}

}  // namespace
}  // namespace cleave
