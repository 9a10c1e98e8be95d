// SPDX-License-Identifier: Apache-2.0
// What the control groups of this process allow it: the tightest of the limits from its own group
// up to the highest that can be seen. Versions 1 and 2 of Linux's control groups, also mixed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>

namespace cleave::detail {

inline constexpr std::int32_t kNoQuota = std::numeric_limits<std::int32_t>::max();
inline constexpr std::int64_t kNoMemoryLimit = std::numeric_limits<std::int64_t>::max();

/// Cores whose time this process may take, with all others of its group: rounded down, at least 1;
/// kNoQuota without a limit.
/// \param root  where the folders proc and sys are
std::int32_t cpu_quota(const std::filesystem::path& root = "/");

/// Bytes that this process may still take; kNoMemoryLimit without a limit. Cached files count as
/// free.
std::int64_t memory_left(const std::filesystem::path& root = "/");

/// `cpu_quota()` as at the first call. Cost: the first call 0.1 ms.
std::int32_t quota_of_this_process();

}  // namespace cleave::detail
