// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <boost/crc.hpp>

#include <cleave/trace/checksum.hpp>

namespace cleave::detail {

std::uint64_t crc_64(std::span<const std::byte> bytes) {
  boost::crc_optimal<64, 0x42F0E1EBA9EA3693, ~0ULL, ~0ULL, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

std::uint64_t crc_64(std::string_view text) {
  return crc_64(std::as_bytes(std::span(text.data(), text.size())));
}

std::string hexadecimal(std::uint64_t number) { return fmt::format("{:016x}", number); }

}  // namespace cleave::detail
