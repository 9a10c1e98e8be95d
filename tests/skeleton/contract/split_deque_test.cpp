// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
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

/// A deque beside what it should hold, oldest first. Each function does the one thing to both.
struct Beside {
  SplitDeque<std::unique_ptr<int>> deque;
  std::vector<int> shared;
  std::vector<int> own;
  std::mt19937& random;

  void push() {
    own.push_back(static_cast<int>(random()));
    deque.push(std::make_unique<int>(own.back()));
  }
  void pop() {
    if (!own.empty()) {
      EXPECT_EQ(*deque.pop(), own.back());
      own.pop_back();
    }
  }
  void release() {
    const std::size_t count = random() % (own.size() + 1);
    deque.release(count);
    shared.insert(shared.end(), own.begin(), own.begin() + count);
    own.erase(own.begin(), own.begin() + count);
  }
  void reacquire() {
    const std::size_t back = (shared.size() + 1) / 2;
    EXPECT_EQ(deque.reacquire(), back > 0);
    own.insert(own.begin(), shared.end() - back, shared.end());
    shared.erase(shared.end() - back, shared.end());
  }
  void take_oldest() {
    for (const auto& taken : take(deque, random() % 4)) {
      EXPECT_EQ(*taken, shared.front());
      shared.erase(shared.begin());
    }
  }
  void drop_alternate() {
    if (!shared.empty()) {
      const std::size_t count = 1 + random() % std::max<std::size_t>(1, shared.size() / 2);
      const std::lock_guard guard(deque);
      deque.drop_alternate(count);
      for (std::size_t i = 0; i < count; ++i) {
        shared.erase(shared.begin() + i);
      }
    }
  }
};

TEST(SplitDeque, AgreesWithTwoVectorsUnderRandomOperations) {
  std::mt19937 random(7);
  constexpr std::array kOperations = {
      &Beside::push,    &Beside::push,      &Beside::push,        &Beside::pop,
      &Beside::release, &Beside::reacquire, &Beside::take_oldest, &Beside::drop_alternate};
  for (int round = 0; round < 50; ++round) {
    Beside both{SplitDeque<std::unique_ptr<int>>(random() % 8), {}, {}, random};
    for (int i = 0; i < 2000; ++i) {
      (both.*kOperations[random() % kOperations.size()])();
      std::vector<int> all = both.shared;
      all.insert(all.end(), both.own.begin(), both.own.end());
      ASSERT_EQ(both.deque.private_size(), both.own.size());
      ASSERT_TRUE(
          std::ranges::equal(both.deque.nodes(), all, {}, [](const auto& node) { return *node; }));
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
    while (random() % 2 == 0 && deque.has_private()) {
      got[kThieves].push_back(deque.pop());
    }
  }
  while (deque.has_private()) {
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
