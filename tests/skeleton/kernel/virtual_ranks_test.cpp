// SPDX-License-Identifier: Apache-2.0
// The executor of searches on virtual ranks. Where a test's own clock stands in for the
// processor's, a run is the same whenever it is run.
#include <gtest/gtest.h>
#include <time.h>

#include <array>
#include <cstdint>
#include <new>
#include <span>
#include <string>
#include <vector>

#include <cleave/comm/virtual_ranks.hpp>
#include <cleave/dc_call.hpp>
#include <cleave/error.hpp>

#include "tests/skeleton/examples.hpp"
#include "tests/skeleton/kernel/trees.hpp"
#include "tests/support/address_space.hpp"
#include "tests/support/message_of.hpp"

namespace cleave {

using namespace cleave::detail;
using namespace cleave::examples;
namespace {

std::int64_t worked_ns = 0;
std::int64_t work_clock() { return worked_ns; }

/// A visit takes 200 ns by `work_clock`.
struct TimedTree : RandomTree {
  void visit(const Node& node, Children<Node>& children, Counted& total) const {
    worked_ns += 200;
    RandomTree::visit(node, children, total);
  }
};

constexpr RandomTree::Node kRoot{.number = 3};

Communication network(double latency_s, double gap_s_per_byte) {
  return {.ranks = 2, .latency_s = latency_s, .gap_s_per_byte = gap_s_per_byte};
}

struct Search {
  Counted solution;
  std::int64_t elapsed_ns = 0;
  std::vector<WorkerStatistics> workers;
};

template <class App>
Search run_on(int ranks, const App& app, Clock clock, const VirtualNetwork& between = {},
              std::uint64_t seed = 1) {
  Search run;
  const auto search = [&](const SearchMessages& rank) {
    Recorder recorder(virtual_rank_ns, 1 << 12);
    const bool is_first = rank.rank() == 0;
    const CallOptions options{
        {.recorder = &recorder,
         .placement = Placement::rooted,
         .stealing = {.seed = seed, .statistics = is_first ? &run.workers : nullptr}}};
    const Counted solution = call_on(rank, app, RandomTree::Node(kRoot), options);
    run.solution = is_first ? solution : run.solution;
  };
  run.elapsed_ns = run_virtual_ranks(ranks, search, between, clock).elapsed_ns;
  return run;
}

TEST(VirtualRanks, FindWhatOneLoopFinds) {
  const RandomTree app;
  const Counted expected = search_sequentially(app, kRoot);
  ASSERT_GT(expected.nodes, 1000);
  for (const int ranks : {1, 2, 3, 5, 8, 64}) {
    const VirtualNetwork between{.inside = network(1e-6, 1e-10)};
    EXPECT_EQ(run_on(ranks, LazyTree{}, processor_ns, between).solution, expected) << ranks;
    const Search run = run_on(ranks, app, processor_ns, between);
    EXPECT_EQ(run.solution, expected) << ranks;
    std::int64_t nodes = 0;
    for (const WorkerStatistics& worker : run.workers) {
      nodes += worker.nodes;
    }
    EXPECT_EQ(nodes, expected.nodes) << ranks;
    EXPECT_EQ(std::ssize(run.workers), ranks);
  }
}

TEST(VirtualRanks, RunAlikeWhereClockAndSeedAreAlike) {
  const auto runs = [](std::uint64_t seed) {
    return run_on(8, TimedTree{}, work_clock, {.inside = network(1e-6, 1e-10)}, seed);
  };
  const Search first = runs(1);
  const Search again = runs(1);
  EXPECT_EQ(first.elapsed_ns, again.elapsed_ns);
  for (std::size_t i = 0; i < first.workers.size(); ++i) {
    EXPECT_EQ(first.workers[i].visits, again.workers[i].visits);
    EXPECT_EQ(first.workers[i].remote_tried, again.workers[i].remote_tried);
    EXPECT_EQ(first.workers[i].stealing_ns, again.workers[i].stealing_ns);
  }
  EXPECT_NE(first.elapsed_ns, runs(2).elapsed_ns);
}

TEST(VirtualRanks, TakeTheTimeOfTheirVisitsAndMessages) {
  const TimedTree app{{.children_of_root = 2000}};
  const std::int64_t nodes = search_sequentially(app, kRoot).nodes;
  const std::int64_t alone_ns = run_on(1, app, work_clock).elapsed_ns;
  EXPECT_GE(alone_ns, 200 * nodes);
  EXPECT_LT(static_cast<double>(alone_ns), 1.02 * 200 * static_cast<double>(nodes));
  const std::int64_t near_ns = run_on(4, app, work_clock, {.inside = network(1e-7, 0)}).elapsed_ns;
  const std::int64_t far_ns = run_on(4, app, work_clock, {.inside = network(5e-5, 0)}).elapsed_ns;
  EXPECT_GE(near_ns, 50 * nodes);
  EXPECT_LT(static_cast<double>(near_ns), 1.2 * 50 * static_cast<double>(nodes));
  EXPECT_GT(far_ns, near_ns + 1'000'000);
}

TEST(ProcessorClock, StandsWhileTheThreadSleeps) {
  const std::int64_t before_ns = processor_ns();
  const timespec nap{.tv_sec = 0, .tv_nsec = 20'000'000};
  ::nanosleep(&nap, nullptr);
  EXPECT_LT(processor_ns() - before_ns, 5'000'000);
}

TEST(VirtualRanks, WaitForMessagesAsLongAsTheNetworkTakes) {
  const VirtualNetwork between{
      .inside = network(1e-6, 1e-9), .between = network(1e-5, 1e-8), .ranks_per_host = 2};
  std::array<std::int64_t, 4> arrived_ns{};
  const auto pass_on = [&](const SearchMessages& rank) {
    EXPECT_EQ(rank.surroundings(1).near, std::vector<int>{rank.rank() ^ 1});
    std::vector<std::byte> bytes(1000);
    for (int other = 1; rank.rank() == 0 && other < 4; ++other) {
      rank.send(other, bytes);
    }
    rank.exchange(0, {}, std::span(bytes).first(rank.rank() == 0 ? 0 : bytes.size()));
    arrived_ns[rank.rank()] = virtual_rank_ns();
  };
  EXPECT_EQ(run_virtual_ranks(4, pass_on, between).elapsed_ns, 40'000);
  EXPECT_EQ(arrived_ns, (std::array<std::int64_t, 4>{0, 4'000, 40'000, 40'000}));
  const auto look = [](const SearchMessages& rank) { rank.transport()->receive(); };
  EXPECT_EQ(run_virtual_ranks(1, look).elapsed_ns, 40);
}

TEST(VirtualRanks, KeepTheOrderOfASendersMessages) {
  const auto poll = [](const SearchMessages& rank) {
    const auto transport = rank.transport();
    if (rank.rank() == 0) {
      transport->send(1, std::vector<std::byte>(1000));
      transport->send(1, {});
      return;
    }
    std::vector<std::size_t> lengths;
    for (int tries = 0; lengths.size() < 2; ++tries) {
      if (const auto message = transport->receive()) {
        lengths.push_back(message->bytes.size());
      }
      transport->pause(tries, false);
    }
    EXPECT_EQ(lengths, (std::vector<std::size_t>{1000, 0}));
  };
  run_virtual_ranks(2, poll, {.inside = network(1e-6, 1e-6)});
}

TEST(VirtualRanks, HaveTheCollectivesOfComm) {
  for (const int size : {1, 2, 3, 5, 8, 64}) {
    const auto collect = [size](const SearchMessages& rank) {
      std::array<std::int64_t, 2> values = {10 + rank.rank(), -rank.rank()};
      rank.allreduce_min(values);
      EXPECT_EQ(values, (std::array<std::int64_t, 2>{10, 1 - size}));
      const int root = size / 2;
      EXPECT_EQ(rank.bcast(rank.rank() == root ? "of the root" : "", root), "of the root");
      const int mine = rank.rank() * rank.rank();
      std::vector<int> all(rank.rank() == 0 ? static_cast<std::size_t>(size) : 0);
      rank.gather(std::as_bytes(std::span(&mine, 1)), std::as_writable_bytes(std::span(all)));
      for (std::size_t i = 0; i < all.size(); ++i) {
        EXPECT_EQ(all[i], static_cast<int>(i * i));
      }
    };
    run_virtual_ranks(size, collect);
  }
}

TEST(VirtualRanks, ExchangeMessagesOfAnyLengthAtOnce) {
  const auto swap_all = [](const SearchMessages& rank) {
    const auto message_of = [](int from) { return std::vector<std::byte>(from, std::byte(from)); };
    const std::vector<std::byte> mine = message_of(rank.rank());
    std::vector<std::vector<std::byte>> theirs(rank.size());
    std::vector<Comm::Outbound> out;
    std::vector<Comm::Inbound> in;
    for (int other = 0; other < rank.size(); ++other) {
      theirs[other].resize(other);
      out.push_back({other, mine});
      in.push_back({other, theirs[other]});
    }
    rank.exchange(out, in);
    for (int other = 0; other < rank.size(); ++other) {
      EXPECT_EQ(theirs[other], message_of(other));
    }
  };
  for (const int size : {1, 2, 5}) {
    run_virtual_ranks(size, swap_all);
  }
}

TEST(VirtualRanks, EndWithTheFirstFailureOfAnyOrWhereAllWait) {
  const auto wait_for_next = [](const SearchMessages& rank) {
    std::array<std::byte, 1> never{};
    rank.receive((rank.rank() + 1) % rank.size(), never);
  };
  EXPECT_EQ(testing::message_of([&] { run_virtual_ranks(2, wait_for_next); }),
            "every rank waits for a message that none sends");
  const auto fail = [&](const SearchMessages& rank) {
    rank.rank() == 1 ? throw Error("rank 1 has no more") : wait_for_next(rank);
  };
  EXPECT_EQ(testing::message_of([&] { run_virtual_ranks(3, fail); }), "rank 1 has no more");
}

TEST(VirtualRanks, WithoutRoomForTheirStacksAreRefused) {
#ifdef __SANITIZE_ADDRESS__
  GTEST_SKIP() << "the sanitizer ends a process without memory";
#endif
  const testing::AddressSpace tight(rlim_t{4} << 20);
  EXPECT_THROW(run_virtual_ranks(2, [](const SearchMessages&) {}), std::bad_alloc);
}

Machine machine_of_two_hosts() {
  Machine machine{.name = "two hosts"};
  machine.provenance.program = "cleave-calibrate";
  machine.exchange = {network(1e-6, 1e-10), network(2e-5, 1e-9)};
  machine.exchange[1].between_hosts = true;
  return machine;
}

TEST(NetworkOf, TakesMessagesInsideAHostAndBetweenHosts) {
  const VirtualNetwork hosts = network_of(machine_of_two_hosts(), 8, 4);
  EXPECT_EQ(hosts.delay_ns(0, 3, 0), 2'000);
  EXPECT_EQ(hosts.delay_ns(3, 4, 0), 40'000);
  EXPECT_EQ(network_of(machine_of_two_hosts(), 8, 1).delay_ns(0, 1, 100), 40'200);
}

TEST(NetworkOf, RefusesAMachineOfOneHostForSeveral) {
  Machine machine = machine_of_two_hosts();
  machine.exchange.pop_back();
  EXPECT_EQ(network_of(machine, 8, 8).delay_ns(0, 7, 0), 2'000);
  EXPECT_EQ(network_of({}, 1, 8).delay_ns(0, 0, 100), 0);
  const std::string what = testing::message_of([&] { network_of(machine, 8, 4); });
  EXPECT_NE(what.find("no l and g between hosts"), std::string::npos) << what;
  EXPECT_NE(testing::message_of([] { network_of({}, 2, 2); }).find("no l and g of messages"),
            std::string::npos);
}

}  // namespace
}  // namespace cleave
