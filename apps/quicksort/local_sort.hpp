// SPDX-License-Identifier: Apache-2.0
// Sorts and partitions the keys of one rank, as fast as one core can.
#pragma once

#include <algorithm>
#include <boost/sort/pdqsort/pdqsort.hpp>
#include <cstddef>
#include <span>

#include "apps/quicksort/keys.hpp"
#include "apps/quicksort/vector_partition.hpp"

namespace cleave::quicksort {

/// Highway's VQSort, with NaN where ByKey has it. Not stable.
void vector_sort(std::span<std::int32_t> keys, ByKey order);
void vector_sort(std::span<std::uint32_t> keys, ByKey order);
void vector_sort(std::span<std::int64_t> keys, ByKey order);
void vector_sort(std::span<std::uint64_t> keys, ByKey order);
void vector_sort(std::span<float> keys, ByKey order);
void vector_sort(std::span<double> keys, ByKey order);
void vector_sort(std::span<Record> keys, ByKey order);

template <class Key, class Order>
inline constexpr bool kIsVectorSorted = VectorKey<Key> && std::same_as<Order, ByKey>;

/// By vector_sort where the keys and their order allow it, else by Boost's pattern-defeating
/// quicksort. Not stable.
template <class Key, class Order>
void local_sort(std::span<Key> keys, const Order& order) {
  if constexpr (kIsVectorSorted<Key, Order>) {
    vector_sort(keys, order);
  } else {
    boost::sort::pdqsort(keys.begin(), keys.end(), order);
  }
}

/// Puts that key at `place` which a sort would put there, none after it before it. Sorting by
/// vectors takes a third of the time of a selection, whose branches depend on the keys.
template <class Key, class Order>
void local_select(std::span<Key> keys, std::size_t place, const Order& order) {
  if constexpr (kIsVectorSorted<Key, Order>) {
    vector_sort(keys, order);
  } else {
    std::nth_element(keys.begin(), keys.begin() + static_cast<std::ptrdiff_t>(place), keys.end(),
                     order);
  }
}

/// Moves the keys that come before `pivot`, and with `or_equal` those equal to it, to the front;
/// or, `inverted`, all others. One pass. \return  how many are at the front then
template <class Key, class Order>
std::size_t local_partition(std::span<Key> keys, const Key& pivot, FirstKeys first,
                            const Order& order) {
  if constexpr (kIsVectorSorted<Key, Order>) {
    bool is_nan = false;
    if constexpr (std::floating_point<Key>) {
      is_nan = std::isnan(pivot);
    }
    if (!is_nan) {
      // k comes before the pivot in descending order unless k <= pivot in ascending order.
      return partition_vector(keys, pivot,
                              {.or_equal = first.or_equal != order.descends,
                               .inverted = first.inverted != order.descends});
    }
  }
  std::size_t cut = 0;
  for (Key& place : keys) {  // without a branch that depends on keys
    const Key key = place;
    const bool comes_first = first.or_equal ? !order(pivot, key) : order(key, pivot);
    place = keys[cut];
    keys[cut] = key;
    cut += comes_first != first.inverted ? 1 : 0;
  }
  return cut;
}

}  // namespace cleave::quicksort
