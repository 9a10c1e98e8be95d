// SPDX-License-Identifier: Apache-2.0
#include <fmt/chrono.h>
#include <hwloc.h>

#include <algorithm>
#include <ctime>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <type_traits>
#include <utility>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/host/host.hpp>

namespace cleave::detail {

namespace {

using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>,
                               decltype([](hwloc_bitmap_t bitmap) { hwloc_bitmap_free(bitmap); })>;

bool is_allowed(int hardware_thread) { return hardware_thread >= 0; }

/// The topology of this host. It is kept to the end: simulated ranks share it.
hwloc_topology_t this_topology() {
  static hwloc_topology_t const kTopology = [] {
    hwloc_topology_t topology = nullptr;
    if (hwloc_topology_init(&topology) != 0 || hwloc_topology_load(topology) != 0) {
      throw Error("hwloc cannot tell the cores of this host");
    }
    return topology;
  }();
  return kTopology;
}

/// This process's control group and those above it, as far as they can be seen.
std::vector<std::filesystem::path> control_groups(const std::filesystem::path& root) {
  std::vector groups{root / "sys/fs/cgroup"};
  std::ifstream all(root / "proc/self/cgroup");
  for (std::string line; std::getline(all, line);) {
    for (const auto& each : std::filesystem::path(line.starts_with("0::/") ? line.substr(4) : "")) {
      groups.push_back(groups.back() / each);
    }
  }
  return groups;
}

/// The information `name` of the first object of `type`; "unknown" without it.
std::string name_in_topology(hwloc_obj_type_t type, const char* name) {
  hwloc_obj_t const object = hwloc_get_obj_by_type(this_topology(), type, 0);
  const char* const found = object != nullptr ? hwloc_obj_get_info_by_name(object, name) : nullptr;
  return found != nullptr ? found : "unknown";
}

}  // namespace

const HostCores& cores_of_this_host() {
  // Never destroyed: ranks that a simulator makes of one process would each do so.
  static const HostCores& kCores = *new HostCores([] {
    hwloc_topology_t const topology = this_topology();
    const Bitmap bound(hwloc_bitmap_alloc());
    if (hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_THREAD) != 0) {
      hwloc_bitmap_fill(bound.get());
    }
    // Some virtual machines tell of hardware threads alone.
    const auto type =
        hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
    HostCores cores;
    for (hwloc_obj_t each = nullptr;
         (each = hwloc_get_next_obj_by_type(topology, type, each)) != nullptr;) {
      const Bitmap usable(hwloc_bitmap_alloc());
      hwloc_bitmap_and(usable.get(), each->cpuset, bound.get());
      cores.push_back(hwloc_bitmap_first(usable.get()));
    }
    return std::ranges::any_of(cores, is_allowed) ? cores : HostCores{0};
  }());
  return kCores;
}

std::int32_t cpu_quota(const std::filesystem::path& root) {
  std::int64_t cores = kNoQuota;
  for (const auto& group : control_groups(root)) {
    std::int64_t quota = 0;
    std::int64_t period = 0;
    if (std::ifstream(group / "cpu.max") >> quota >> period && quota > 0 && period > 0) {
      cores = std::min(cores, std::max<std::int64_t>(quota / period, 1));
    }
  }
  return static_cast<std::int32_t>(cores);
}

std::int64_t memory_left(const std::filesystem::path& root) {
  std::int64_t left = kNoMemoryLimit;
  for (const auto& group : control_groups(root)) {
    std::int64_t limit = 0;
    std::int64_t used = 0;
    if (!(std::ifstream(group / "memory.max") >> limit)) {
      continue;  // none, or "max"
    }
    std::ifstream(group / "memory.current") >> used;
    std::ifstream statistics(group / "memory.stat");
    std::int64_t bytes = 0;
    for (std::string name; statistics >> name >> bytes;) {
      used -= name == "active_file" || name == "inactive_file" ? bytes : 0;
    }
    left = std::min(left, std::max<std::int64_t>(limit - std::max<std::int64_t>(used, 0), 0));
  }
  return left;
}

std::int32_t quota_of_this_process() {
  static const std::int32_t kQuota = cpu_quota();
  return kQuota;
}

int usable_cores() {
  return std::min(summary_of(cores_of_this_host()).count, quota_of_this_process());
}

bool bind_thread(int hardware_thread) {
  const Bitmap set(hwloc_bitmap_alloc());
  return hwloc_bitmap_only(set.get(), static_cast<unsigned>(hardware_thread)) == 0 &&
         hwloc_set_cpubind(this_topology(), set.get(), HWLOC_CPUBIND_THREAD) == 0;
}

AllowedCores summary_of(const HostCores& cores) {
  const auto first = std::ranges::find_if(cores, is_allowed);
  const auto last = std::find_if(cores.rbegin(), cores.rend(), is_allowed);
  return {.set = crc_64(std::as_bytes(std::span(cores))),
          .first = static_cast<std::int32_t>(first - cores.begin()),
          .last = static_cast<std::int32_t>(cores.rend() - last - 1),
          .count = static_cast<std::int32_t>(std::ranges::count_if(cores, is_allowed))};
}

int cores_per_rank(std::span<const int> hosts, std::span<const AllowedCores> ranks) {
  std::map<std::pair<int, std::uint64_t>, int> sharing_set;
  std::map<int, int> sharing_host;
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    ++sharing_set[{hosts[i], ranks[i].set}];
    ++sharing_host[hosts[i]];
  }
  int fewest = std::numeric_limits<int>::max();
  for (std::size_t i = 0; i < ranks.size(); ++i) {
    fewest = std::min({fewest, ranks[i].count / sharing_set[{hosts[i], ranks[i].set}],
                       ranks[i].quota / sharing_host[hosts[i]]});
  }
  return fewest;
}

std::vector<int> hardware_threads(const HostCores& mine, std::span<const AllowedCores> ranks,
                                  std::size_t self, int threads) {
  const auto workers = [&](std::span<const AllowedCores> some, std::uint64_t set) {
    return std::ranges::count(some, set, &AllowedCores::set) * threads;
  };
  const bool fits = std::ranges::all_of(ranks, [&](const AllowedCores& rank) {
    const auto is_apart = [&](const AllowedCores& other) {
      return other.set == rank.set || other.last < rank.first || rank.last < other.first;
    };
    return workers(ranks, rank.set) == rank.count && std::ranges::all_of(ranks, is_apart);
  });
  if (!fits || std::ssize(ranks) * threads == 1) {
    return {};
  }
  std::vector<int> allowed;
  std::ranges::copy_if(mine, std::back_inserter(allowed), is_allowed);
  const auto first = allowed.begin() + workers(ranks.first(self), ranks[self].set);
  return {first, first + threads};
}

std::string version() { return CLEAVE_VERSION; }

std::string commit() { return CLEAVE_COMMIT; }

Provenance provenance_here(std::string program, std::string command_line, std::string clock) {
  return {.program = std::move(program),
          .version = version(),
          .commit = commit(),
          .command_line = std::move(command_line),
          .host = name_in_topology(HWLOC_OBJ_MACHINE, "HostName"),
          .processor = name_in_topology(HWLOC_OBJ_PACKAGE, "CPUModel"),
          .cores = usable_cores(),
          .mpi_library = "none",
          .clock = std::move(clock),
          .created = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)))};
}

}  // namespace cleave::detail
