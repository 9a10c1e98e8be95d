// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <hwloc.h>

#include <algorithm>
#include <memory>
#include <type_traits>

#include <cleave/error.hpp>
#include <cleave/host/host_cores.hpp>

namespace cleave::detail {

namespace {

struct FreeTopology {
  void operator()(hwloc_topology_t topology) const { hwloc_topology_destroy(topology); }
};
using Topology = std::unique_ptr<std::remove_pointer_t<hwloc_topology_t>, FreeTopology>;

struct FreeBitmap {
  void operator()(hwloc_bitmap_t bitmap) const { hwloc_bitmap_free(bitmap); }
};
using Bitmap = std::unique_ptr<std::remove_pointer_t<hwloc_bitmap_t>, FreeBitmap>;

/// Empty if hwloc cannot.
Topology load(const char* synthetic) {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) {
    return nullptr;
  }
  Topology topology(raw);
  if ((synthetic != nullptr && hwloc_topology_set_synthetic(raw, synthetic) != 0) ||
      hwloc_topology_load(raw) != 0) {
    return nullptr;
  }
  return topology;
}

/// The number of the first object of this type that shares hardware threads with `core`.
int group_of(hwloc_topology_t topology, hwloc_obj_t core, hwloc_obj_type_t type) {
  for (hwloc_obj_t each = nullptr;
       (each = hwloc_get_next_obj_by_type(topology, type, each)) != nullptr;) {
    if (each->cpuset != nullptr && hwloc_bitmap_intersects(each->cpuset, core->cpuset) != 0) {
      return static_cast<int>(each->logical_index);
    }
  }
  return kNoGroup;
}

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
    cores.push_back({.hardware_thread = std::max(first, 0),
                     .is_allowed = first >= 0,
                     .groups = {group_of(topology, each, HWLOC_OBJ_L3CACHE),
                                group_of(topology, each, HWLOC_OBJ_NUMANODE),
                                group_of(topology, each, HWLOC_OBJ_PACKAGE)}});
  }
  return cores;
}

bool any_allowed(const HostCores& cores) {
  return std::ranges::any_of(cores, [](const Core& core) { return core.is_allowed; });
}

/// Of this host; empty if hwloc cannot. It is kept to the end: simulated ranks share it, and each
/// would free it.
hwloc_topology_t this_topology() {
  static hwloc_topology_t const kTopology = load(nullptr).release();
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
    return any_allowed(cores) ? cores : HostCores(1);
  }());
  return kCores;
}

HostCores synthetic_cores(const std::string& description, const std::string& allowed) {
  const Topology topology = load(description.c_str());
  if (topology == nullptr) {
    throw Error(fmt::format("'{}' describes no host to hwloc", description));
  }
  const Bitmap usable(hwloc_bitmap_alloc());
  if (allowed.empty()) {
    hwloc_bitmap_fill(usable.get());
  } else if (hwloc_bitmap_list_sscanf(usable.get(), allowed.c_str()) != 0) {
    throw Error(fmt::format("'{}' is no list of hardware threads, for example 0-3,8", allowed));
  }
  HostCores cores = cores_of(topology.get(), usable.get());
  if (!any_allowed(cores)) {
    throw Error(fmt::format("'{}' are no hardware threads of '{}'", allowed, description));
  }
  return cores;
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

bool bind_thread(int hardware_thread) {
  const Bitmap set(hwloc_bitmap_alloc());
  return this_topology() != nullptr &&
         hwloc_bitmap_only(set.get(), static_cast<unsigned>(hardware_thread)) == 0 &&
         hwloc_set_cpubind(this_topology(), set.get(), HWLOC_CPUBIND_THREAD) == 0;
}

}  // namespace cleave::detail
