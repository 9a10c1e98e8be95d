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

#include <cleave/contract/split_deque.hpp>

namespace cleave {

using namespace cleave::detail;
namespace {

/// Takes nodes as a thief does.
template <class T>
std::vector<T> take(SplitDeque<T>& deque, std::size_t maximum) {
  const std::lock_guard guard(deque);
  const std::span<T> shared = deque.shared();
  const std::size_t count = std::min(maximum, shared.size());
  std::vector<T> taken(std::make_move_iterator(shared.begin()),
                       std::make_move_iterator(shared.begin() + count));
  deque.drop(count);
  return taken;
}

TEST(SplitDeque, DropsTheOldestAndEverySecondAfterIt) {
  SplitDeque<std::unique_ptr<int>> deque;
  for (int i = 0; i < 7; ++i) {
    deque.push(std::make_unique<int>(i));
  }
  deque.release(6);
  const auto left_after = [&deque](std::size_t count) {
    const std::lock_guard guard(deque);
    deque.drop_alternate(count);
    std::vector<int> left;
    for (const auto& node : deque.nodes()) {
      left.push_back(*node);
    }
    return left;
  };
  EXPECT_EQ(left_after(2), (std::vector{1, 3, 4, 5, 6}));
  EXPECT_EQ(left_after(2), (std::vector{3, 5, 6}));
  EXPECT_EQ(left_after(1), (std::vector{5, 6}));
  EXPECT_EQ(left_after(1), (std::vector{6}));
  EXPECT_EQ(deque.shared_size(), 0U);
}

TEST(SplitDeque, AgreesWithADequeUnderRandomOperations) {
  std::mt19937 random(7);
  for (int round = 0; round < 50; ++round) {
    SplitDeque<std::unique_ptr<int>> deque(random() % 8);
    std::deque<int> shared;
    std::deque<int> own;
    for (int i = 0; i < 2000; ++i) {
      switch (random() % 6) {
        case 0:
        case 1:
          deque.push(std::make_unique<int>(i));
          own.push_back(i);
          break;
        case 2:
          if (!own.empty()) {
            EXPECT_EQ(*deque.pop(), own.back());
            own.pop_back();
          }
          break;
        case 3: {
          const std::size_t count = own.empty() ? 0 : random() % own.size();
          deque.release(count);
          shared.insert(shared.end(), own.begin(), own.begin() + count);
          own.erase(own.begin(), own.begin() + count);
          break;
        }
        case 4: {
          const std::size_t back = (shared.size() + 1) / 2;
          EXPECT_EQ(deque.reacquire(), back > 0);
          own.insert(own.begin(), shared.end() - back, shared.end());
          shared.erase(shared.end() - back, shared.end());
          break;
        }
        default:
          for (const auto& taken : take(deque, random() % 4)) {
            EXPECT_EQ(*taken, shared.front());
            shared.pop_front();
          }
      }
      ASSERT_EQ(deque.private_size(), own.size());
      ASSERT_EQ(deque.shared_size(), shared.size());
      ASSERT_EQ(deque.nodes().size(), own.size() + shared.size());
    }
  }
}

TEST(SplitDeque, EveryNodeIsGotOnceWithThievesAtWork) {
  constexpr int kNodes = 200'000;
  constexpr int kThieves = 3;
  SplitDeque<int> deque(4);
  std::atomic<bool> is_done = false;
  std::vector<std::vector<int>> got(kThieves + 1);
  std::vector<std::thread> thieves;
  for (int t = 0; t < kThieves; ++t) {
    thieves.emplace_back([&, t] {
      while (!is_done.load()) {
        for (const int node : take(deque, static_cast<std::size_t>(t) + 1)) {
          got[t].push_back(node);
        }
        std::this_thread::yield();
      }
    });
  }
  std::mt19937 random(3);
  for (int i = 0; i < kNodes; ++i) {
    deque.push(i);
    if (random() % 3 == 0 && deque.private_size() >= 2) {
      deque.release(deque.private_size() / 2);
    }
    while (random() % 2 == 0 && (!deque.private_empty() || deque.reacquire())) {
      got[kThieves].push_back(deque.pop());
    }
  }
  while (!deque.private_empty() || deque.reacquire()) {
    got[kThieves].push_back(deque.pop());
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
