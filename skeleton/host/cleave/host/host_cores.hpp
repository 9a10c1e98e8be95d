// SPDX-License-Identifier: Apache-2.0
// The cores of a host, by hwloc. A core counts once, however many hardware threads it has.
#pragma once

#include <array>
#include <string>
#include <vector>

namespace cleave::detail {

/// What cores share, the nearest first: the last cache, the memory, the package.
inline constexpr int kSharings = 3;
inline constexpr int kNoGroup = -1;  ///< of a host that has no such cache

struct Core {
  int hardware_thread = 0;  ///< the first that may be used, by the system's number
  bool is_allowed = true;   ///< whether this process may use it
  /// By number, which group of cores it is in: those with the same last cache, memory, package.
  std::array<int, kSharings> groups{kNoGroup, kNoGroup, kNoGroup};
};

/// In hwloc's logical order, in which neighbours share the most. At least one is allowed.
using HostCores = std::vector<Core>;

/// Of this host, as at the first call, which must come before any thread is bound.
/// The quota of its control group is not in it (control_group.hpp). Cost: the first call 5 to 50
/// ms.
const HostCores& cores_of_this_host();

/// Of hwloc's synthetic description, for example "package:2 numa:2 core:4 pu:2", of which a process
/// may use the hardware threads `allowed`, a list as "0-3,8"; all if it is empty.
/// \throws Error  if hwloc takes no such description, or no hardware thread is left
HostCores synthetic_cores(const std::string& description, const std::string& allowed = "");

/// The places in `cores` of those that are allowed, ascending.
std::vector<int> allowed_cores(const HostCores& cores);

/// Binds the calling thread. \return  false if the system refuses
bool bind_thread(int hardware_thread);

}  // namespace cleave::detail
