// SPDX-License-Identifier: Apache-2.0
// Reproducible random numbers. Number i of a seed can be made on any rank, in any order. It is the
// same with every compiler, which the standard library's distributions are not.
#pragma once

#include <cstdint>

namespace cleave {

/// SplitMix64 (Steele, Lea, Flood: "Fast Splittable Pseudorandom Number Generators", OOPSLA 2014),
/// whose state is a counter, so that its i-th number costs as much as its first.
class CounterRandom {
 public:
  explicit constexpr CounterRandom(std::uint64_t seed) : start_(mix(seed)) {}

  /// 64 uniform bits.
  constexpr std::uint64_t operator()(std::uint64_t index) const {
    return mix(start_ + (index + 1) * 0x9e3779b97f4a7c15);
  }

  /// Each bit of the result depends on every one of `bits`; no two have the same result.
  static constexpr std::uint64_t mix(std::uint64_t bits) {
    bits = (bits ^ (bits >> 30)) * 0xbf58476d1ce4e5b9;
    bits = (bits ^ (bits >> 27)) * 0x94d049bb133111eb;
    return bits ^ (bits >> 31);
  }

 private:
  std::uint64_t start_;
};

/// Maps 32 uniform bits to [0, bound); no value is likelier than another by more than bound / 2^32.
constexpr std::uint32_t below(std::uint32_t bits, std::uint32_t bound) {
  return static_cast<std::uint32_t>((static_cast<std::uint64_t>(bits) * bound) >> 32);
}

/// Maps 64 uniform bits, by bound / 2^64.
constexpr std::uint64_t below(std::uint64_t bits, std::uint64_t bound) {
  __extension__ using Product = unsigned __int128;
  return static_cast<std::uint64_t>((static_cast<Product>(bits) * bound) >> 64);
}

}  // namespace cleave
