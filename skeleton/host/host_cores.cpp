// SPDX-License-Identifier: Apache-2.0
#include <hwloc.h>

#include <algorithm>
#include <fstream>
#include <memory>
#include <type_traits>

#include <cleave/host/host_cores.hpp>

namespace cleave::detail {

namespace {

struct FreeBitmap {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, FreeBitmap>;

HostCores cores_of(hwloc_topology_t topology, hwloc_const_bitmap_t allowed) {
  HostCores cores;
  // Some virtual machines tell of hardware threads alone.
  const auto type =
      hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_CORE) > 0 ? HWLOC_OBJ_CORE : HWLOC_OBJ_PU;
  for (hwloc_obj_t each = nullptr;
       (each = hwloc_get_next_obj_by_type(topology, type, each)) != nullptr;) {
    const Bitmap usable(hwloc_bitmap_alloc());
    hwloc_bitmap_and(usable.get(), each->cpuset, allowed);
    const int first = hwloc_bitmap_first(usable.get());
    cores.push_back({.hardware_thread = std::max(first, 0), .is_allowed = first >= 0});
  }
  return cores;
}

/// This process's control group and those above it, as far as they can be seen.
std::vector<std::filesystem::path> control_groups(const std::filesystem::path& root) {
  std::vector groups{root / "sys/fs/cgroup"};
  std::filesystem::path own;
  std::ifstream all(root / "proc/self/cgroup");
  for (std::string line; std::getline(all, line);) {
    if (line.starts_with("0::/")) {
      own = line.substr(4);
    }
  }
  for (const auto& each : own) {
    groups.push_back(groups.back() / each);
  }
  return groups;
}

/// The number that a file begins with, else `otherwise`, as of "max".
std::int64_t number_in(const std::filesystem::path& file, std::int64_t otherwise) {
  std::int64_t number = 0;
  return std::ifstream(file) >> number ? number : otherwise;
}

/// The topology of this host; null if hwloc cannot. It is kept to the end: simulated ranks share
/// it.
hwloc_topology_t this_topology() {
  static hwloc_topology_t const kTopology = [] {
    hwloc_topology_t topology = nullptr;
    return hwloc_topology_init(&topology) == 0 && hwloc_topology_load(topology) == 0 ? topology
                                                                                     : nullptr;
  }();
  return kTopology;
}

}  // namespace

const HostCores& cores_of_this_host() {
  // Kept to the end, as the topology.
  static const HostCores& kCores = *new HostCores([] {
    HostCores cores;
    if (const hwloc_topology_t topology = this_topology()) {
      const Bitmap bound(hwloc_bitmap_alloc());
      if (hwloc_get_cpubind(topology, bound.get(), HWLOC_CPUBIND_THREAD) != 0) {
        hwloc_bitmap_fill(bound.get());
      }
      cores = cores_of(topology, bound.get());
    }
    return allowed_cores(cores).empty() ? HostCores(1) : cores;
  }());
  return kCores;
}

std::vector<int> allowed_cores(const HostCores& cores) {
  std::vector<int> allowed;
  for (std::size_t i = 0; i < cores.size(); ++i) {
    if (cores[i].is_allowed) {
      allowed.push_back(static_cast<int>(i));
    }
  }
  return allowed;
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
    const std::int64_t limit = number_in(group / "memory.max", kNoMemoryLimit);
    if (limit == kNoMemoryLimit) {
      continue;
    }
    std::int64_t used = number_in(group / "memory.current", 0);
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
  return std::min(static_cast<int>(allowed_cores(cores_of_this_host()).size()),
                  quota_of_this_process());
}

bool bind_thread(int hardware_thread) {
  const Bitmap set(hwloc_bitmap_alloc());
  return this_topology() != nullptr &&
         hwloc_bitmap_only(set.get(), static_cast<unsigned>(hardware_thread)) == 0 &&
         hwloc_set_cpubind(this_topology(), set.get(), HWLOC_CPUBIND_THREAD) == 0;
}

}  // namespace cleave::detail
