// SPDX-License-Identifier: Apache-2.0
// The deques of a rank under a scheduler. Workers are fibers of one thread. At each atomic
// operation in the code of split_deque.hpp and segments.hpp any other worker may go on, drawn at
// random. So orders come up that threads on a few cores hardly ever take. What it does not show is
// a lack of memory ordering: that is the thread sanitizer's.
//
// CLEAVE_INTERLEAVINGS=1000000 tries so many.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <boost/context/fiber.hpp>
#include <functional>
#include <mutex>
#include <random>
#include <utility>
#include <vector>

#include <cleave/wire.hpp>

#include "tests/support/number_of.hpp"

namespace cleave {
namespace {

using boost::context::fiber;

/// Runs workers in turn; whose turn it is, chance decides at every `point`.
class Scheduler {
 public:
  explicit Scheduler(std::uint32_t seed) : random_(seed) {}

  void run(const std::vector<std::function<void()>>& workers) {
    std::vector<fiber> fibers;
    for (const auto& work : workers) {
      fibers.emplace_back([this, &work](fiber&& caller) {
        caller_ = std::move(caller);
        work();
        return std::move(caller_);
      });
    }
    active = this;
    while (!fibers.empty()) {
      fiber& next = fibers[random_() % fibers.size()];
      next = std::move(next).resume();
      std::erase_if(fibers, [](const fiber& worker) { return !worker; });  // it has ended
    }
    active = nullptr;
  }

  /// Another worker may go on here.
  static void point() {
    if (active != nullptr) {
      Scheduler& mine = *active;
      mine.caller_ = std::move(mine.caller_).resume();
    }
  }

  std::uint32_t random() { return static_cast<std::uint32_t>(random_()); }

 private:
  static inline Scheduler* active = nullptr;

  std::mt19937 random_;
  fiber caller_;  ///< `run`, while a worker runs
};

}  // namespace
}  // namespace cleave

namespace std {

/// The stand-in for std::atomic in the headers below.
template <class T>
class scheduled_atomic {
 public:
  scheduled_atomic(T value) : value_(value) {}
  T load(memory_order = memory_order_seq_cst) const {
    cleave::Scheduler::point();
    return value_;
  }
  void store(T value, memory_order = memory_order_seq_cst) {
    cleave::Scheduler::point();
    value_ = value;
  }
  T exchange(T value, memory_order = memory_order_seq_cst) {
    cleave::Scheduler::point();
    return std::exchange(value_, value);
  }
  T fetch_add(T value, memory_order = memory_order_seq_cst) {
    cleave::Scheduler::point();
    return std::exchange(value_, value_ + value);
  }
  T operator++() { return fetch_add(1) + 1; }

 private:
  T value_;
};

/// The stand-in for std::mutex.
class scheduled_mutex {
 public:
  void lock() {
    while (is_locked_.exchange(true)) {
    }
  }
  void unlock() { is_locked_.store(false); }

 private:
  scheduled_atomic<bool> is_locked_ = false;
};

}  // namespace std

#define atomic scheduled_atomic
#define mutex scheduled_mutex
#include <cleave/kernel/segments.hpp>
#undef mutex
#undef atomic

namespace cleave {
namespace {

using detail::Segments;

/// A search of a binary tree of `kNodes` nodes by the workers of one rank, the first of which also
/// sends nodes away and gets them back.
class Search {
 public:
  static constexpr int kNodes = 24;

  Search(int workers, std::uint32_t seed)
      : workers_(workers), scheduler_(seed), bag_(workers, 1 + seed % 3) {}

  void run() {
    bag_.of(0).push(0);
    std::vector<std::function<void()>> workers;
    for (int i = 0; i < workers_; ++i) {
      workers.emplace_back([this, i] { work(i); });
    }
    scheduler_.run(workers);
  }

  std::vector<int> visits() const { return {visits_.begin(), visits_.end()}; }
  std::size_t left() const { return bag_.size(); }

 private:
  // Fibers run one at a time: what is no atomic of the bag needs none.
  void work(int me) {
    auto& mine = bag_.of(me);
    while (to_visit_ > 0) {
      if (mine.has_private()) {
        const int node = mine.pop();
        ++visits_.at(static_cast<std::size_t>(node));
        --to_visit_;
        for (const int child : {2 * node + 1, 2 * node + 2}) {
          if (child < kNodes) {
            mine.push(child);
          }
        }
        bag_.share(me);
      } else {
        bag_.steal(me, 1 + scheduler_.random() % 3);
      }
      if (me == 0) {
        send_and_receive();
      }
    }
  }

  void send_and_receive() {
    if (scheduler_.random() % 4 == 0) {
      if (auto nodes = bag_.give(1 + scheduler_.random() % 32); !nodes.empty()) {
        under_way_.push_back(std::move(nodes));
      }
    }
    if (!under_way_.empty() && scheduler_.random() % 2 == 0) {
      bag_.take(under_way_.back());
      under_way_.pop_back();
    }
  }

  const int workers_;
  Scheduler scheduler_;
  Segments<int> bag_;
  std::array<int, kNodes> visits_{};
  int to_visit_ = kNodes;
  std::vector<std::vector<std::byte>> under_way_;
};

TEST(Interleaving, EveryNodeIsVisitedOnceInAnyOrderOfSteps) {
  const std::uint32_t tries = testing::number_of("CLEAVE_INTERLEAVINGS", 20'000);
  for (std::uint32_t seed = 0; seed < tries; ++seed) {
    Search search(1 + static_cast<int>(seed % 4), seed);
    search.run();
    ASSERT_EQ(search.visits(), std::vector<int>(Search::kNodes, 1)) << "seed " << seed;
    ASSERT_EQ(search.left(), 0U) << "seed " << seed;
  }
}

}  // namespace
}  // namespace cleave
