// SPDX-License-Identifier: Apache-2.0
// What can be sorted and in which order, and keys that are made from a seed.
#pragma once

#include <hwy/base.h>

#include <cmath>
#include <concepts>
#include <cstdint>
#include <limits>
#include <span>

#include <cleave/random.hpp>

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

/// How keys are made. `few` has 16 different keys. `sorted` and `reverse` span all values. `zipf`
/// has 2^20 different keys, the k-th about as often as 1 / k. `staggered` has 16 sections of places
/// with a range of keys each, so that partners of a hypercube hold one range (Helman, Bader, JaJa
/// 1998).
enum class KeyOrder { uniform, sorted, reverse, equal, few, zipf, staggered };

namespace detail {

/// A key from 64 uniform bits: integers have all values, floating-point keys lie in [-1, 1].
template <class Key>
Key key_of_bits(std::uint64_t bits) {
  if constexpr (std::same_as<Key, Record>) {
    return {.value = 0, .key = bits};
  } else if constexpr (std::floating_point<Key>) {
    return static_cast<Key>(static_cast<double>(static_cast<std::int64_t>(bits)) * 0x1p-63);
  } else {
    return static_cast<Key>(bits);
  }
}

/// A key that ascends with `bits`.
template <class Key>
Key ascending_key(std::uint64_t bits) {
  constexpr std::uint64_t kSign = std::uint64_t{1} << 63;
  if constexpr (std::same_as<Key, std::uint32_t>) {
    return static_cast<std::uint32_t>(bits >> 32);
  } else if constexpr (std::same_as<Key, Record> || std::unsigned_integral<Key>) {
    return key_of_bits<Key>(bits);
  } else if constexpr (std::same_as<Key, std::int32_t>) {
    return static_cast<std::int32_t>(static_cast<std::int64_t>(bits ^ kSign) >> 32);
  } else {
    return key_of_bits<Key>(bits ^ kSign);
  }
}

}  // namespace detail

/// A sequence of `total` keys, any section of which can be made alone: the same for the same seed
/// on every machine and any number of ranks.
template <VectorKey Key>
class GeneratedKeys {
 public:
  GeneratedKeys(KeyOrder order, std::int64_t total, std::uint64_t seed)
      : order_(order), total_(static_cast<std::uint64_t>(total)), random_(seed) {}

  /// Keys number first, first + 1, ... Those of records have their numbers as values.
  void fill(std::int64_t first, std::span<Key> keys) const {
    for (std::size_t i = 0; i < keys.size(); ++i) {
      keys[i] = key(static_cast<std::uint64_t>(first) + i);
      if constexpr (std::same_as<Key, Record>) {
        keys[i].value = static_cast<std::uint64_t>(first) + i;
      }
    }
  }

 private:
  Key key(std::uint64_t i) const {
    constexpr std::uint64_t kMax = std::numeric_limits<std::uint64_t>::max();
    switch (order_) {
      case KeyOrder::uniform:
        return detail::key_of_bits<Key>(random_(i));
      case KeyOrder::sorted:
        return detail::ascending_key<Key>(i * (kMax / total_));
      case KeyOrder::reverse:
        return detail::ascending_key<Key>((total_ - 1 - i) * (kMax / total_));
      case KeyOrder::equal:
        return detail::key_of_bits<Key>(random_(0));
      case KeyOrder::few:
        return detail::key_of_bits<Key>(random_(random_(i) % 16));
      case KeyOrder::zipf:
        return detail::key_of_bits<Key>(random_(zipf(random_(i))));
      case KeyOrder::staggered: {
        const std::uint64_t section = i * 16 / total_;
        const std::uint64_t range = section < 8 ? 2 * section + 1 : 2 * section - 16;
        return detail::ascending_key<Key>(range << 60 | random_(i) >> 4);
      }
    }
    return Key{};
  }

  /// k in [1, 2^20): every power of two begins an interval that is as likely as the others.
  static std::uint64_t zipf(std::uint64_t bits) {
    const std::uint64_t power = std::uint64_t{1} << (bits >> 32) % 20;
    return power + (bits & (power - 1));
  }

  KeyOrder order_;
  std::uint64_t total_;
  CounterRandom random_;
};

inline constexpr std::int64_t kMaxKeys = std::int64_t{1} << 32;

}  // namespace cleave::quicksort
