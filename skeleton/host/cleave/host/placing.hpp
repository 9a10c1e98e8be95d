// SPDX-License-Identifier: Apache-2.0
// Which cores the workers of the ranks of one host are bound to. Every rank reckons this by itself
// from what each rank may use, and all come to the same.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include <cleave/host/host_cores.hpp>

namespace cleave::detail {

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

/// Whether there are as many workers as cores that the ranks may use, so that binding leaves none
/// idle.
bool take_all(std::span<const AllowedCores> ranks, int threads);

/// The places of the cores of each rank's workers, `threads` of them, in the order of `ranks`,
/// which are those of one host. Ranks that may use the same cores share them out in their order.
/// \return  no list at all where workers outnumber cores. Nor where ranks have some cores in common
///          but not all: two workers could then be bound to one core. Nor for a single worker.
/// \param mine     the cores of the rank `ranks[self]`; of ranks that may use other ones only the
///                 first and the last are known, and their lists hold these
std::vector<std::vector<int>> cores_of_workers(const HostCores& mine,
                                               std::span<const AllowedCores> ranks,
                                               std::size_t self, int threads);

}  // namespace cleave::detail
