// SPDX-License-Identifier: Apache-2.0
// Cores, who is bound to which, and who is near whom, on hosts that hwloc makes up.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <cleave/host/host.hpp>
#include <cleave/version.hpp>

#include "tests/support/temporary_folder.hpp"

namespace cleave::detail {
namespace {

/// Cores, of which those of `allowed` may be used, all without it.
HostCores cores_of(int count, const std::set<int>& allowed = {}) {
  HostCores cores;
  for (int i = 0; i < count; ++i) {
    cores.push_back(allowed.empty() || allowed.contains(i) ? 2 * i : -1);
  }
  return cores;
}

TEST(HostCores, AreToldByTheirPlaces) {
  const AllowedCores told = summary_of(cores_of(6, {1, 2, 4}));
  EXPECT_EQ(told.first, 1);
  EXPECT_EQ(told.last, 4);
  EXPECT_EQ(told.count, 3);
  EXPECT_GT(summary_of(cores_of_this_host()).count, 0);
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

/// The hardware threads of the workers of all ranks of a host, each of which may use `cores`.
std::vector<std::vector<int>> placed(const std::vector<HostCores>& cores, int threads) {
  std::vector<AllowedCores> ranks;
  std::ranges::transform(cores, std::back_inserter(ranks), summary_of);
  std::vector<std::vector<int>> all;
  for (std::size_t self = 0; self < ranks.size(); ++self) {
    all.push_back(hardware_threads(cores[self], ranks, self, threads));
  }
  return all;
}

TEST(Placing, GivesEachWorkerACoreWhereTheyTakeAll) {
  using Lists = std::vector<std::vector<int>>;
  const HostCores some = cores_of(8, {2, 3, 6, 7});
  const HostCores others = cores_of(8, {0, 1});
  EXPECT_EQ(placed({some, some}, 2), (Lists{{4, 6}, {12, 14}}));
  EXPECT_EQ(placed({some, some, some, some}, 1), (Lists{{4}, {6}, {12}, {14}}));
  EXPECT_EQ(placed({some}, 4), (Lists{{4, 6, 12, 14}}));
  EXPECT_EQ(placed({cores_of(8, {4, 5}), others}, 2), (Lists{{8, 10}, {0, 2}}));
  for (const auto& [cores, threads] : std::vector<std::pair<std::vector<HostCores>, int>>{
           {{some, some, some}, 1},                    // a core is left idle
           {{some, some}, 3},                          // workers outnumber cores
           {{cores_of(1)}, 1},                         // a single worker
           {{some, others}, 2},                        // one of two ranks leaves cores idle
           {{some, cores_of(8, {3, 4, 5, 8})}, 4}}) {  // one core in common
    EXPECT_EQ(placed(cores, threads), Lists(cores.size()));
  }
}

TEST(Version, IsThatOfTheProject) {
  EXPECT_EQ(cleave::version(), fmt::format("{}.{}.{}", CLEAVE_VERSION_MAJOR, CLEAVE_VERSION_MINOR,
                                           CLEAVE_VERSION_PATCH));
  EXPECT_TRUE(configuration().starts_with("commit " + commit() + "; ")) << configuration();
}

}  // namespace
}  // namespace cleave::detail
