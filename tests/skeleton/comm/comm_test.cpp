// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <set>
#include <stdexcept>
#include <string>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/comm/transport.hpp>
#include <cleave/host/host.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/write_trace.hpp>

#include "tests/support/message_of.hpp"

namespace cleave {

using namespace cleave::detail;
namespace {

TEST(Comm, CollectivesGiveEachRankWhatIsForIt) {
  const Comm comm(MPI_COMM_WORLD);
  const int last = comm.size() - 1;
  EXPECT_EQ(comm.allreduce_min(10 - comm.rank()), 10 - last);
  EXPECT_EQ(comm.allreduce_max(comm.rank()), last);
  EXPECT_EQ(comm.allreduce_sum(comm.rank()), last * (last + 1) / 2);
  std::array<std::int64_t, 2> both = {comm.rank() + 5, -comm.rank()};
  comm.allreduce_min(both);
  EXPECT_EQ(both, (std::array<std::int64_t, 2>{5, -last}));
  std::vector<std::int64_t> many(9, comm.rank());
  comm.allreduce_min(many);
  EXPECT_EQ(many, std::vector<std::int64_t>(9, 0));
  EXPECT_EQ(comm.bcast(comm.rank() == last ? "of the last" : "", last), "of the last");
  std::vector<int> offsets(comm.size());
  std::iota(offsets.begin(), offsets.end(), 0);
  const auto gathered = comm.gather(comm.rank());
  EXPECT_TRUE(std::ranges::equal(gathered, comm.rank() == 0 ? offsets : std::vector<int>()));
}

TEST(Comm, ExchangeMovesBothWaysAtAnyLength) {
  const Comm comm(MPI_COMM_WORLD);
  const int partner = comm.rank() ^ 1;
  if (partner >= comm.size()) {
    return;
  }
  for (const std::size_t count : {0, 1, 1000, 100000}) {
    std::vector<int> out(count);
    std::iota(out.begin(), out.end(), comm.rank() * 1000);
    std::vector<int> in(count, -1);
    comm.exchange(partner, std::as_bytes(std::span(out)), std::as_writable_bytes(std::span(in)));
    std::vector<int> expected(count);
    std::iota(expected.begin(), expected.end(), partner * 1000);
    EXPECT_EQ(in, expected);
  }
}

TEST(Comm, IsKeptWithTheCommunicator) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  EXPECT_EQ(Comm(copy).handle(), Comm(copy).handle());
  EXPECT_NE(Comm(copy).handle(), Comm(MPI_COMM_WORLD).handle());
  MPI_Comm_free(&copy);
}

TEST(Comm, ACallThatMpiRefusesIsNamed) {
  MPI_Comm copy = MPI_COMM_NULL;
  MPI_Comm_dup(MPI_COMM_WORLD, &copy);
  const Comm comm(copy);
  const std::array<std::byte, 1> message{};
  const std::string what = testing::message_of([&] { comm.send(comm.size(), message); });
  EXPECT_TRUE(what.starts_with("MPI_Isend failed: ")) << what;
  MPI_Comm_free(&copy);
}

TEST(PlaceWorkers, NoTwoOfAHostAreBoundToOneHardwareThread) {
  const Comm comm(MPI_COMM_WORLD);
  const auto mine = hardware_threads_of_workers(comm, 1);
  const auto all = comm.gather(mine.empty() ? -1 : mine.front());
  const std::set<std::int64_t> different(all.begin(), all.end());
  if (different.contains(-1)) {
    EXPECT_EQ(different.size(), 1U);  // workers outnumber cores, or there is one alone
  } else {
    EXPECT_EQ(different.size(), all.size());
  }
  EXPECT_EQ(hardware_threads_of_workers(comm, 1 << 16), std::vector<int>());
}

TEST(Surroundings, AreTheOthersOfTheHost) {
  const Comm comm(MPI_COMM_WORLD);
  const std::vector<int>& hosts = hosts_of(comm).of_ranks();
  std::vector<int> others;
  for (int rank = 0; rank < comm.size(); ++rank) {
    if (rank != comm.rank() && hosts[rank] == hosts[comm.rank()]) {
      others.push_back(rank);
    }
  }
  EXPECT_EQ(comm.surroundings(1).near, others);
}

TEST(Comm, AnIntercommunicatorIsRefused) {
  if (Comm(MPI_COMM_WORLD).size() == 1) {
    GTEST_SKIP() << "it takes two groups";
  }
  const bool is_first = Comm(MPI_COMM_WORLD).rank() == 0;
  MPI_Comm group = MPI_COMM_NULL;
  MPI_Comm_split(MPI_COMM_WORLD, is_first ? 0 : 1, 0, &group);
  MPI_Comm both = MPI_COMM_NULL;
  MPI_Intercomm_create(group, 0, MPI_COMM_WORLD, is_first ? 1 : 0, 5, &both);
  EXPECT_EQ(testing::message_of([&] { const Comm comm(both); }),
            "Options::comm is an intercommunicator: DC_Call needs the ranks of one group");
  MPI_Comm_free(&both);
  MPI_Comm_free(&group);
}

TEST(MpiTransport, AMessageOfAnyLengthArrivesWholeAndInOrder) {
  const Comm comm(MPI_COMM_WORLD);
  constexpr std::size_t kMessages = 40;
  const auto message = [](std::size_t number, int from) {
    return std::vector<std::byte>(number * number * 100,
                                  static_cast<std::byte>(number + 50 * from));
  };
  const auto transport = comm.transport();
  for (std::size_t number = 0; number < kMessages; ++number) {
    for (int to = 0; to < comm.size(); ++to) {
      transport->send(to, message(number, comm.rank()));
    }
  }
  std::vector<std::size_t> next(static_cast<std::size_t>(comm.size()), 0);
  for (std::size_t left = kMessages * next.size(); left > 0;) {
    if (const auto received = transport->receive()) {
      const std::size_t number = next[static_cast<std::size_t>(received->from)]++;
      EXPECT_EQ(received->bytes, message(number, received->from));
      --left;
    }
  }
}

TEST(Agree, AFailureOnOneRankIsThrownOnEveryRank) {
  const Comm comm(MPI_COMM_WORLD);
  const int failing = comm.size() - 1;
  try {
    agree(comm, [&] {
      if (comm.rank() == failing) {
        throw std::runtime_error("only here");
      }
    });
    ADD_FAILURE() << "nothing was thrown";
  } catch (const std::exception& e) {
    EXPECT_STREQ(e.what(), "only here");
  }
  EXPECT_EQ(agree(comm, [] { return 7; }), 7);
}

class WriteTrace : public ::testing::Test {
 protected:
  void SetUp() override {
    recorder_.begin_repetition(0, false);
    for (int i = 0; i < 100; ++i) {
      recorder_.record(Block::sequential, 0, 1, i, i + 10, 0, {{"N", i}});
    }
    recorder_.end_repetition(1000);
    if (comm_.rank() == 0) {
      folder_ = std::filesystem::temp_directory_path() /
                ("cleave_write_trace_" + std::to_string(::getpid()));
      std::filesystem::create_directories(folder_);
    }
    folder_ = comm_.bcast(folder_.string(), 0);
  }
  void TearDown() override {
    comm_.barrier();
    if (comm_.rank() == 0) {
      std::filesystem::remove_all(folder_);
    }
  }

