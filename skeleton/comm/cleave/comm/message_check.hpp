// SPDX-License-Identifier: Apache-2.0
// A checksum of every message's bytes, for a network or a memory that is not trusted. It is on
// where the environment of any rank says CLEAVE_CHECK_MESSAGES=1. Reductions of single numbers have
// none.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

namespace cleave::detail {

/// Whether this process's environment asks for checksums.
bool asks_for_checksums();

/// Equal bytes have equal checksums on all ranks; those of other bytes differ but for one pair
/// in 2^64.
std::uint64_t checksum(std::span<const std::byte> message);

/// To be called with each message that has arrived. \throws Error  if it is not what `from` sent
void check_message(std::span<std::byte> message, std::uint64_t sent_checksum, int from);

/// Flips a bit of the `nth` message from now on that is checked, and then counts in `happened`.
void damage_message(int nth, std::shared_ptr<std::atomic<int>> happened);

}  // namespace cleave::detail
