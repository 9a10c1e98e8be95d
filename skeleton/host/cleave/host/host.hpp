// SPDX-License-Identifier: Apache-2.0
// The cores of a host, by hwloc; the limits of this process's control groups (version 2); which
// cores the workers of ranks are bound to; and what a program knows of itself and its host.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include <cleave/trace.hpp>

namespace cleave::detail {

/// Each core's first hardware thread that this process may use, by the system's number; -1 without
/// one. In hwloc's logical order, in which neighbours share the most.
using HostCores = std::vector<int>;

/// The cores of this host, as at the first call, which must come before any thread is bound.
/// The quota of its control group is not in it. Cost: the first call 5 to 50 ms.
const HostCores& cores_of_this_host();

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

/// The cores that a rank may use, as it tells the others, by their places in HostCores.
struct AllowedCores {
  std::uint64_t set = 0;  ///< the same for ranks that may use the same cores
  std::int32_t first = 0;
  std::int32_t last = 0;
  std::int32_t count = 1;
  std::int32_t quota = kNoQuota;  ///< cores whose time its control group may take, at least 1
};

AllowedCores summary_of(const HostCores& cores);

/// The cores that each rank has to itself, rounded down, where it has the fewest. Ranks of one host
/// that may use the same cores share them, and all share its quota.
/// \param hosts  of each rank
int cores_per_rank(std::span<const int> hosts, std::span<const AllowedCores> ranks);

/// The hardware threads of the workers of `ranks[self]`, on cores that no other worker has. Every
/// rank reckons this by itself: ranks that may use the same cores share them out in their order.
/// None where workers outnumber cores or leave one idle, for a single worker, and where ranks have
/// some cores in common but not all.
/// \param mine   the cores of this rank
/// \param ranks  those of this host
std::vector<int> hardware_threads(const HostCores& mine, std::span<const AllowedCores> ranks,
                                  std::size_t self, int threads);

/// Everything but `mpi_library`, which takes MPI to find out.
Provenance provenance_here(std::string program, std::string command_line, std::string clock);

/// The version of Cleave, e.g. "0.1.0", and the commit that it was built from.
std::string version();
std::string commit();

}  // namespace cleave::detail