  Comm comm_{MPI_COMM_WORLD};
  Recorder recorder_{mpi_time_ns, 60};
  std::filesystem::path folder_;
};

TEST_F(WriteTrace, HasTheSpansOfEveryRankAndCountsTheRest) {
  const auto path = folder_ / "x.trace.jsonl";
  write_trace(
      comm_, path,
      RunInformation{.app = "test", .provenance = provenance_here("comm_test", "", "MPI_Wtime")},
      recorder_);
  if (comm_.rank() == 0) {
    const Trace trace = read_trace(path);
    EXPECT_EQ(trace.run.ranks, comm_.size());
    EXPECT_EQ(trace.run.ranks_per_host, hosts_of(comm_).ranks_per_host());
    EXPECT_EQ(trace.run.oversubscribed, hosts_of(comm_).oversubscribed());
    EXPECT_GT(trace.run.peak_memory_bytes, 1 << 20);
    EXPECT_EQ(std::ssize(trace.spans), 60 * comm_.size());
    EXPECT_EQ(trace.dropped, 40 * comm_.size());
    for (const std::int64_t offset_ns : trace.run.clock_offset_ns) {
      EXPECT_LT(std::abs(offset_ns), 1'000'000'000) << "on one host";
    }
  }
}

TEST_F(WriteTrace, HasSpansInAnyNumberOfMessages) {
  const auto path = folder_ / "long.trace.jsonl";
  const std::int64_t count = comm_.rank() == 0 ? 16'384 : 16'385;
  Recorder recorder(mpi_time_ns, 1 << 16);
  recorder.begin_repetition(0, false);
  for (std::int64_t i = 0; i < count; ++i) {
    recorder.record(Block::wait, 0, 1, i, i + 1, 0, {});
  }
  recorder.end_repetition(count);
  const RunInformation run{.provenance = provenance_here("comm_test", "", "MPI_Wtime")};
  write_trace(comm_, path, run, recorder);
  if (comm_.rank() == 0) {
    std::vector<std::int64_t> next(static_cast<std::size_t>(comm_.size()));
    for (const auto& [rank, span] : read_trace(path).spans) {
      EXPECT_EQ(span.begin_ns, next[rank]++);
    }
    EXPECT_EQ(next.front(), count);
    EXPECT_EQ(next.back(), comm_.size() == 1 ? count : count + 1);
  }
  Recorder full(mpi_time_ns, 0);
  full.begin_repetition(0, false);
  full.record(Block::wait, 0, 1, 0, 1, 0, {});
  full.end_repetition(1);
  write_trace(comm_, folder_ / "none.trace.jsonl", run, full);
  EXPECT_TRUE(comm_.rank() != 0 ||
              read_trace(folder_ / "none.trace.jsonl").dropped == comm_.size());
}

TEST_F(WriteTrace, WhatCannotBeWrittenIsAnErrorOnEveryRankAndLeavesNothing) {
  const RunInformation run{.provenance = provenance_here("comm_test", "", "MPI_Wtime")};
  for (const auto& path :
       {folder_ / "none" / "x.trace.jsonl", std::filesystem::path("/dev/full")}) {
    EXPECT_THROW(write_trace(comm_, path, run, recorder_), Error);
  }
  if (comm_.rank() == 0) {
    EXPECT_TRUE(std::filesystem::is_empty(folder_));
  }
}

}  // namespace
}  // namespace cleave
