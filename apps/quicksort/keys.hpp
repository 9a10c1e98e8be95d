// SPDX-License-Identifier: Apache-2.0
// What can be sorted, and in which order.
#pragma once

#include <hwy/base.h>

#include <cmath>
#include <concepts>
#include <cstdint>

namespace cleave::quicksort {

/// 16 bytes: a 64-bit key and a 64-bit value that goes with it. Only the key is compared.
using Record = hwy::K64V64;

/// The keys that are partitioned and sorted by vector instructions.
template <class Key>
concept VectorKey =
    std::same_as<Key, std::int32_t> || std::same_as<Key, std::uint32_t> ||
    std::same_as<Key, std::int64_t> || std::same_as<Key, std::uint64_t> ||
    std::same_as<Key, float> || std::same_as<Key, double> || std::same_as<Key, Record>;

/// Least first, or greatest first. NaN counts as greater than every number and equal to any NaN, so
/// that floating-point keys of any kind have an order; 0 and -0 are equal.
struct ByKey {
  bool descends = false;

  template <class Key>
  bool operator()(const Key& a, const Key& b) const {
    return descends ? is_less(b, a) : is_less(a, b);
  }

 private:
  template <class Key>
  static bool is_less(const Key& a, const Key& b) {
    if constexpr (std::floating_point<Key>) {
      return a < b || (std::isnan(b) && !std::isnan(a));
    } else {
      return a < b;
    }
  }
};

}  // namespace cleave::quicksort
