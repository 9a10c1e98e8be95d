// SPDX-License-Identifier: Apache-2.0
// The cores of a host, by hwloc, and the limits of this process's control groups (version 2). A
// core counts once, however many hardware threads it has.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

namespace cleave::detail {

struct Core {
  int hardware_thread = 0;  ///< the first that may be used, by the system's number
  bool is_allowed = true;   ///< whether this process may use it
};

/// In hwloc's logical order, in which neighbours share the most. At least one is allowed.
using HostCores = std::vector<Core>;

/// The cores of this host, as at the first call, which must come before any thread is bound.
/// The quota of its control group is not in it. Cost: the first call 5 to 50 ms.
const HostCores& cores_of_this_host();

/// The places in `cores` of those that are allowed, ascending.
std::vector<int> allowed_cores(const HostCores& cores);

inline constexpr std::int32_t kNoQuota = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int64_t kNoMemoryLimit = std::numeric_limits<std::int64_t>::max();

/// Cores whose time this process may take with all others of its control groups: the tightest
/// limit, rounded down, at least 1; kNoQuota without one.
/// \param root  where the folders proc and sys are
std::int32_t cpu_quota(const std::filesystem::path& root = "/");

/// Bytes that this process may still take; kNoMemoryLimit without a limit. Cached files count as
/// free.
std::int64_t memory_left(const std::filesystem::path& root = "/");

/// `cpu_quota()` as at the first call. Cost: the first call 0.1 ms.
std::int32_t quota_of_this_process();

/// Cores that this process may run on, at most its quota.
int usable_cores();

/// Binds the calling thread. \return  false if the system refuses
bool bind_thread(int hardware_thread);

}  // namespace cleave::detail
