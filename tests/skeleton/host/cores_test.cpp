// SPDX-License-Identifier: Apache-2.0
// Cores, who is bound to which, and who is near whom, on hosts that hwloc makes up.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>
#include <vector>

#include <cleave/host/host_cores.hpp>
#include <cleave/host/placing.hpp>

#include "tests/support/temporary_folder.hpp"

namespace cleave::detail {
namespace {

using Lists = std::vector<std::vector<int>>;

/// Ranks that may all use the same cores.
std::vector<AllowedCores> ranks_on(const HostCores& cores, std::size_t ranks) {
  return std::vector<AllowedCores>(ranks, summary_of(cores));
}

/// Cores, of which those of `allowed` may be used, all without it.
HostCores cores_of(int count, const std::set<int>& allowed = {}) {
  HostCores cores;
  for (int i = 0; i < count; ++i) {
    cores.push_back(
        {.hardware_thread = 2 * i, .is_allowed = allowed.empty() || allowed.contains(i)});
  }
  return cores;
}

TEST(HostCores, AreAllowedByTheirPlaces) {
  EXPECT_EQ(allowed_cores(cores_of(4, {0, 1, 3})), (std::vector{0, 1, 3}));
  EXPECT_EQ(summary_of(cores_of(4, {0, 1, 3})).count, 3);
}

TEST(HostCores, OfThisHostHoldOneThatMayBeUsed) {
  EXPECT_FALSE(allowed_cores(cores_of_this_host()).empty());
}

TEST(CoresPerRank, AreThoseOfTheAffinityAndOfTheQuota) {
  const AllowedCores two = summary_of(cores_of(4, {0, 1}));
  const AllowedCores other = summary_of(cores_of(4, {2, 3}));
  const AllowedCores one = summary_of(cores_of(4, {0}));
  AllowedCores slowed = two;
  slowed.quota = 1;
  const auto cores = [](const std::vector<int>& hosts, const std::vector<AllowedCores>& ranks) {
    return cores_per_rank(hosts, ranks);
  };
  EXPECT_EQ(cores({0}, {two}), 2);
  EXPECT_EQ(cores({0, 0}, {two, two}), 1);
  EXPECT_EQ(cores({0, 0}, {one, one}), 0);  // taskset -c 0 mpiexec -n 2
  EXPECT_EQ(cores({0, 0}, {two, other}), 2);
  EXPECT_EQ(cores({0, 1}, {one, one}), 1);
  EXPECT_EQ(cores({0, 0, 2}, {two, two, one}), 1);
  EXPECT_EQ(cores({0, 0}, {slowed, slowed}), 0);
}

/// Control groups of a host that is made up: its files, by their names without "/".
class ControlGroups : public ::testing::Test {
 protected:
  void write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories((folder_ / name).parent_path());
    std::ofstream(folder_ / name) << text;
  }
  cleave::testing::TemporaryFolder folder_;
};

TEST_F(ControlGroups, WithoutThemThereIsNoLimit) {
  EXPECT_EQ(cpu_quota(folder_.path()), kNoQuota);
  EXPECT_EQ(memory_left(folder_.path()), kNoMemoryLimit);
}

TEST_F(ControlGroups, LimitByTheTightestOnThePath) {
  write("proc/self/cgroup", "4:memory:/other\n0::/job/step\n");
  write("sys/fs/cgroup/job/step/cpu.max", "max 100000\n");
  write("sys/fs/cgroup/job/cpu.max", "250000 100000\n");
  write("sys/fs/cgroup/job/step/memory.max", "9000\n");
  write("sys/fs/cgroup/job/step/memory.current", "1000\n");
  write("sys/fs/cgroup/job/memory.max", "5000\n");
  write("sys/fs/cgroup/job/memory.current", "3000\n");
  write("sys/fs/cgroup/job/memory.stat", "anon 2500\nactive_file 300\ninactive_file 200\n");
  EXPECT_EQ(cpu_quota(folder_.path()), 2);
  EXPECT_EQ(memory_left(folder_.path()), 2500);
}

TEST_F(ControlGroups, OutsideOfWhatIsMountedAreThoseOfItsTop) {
  write("proc/self/cgroup", "0::/not/seen\n");
  write("sys/fs/cgroup/cpu.max", "50000 100000\n");
  EXPECT_EQ(cpu_quota(folder_.path()), 1);  // half a core is one
}

TEST(Placing, SharesOutTheCoresOfAHostInTheOrderOfItsRanks) {
  const HostCores cores = cores_of(16);
  EXPECT_EQ(cores_of_workers(cores, ranks_on(cores, 3), 0, 4),
            (Lists{{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}}));
}

TEST(Placing, UsesAllowedCoresAlone) {
  const HostCores cores = cores_of(8, {2, 3, 6, 7});
  EXPECT_EQ(cores_of_workers(cores, ranks_on(cores, 2), 1, 2), (Lists{{2, 3}, {6, 7}}));
}

TEST(Placing, BindsNothingWhereWorkersOutnumberCores) {
  const HostCores cores = cores_of(4);
  EXPECT_EQ(cores_of_workers(cores, ranks_on(cores, 4), 0, 1).size(), 4U);
  EXPECT_TRUE(cores_of_workers(cores, ranks_on(cores, 5), 0, 1).empty());
  EXPECT_TRUE(cores_of_workers(cores, ranks_on(cores, 2), 0, 3).empty());
  const HostCores one = cores_of(1);
  EXPECT_TRUE(cores_of_workers(one, ranks_on(one, 2), 0, 1).empty());
}

TEST(Placing, BindsNoSingleWorker) {
  const HostCores cores = cores_of(4);
  EXPECT_TRUE(cores_of_workers(cores, ranks_on(cores, 1), 0, 1).empty());
}

TEST(Placing, KeepsToWhatALauncherHasBoundEachRankTo) {
  constexpr int kCores = 8;
  const HostCores first = cores_of(kCores, {0, 1, 2, 3});
  const HostCores second = cores_of(kCores, {4, 5, 6, 7});
  const std::vector ranks = {summary_of(first), summary_of(second)};
  EXPECT_EQ(cores_of_workers(first, ranks, 0, 2).at(0), (std::vector{0, 1}));
  EXPECT_EQ(cores_of_workers(second, ranks, 1, 2).at(1), (std::vector{4, 5}));
}

TEST(Placing, BindsNothingWhereRanksMayUseSomeCoresInCommon) {
  constexpr int kCores = 8;
  const HostCores first = cores_of(kCores, {0, 1, 2, 3, 4});
  const HostCores second = cores_of(kCores, {4, 5, 6, 7});
  const std::vector ranks = {summary_of(first), summary_of(second)};
  EXPECT_TRUE(cores_of_workers(first, ranks, 0, 1).empty());
  EXPECT_TRUE(cores_of_workers(second, ranks, 1, 1).empty());
}

TEST(Placing, NeverGivesACoreToTwoWorkers) {
  for (const int count : {5, 7, 16}) {
    const HostCores cores = cores_of(count);
    for (std::size_t ranks = 1; ranks <= cores.size(); ++ranks) {
      for (int threads = 1; static_cast<std::size_t>(threads) * ranks <= cores.size(); ++threads) {
        std::multiset<int> used;
        for (std::size_t self = 0; self < ranks; ++self) {
          const Lists places = cores_of_workers(cores, ranks_on(cores, ranks), self, threads);
          if (!places.empty()) {
            used.insert(places[self].begin(), places[self].end());
          }
        }
        const auto workers = static_cast<std::size_t>(threads) * ranks;
        EXPECT_EQ(used.size(), workers == 1 ? 0 : workers);
        EXPECT_EQ(std::set<int>(used.begin(), used.end()).size(), used.size());
      }
    }
  }
}

TEST(Placing, KnowsWhenWorkersTakeAllCores) {
  const HostCores cores = cores_of(4);
  EXPECT_TRUE(take_all(ranks_on(cores, 4), 1));
  EXPECT_TRUE(take_all(ranks_on(cores, 2), 2));
  EXPECT_FALSE(take_all(ranks_on(cores, 3), 1));
}

}  // namespace
}  // namespace cleave::detail
