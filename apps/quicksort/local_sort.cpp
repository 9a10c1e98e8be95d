// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/local_sort.hpp"

#include <hwy/contrib/sort/vqsort.h>

#include <bit>
#include <limits>

#include "apps/quicksort/vector_targets.hpp"

namespace cleave::quicksort {

namespace {

template <class Key>
void sort_by_highway(Key* keys, std::size_t count, ByKey order) {
  const hwy::Sorter sorter;
  if (order.descends) {
    sorter(keys, count, hwy::SortDescending());
  } else {
    sorter(keys, count, hwy::SortAscending());
  }
}

template <class Key>
void sort_numbers(std::span<Key> keys, ByKey order) {
  if constexpr (sizeof(Key) == 4) {
    const TargetsFor32Bits targets;
    sort_by_highway(keys.data(), keys.size(), order);
  } else {
    sort_by_highway(keys.data(), keys.size(), order);
  }
}

/// Makes integers of numbers, or numbers again: integers of this kind have the numbers' order.
/// \return  whether one of `keys` was NaN
template <class Bits, class Key>
bool exchange_for_ordered_bits(std::span<Key> keys) {
  constexpr int kSign = std::numeric_limits<Bits>::digits;
  bool has_nan = false;
  for (Key& key : keys) {
    has_nan |= key != key;
    const auto bits = std::bit_cast<Bits>(key);
    key = std::bit_cast<Key>(bits ^ ((bits >> kSign) & std::numeric_limits<Bits>::max()));
  }
  return has_nan;
}

/// As integers: VQSort of Highway 1.0.3 leaves some sequences of floats out of order (2^20 keys of
/// 2^20 values by Zipf's law).
template <class Bits, class Key>
void sort_floats(std::span<Key> keys, ByKey order) {
  static_assert(sizeof(Bits) == sizeof(Key));
  if (exchange_for_ordered_bits<Bits>(keys)) {
    exchange_for_ordered_bits<Bits>(keys);
    const std::size_t cut = partition_vector(keys, std::numeric_limits<Key>::infinity(),
                                             {.or_equal = true, .inverted = order.descends});
    sort_floats<Bits>(order.descends ? keys.subspan(cut) : keys.first(cut), order);
    return;
  }
  sort_numbers(std::span(reinterpret_cast<Bits*>(keys.data()), keys.size()), order);
  exchange_for_ordered_bits<Bits>(keys);
}

/// As 128-bit integers, so that records of one key are ordered by their values: VQSort of Highway
/// 1.0.3 loses values of equal keys when it sorts K64V64.
void sort_records(std::span<Record> records, ByKey order) {
  static_assert(sizeof(Record) == sizeof(hwy::uint128_t));
  sort_by_highway(reinterpret_cast<hwy::uint128_t*>(records.data()), records.size(), order);
}

}  // namespace

void vector_sort(std::span<std::int32_t> keys, ByKey order) { sort_numbers(keys, order); }
void vector_sort(std::span<std::uint32_t> keys, ByKey order) { sort_numbers(keys, order); }
void vector_sort(std::span<std::int64_t> keys, ByKey order) { sort_numbers(keys, order); }
void vector_sort(std::span<std::uint64_t> keys, ByKey order) { sort_numbers(keys, order); }
void vector_sort(std::span<float> keys, ByKey order) { sort_floats<std::int32_t>(keys, order); }
void vector_sort(std::span<double> keys, ByKey order) { sort_floats<std::int64_t>(keys, order); }
void vector_sort(std::span<Record> keys, ByKey order) { sort_records(keys, order); }

}  // namespace cleave::quicksort
