// SPDX-License-Identifier: Apache-2.0
// The hash by which contents are told apart: of files, snapshots, trees, instances and sets of
// cores, and names of hosts.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace cleave::detail {

/// CRC-64 of ECMA-182, as in the xz format; of different contents the same once in 2^64.
std::uint64_t crc_64(std::span<const std::byte> bytes);
std::uint64_t crc_64(std::string_view text);

/// 16 digits.
std::string hexadecimal(std::uint64_t number);

}  // namespace cleave::detail
