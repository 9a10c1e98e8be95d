// SPDX-License-Identifier: Apache-2.0
// Searches by hand-written threads of all ranks on one bag; CLEAVE_BAGS=100000 on virtual ranks.
#include <gtest/gtest.h>
#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <cleave/bag.hpp>
#include <cleave/comm/virtual_ranks.hpp>
#include <cleave/file.hpp>

#include "tests/support/number_of.hpp"

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
  std::vector<std::jthread> helpers;
  for (int worker = 1; worker < workers; ++worker) {
    helpers.emplace_back(work, worker);
  }
  work(0);
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
  std::int64_t sum = 0;  // of what stands for each word
  const auto add = [&](const std::string& word, int times) {
    sum += times * static_cast<std::int64_t>(detail::crc_64(std::as_bytes(std::span(word))) >> 16);
  };
  for (const auto& of_worker : taken) {
    EXPECT_FALSE(of_worker.empty());
    std::ranges::for_each(of_worker, [&](const std::string& word) { add(word, 1); });
  }
  std::vector<std::string> all = {""};
  for (std::size_t i = 0; comm.rank() == 0 && i < all.size(); ++i) {
    add(all[i], -1);
    for (int letter = 0; letter < (all[i].size() < 6 ? 3 : 0); ++letter) {
      all.push_back(all[i] + "abc"[letter]);
    }
  }
  EXPECT_EQ(comm.allreduce_sum(sum), 0);
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
            EXPECT_EQ(bag.take(worker), std::nullopt);
            return;  // having taken once, it may
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

TEST(Bag, HasAWorkerAndNotTooManyOnEveryRank) {
  const Comm comm(MPI_COMM_WORLD);
  EXPECT_THROW(Bag<int>(comm, {.workers = 0}), Error);
  EXPECT_THROW(Bag<int>(comm, {.workers = comm.rank() == 0 ? 1025 : 1}), Error);
}

thread_local std::int64_t work_ns = 0;

/// A forest on 1 to 9 virtual ranks. Ranks and messages take any time, one rank may stop and leave,
/// and some nodes cannot cross. A node is twice its number, or one more where it cannot cross.
void search(std::uint64_t seed) {
  std::mt19937_64 random(seed);
  const int ranks = static_cast<int>(1 + random() % 9);
  const int roots = static_cast<int>(1 + random() % 20);
  const int nodes = static_cast<int>(roots + random() % 200);
  const int fragile = static_cast<int>(random() % 64);  // of 16
  const int stops_at = static_cast<int>(random() % (2 * nodes));
  std::vector<int> taken(nodes);
  std::vector<std::string> told(ranks);
  std::int64_t inside = 0;
  const auto any_ns = [&] { return std::int64_t{1} << random() % 16; };
  const auto work = [&](const detail::SearchMessages& rank) {
    Bag<Fragile> bag({std::shared_ptr<void>(), &rank}, {.seed = seed});
    const auto add = [&](int node) {
      if (node < nodes) {
        bag.add(0, {2 * node + (node % 16 == fragile ? 1 : 0)});
        ++inside;
      }
    };
    const auto take_all = [&](int last) {
      try {
        while (const auto taken_now = bag.take(0)) {
          const int node = taken_now->number / 2;
          ++taken[node];
          --inside;
          add(roots + 2 * node);
          add(roots + 2 * node + 1);
          work_ns += any_ns();
          if (node == last) {
            bag.stop();
          }
        }
        return bag.is_stopped() ? "stopped" : "done";
      } catch (const std::runtime_error& error) {
        return "lost";
      }
    };
    for (int root = rank.rank(); root < roots; root += ranks) {
      add(root);
    }
    std::string& mine = told[rank.rank()];
    mine = take_all(stops_at);
    std::array<std::int64_t, 1> is_whole{mine == "lost" ? 0 : 1};
    rank.allreduce_min(is_whole);
    if (is_whole[0] == 1 && mine == "stopped") {
      EXPECT_EQ(bag.size(), inside) << "seed " << seed;
      bag.restart();
      mine = take_all(-1);
    }
  };
  detail::VirtualNetwork network;
  network.more_ns = any_ns;
  detail::run_virtual_ranks(ranks, work, network, [] { return work_ns; });
  std::set<std::string> ends(told.begin(), told.end());
  const bool is_lost = ends.erase("lost") > 0;
  EXPECT_LE(ends.size(), 1U) << "seed " << seed;
  EXPECT_EQ(ends.contains("done"), !is_lost) << "seed " << seed;
  EXPECT_LE(std::ranges::max(taken), 1) << "seed " << seed;
  EXPECT_GE(std::ranges::min(taken), is_lost ? 0 : 1) << "seed " << seed;
}

TEST(VirtualBag, LosesNothingGivesNothingTwiceAndEndsAlikeOnAllRanks) {
  std::uint64_t seed = testing::number_of("CLEAVE_BAGS_SEED", 1);
  for (std::uint64_t left = testing::number_of("CLEAVE_BAGS", 200); left > 0; --left) {
    search(seed++);
  }
}

}  // namespace
}  // namespace cleave
