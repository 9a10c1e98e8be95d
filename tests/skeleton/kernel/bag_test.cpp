// SPDX-License-Identifier: Apache-2.0
// Searches by hand-written threads of all ranks on one bag.
#include <gtest/gtest.h>
#include <mpi.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <cleave/bag.hpp>

namespace cleave {

/// A number that cannot cross where it is odd.
struct Fragile {
  int number = 0;
};

template <>
struct wire<Fragile> {
  static void pack(Packer& packer, const Fragile& value) {
    if (value.number % 2 != 0) {
      throw std::runtime_error("cannot pack " + std::to_string(value.number));
    }
    wire<int>::pack(packer, value.number);
  }
  static Fragile unpack(Unpacker& unpacker) { return {wire<int>::unpack(unpacker)}; }
};

namespace {

/// Runs `work(worker)` on so many threads, the first of which is this one.
void on_workers(int workers, const std::function<void(int)>& work) {
  std::vector<std::thread> helpers;
  for (int worker = 1; worker < workers; ++worker) {
    helpers.emplace_back(work, worker);
  }
  work(0);
  for (std::thread& helper : helpers) {
    helper.join();
  }
}

/// Takes words until none comes; each has children until it is `length` long.
std::vector<std::string> all_words(Bag<std::string>& bag, int worker, std::size_t length) {
  std::vector<std::string> taken;
  while (const auto word = bag.take(worker)) {
    taken.push_back(*word);
    if (word->size() < length) {
      for (const char* letter : {"a", "b", "c"}) {
        bag.add(worker, *word + letter);
      }
    }
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  return taken;
}

TEST(Bag, EveryElementIsTakenOnceAndEveryRankAndThreadTakesSome) {
  const Comm comm(MPI_COMM_WORLD);
  Bag<std::string> bag(comm, {.workers = 2});
  if (comm.rank() == comm.size() - 1) {  // it need not begin on rank 0
    bag.add(0, "");
  }
  std::array<std::vector<std::string>, 2> taken;
  on_workers(2, [&](int worker) { taken.at(worker) = all_words(bag, worker, 6); });
  std::int64_t words = 0;
  std::int64_t letters = 0;
  std::array<std::int64_t, 27> beginnings{};  // of three letters
  for (const auto& of_worker : taken) {
    EXPECT_FALSE(of_worker.empty());
    for (const std::string& word : of_worker) {
      ++words;
      letters += std::ssize(word);
      if (word.size() >= 3) {
        ++beginnings.at((word[0] - 'a') * 9 + (word[1] - 'a') * 3 + word[2] - 'a');
      }
    }
  }
  EXPECT_EQ(comm.allreduce_sum(words), 1 + 3 + 9 + 27 + 81 + 243 + 729);
  EXPECT_EQ(comm.allreduce_sum(letters), 3 + 2 * 9 + 3 * 27 + 4 * 81 + 5 * 243 + 6 * 729);
  for (const std::int64_t count : beginnings) {
    EXPECT_EQ(comm.allreduce_sum(count), 1 + 3 + 9 + 27);
  }
}

TEST(Bag, WithoutAnElementTheSearchEndsAtOnceAndMayBeginAgain) {
  const Comm comm(MPI_COMM_WORLD);
  Bag<int> bag(comm, {.workers = 2});
  for (int search = 0; search < 20; ++search) {
    std::atomic<int> taken = 0;
    for (int i = 0; i < search * comm.rank(); ++i) {
      bag.add(i % 2, i);
    }
    on_workers(2, [&](int worker) {
      while (bag.take(worker)) {
        ++taken;
      }
      EXPECT_EQ(bag.take(worker), std::nullopt) << "also when asked again";
    });
    EXPECT_EQ(comm.allreduce_sum(taken), search * comm.size() * (comm.size() - 1) / 2);
    EXPECT_FALSE(bag.is_stopped());
    bag.restart();
  }
}

TEST(Bag, ThatAnyWorkerStopsKeepsWhatWasNotTakenAndGoesOnAfterwards) {
  const Comm comm(MPI_COMM_WORLD);
  for (int stopper = 0; stopper < 2 * comm.size(); ++stopper) {
    Bag<int> bag(comm, {.workers = 2});
    for (int i = 0; i < 20; ++i) {
      bag.add(0, 7);
    }
    std::atomic<int> taken = 0;
    const auto take_all = [&](bool are_put_back) {
      on_workers(2, [&](int worker) {
        for (int mine = 0; const auto number = bag.take(worker); ++mine) {
          if (!are_put_back) {
            ++taken;
            continue;
          }
          bag.add(worker, *number);  // there is no other end
          std::this_thread::yield();
          if (mine == 10 && 2 * comm.rank() + worker == stopper) {
            bag.stop();
          }
        }
      });
    };
    take_all(true);
    EXPECT_TRUE(bag.is_stopped());
    EXPECT_EQ(bag.size(), 20 * comm.size());
    bag.restart();
    EXPECT_FALSE(bag.is_stopped());
    take_all(false);
    EXPECT_FALSE(bag.is_stopped());
    EXPECT_EQ(comm.allreduce_sum(taken), 20 * comm.size());
    EXPECT_EQ(bag.size(), 0);
  }
}

TEST(Bag, AWorkerThatStopsAndTakesOnceMayLeave) {
  const Comm comm(MPI_COMM_WORLD);
  for (int leaver = 0; leaver < 2 * comm.size(); ++leaver) {
    Bag<int> bag(comm, {.workers = 2});
    std::atomic<bool> has_left = false;
    for (int i = 0; i < 20; ++i) {
      bag.add(0, 7);
    }
    on_workers(2, [&](int worker) {
      while (const auto number = bag.take(worker)) {
        bag.add(worker, *number);  // there is no other end
        if (2 * comm.rank() + worker == leaver) {
          bag.stop();
          has_left = true;
          EXPECT_EQ(bag.take(worker), std::nullopt);
          return;
        }
      }
    });
    EXPECT_EQ(has_left, comm.rank() == leaver / 2);
    EXPECT_TRUE(bag.is_stopped());
    EXPECT_EQ(bag.size(), 20 * comm.size());
  }
}

TEST(Bag, WhatAWireThrowsEndsTheSearchOfAllRanks) {
  const Comm comm(MPI_COMM_WORLD);
  Bag<Fragile> bag(comm);
  if (comm.rank() == 0) {
    for (int i = 0; i < 1000; ++i) {
      bag.add(0, {2 * i + 1});
    }
  }
  std::string message;
  try {
    while (bag.take(0)) {
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
  } catch (const std::runtime_error& e) {
    message = e.what();
  }
  EXPECT_EQ(bag.is_stopped(), comm.size() > 1);
  EXPECT_EQ(message.starts_with("cannot pack "), comm.size() > 1 && comm.rank() == 0) << message;
}

TEST(Bag, NeedsAWorker) {
  const Comm comm(MPI_COMM_WORLD);
  EXPECT_THROW(Bag<int>(comm, {.workers = 0}), Error);
}

TEST(Bag, HasTheSizeOfAllRanks) {
  const Comm comm(MPI_COMM_WORLD);
  Bag<std::string> bag(comm, {.workers = 2});
  EXPECT_EQ(bag.size(), 0);
  for (int i = 0; i <= comm.rank(); ++i) {
    bag.add(0, "x");
  }
  EXPECT_EQ(bag.size(), comm.size() * (comm.size() + 1) / 2);
}

}  // namespace
}  // namespace cleave
