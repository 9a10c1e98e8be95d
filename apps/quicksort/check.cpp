// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/check.hpp"

#include <fmt/format.h>

#include <array>

namespace cleave::quicksort {

Keys radix_sorted(const Keys& keys) {
  constexpr std::uint32_t kSignBit = 0x80000000;  // flipped, so that negative keys come first
  constexpr unsigned kDigitBits = 8;
  constexpr std::size_t kDigits = std::size_t{1} << kDigitBits;
  Keys from = keys;
  Keys to(keys.size());
  for (unsigned shift = 0; shift < 32; shift += kDigitBits) {
    const auto digit = [shift](std::int32_t key) {
      return ((static_cast<std::uint32_t>(key) ^ kSignBit) >> shift) % kDigits;
    };
    std::array<std::size_t, kDigits + 1> place{};
    for (const std::int32_t key : from) {
      ++place[digit(key) + 1];
    }
    for (std::size_t d = 0; d < kDigits; ++d) {
      place[d + 1] += place[d];
    }
    for (const std::int32_t key : from) {
      to[place[digit(key)]++] = key;
    }
    std::swap(from, to);
  }
  return from;
}

std::optional<std::string> wrong_order(const Keys& input, const Keys& sorted) {
  if (sorted.size() != input.size()) {
    return fmt::format("{} keys went in, {} came out", input.size(), sorted.size());
  }
  const auto descent = std::is_sorted_until(sorted.begin(), sorted.end());
  if (descent != sorted.end()) {
    return fmt::format("key {} is less than the one before it", descent - sorted.begin());
  }
  KeySum in;
  KeySum out;
  in.add(std::span(input));
  out.add(std::span(sorted));
  if (in != out) {
    return "the keys that came out are not those that went in";
  }
  if (radix_sorted(input) != sorted) {
    return "a radix sort gives another order";
  }
  return std::nullopt;
}

}  // namespace cleave::quicksort
