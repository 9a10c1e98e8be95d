#include "apps/quicksort/local_sort.hpp"

#include <hwy/contrib/sort/vqsort.h>

#include <limits>

namespace cleave {

namespace {

hwy::SortAscending order_of(Ascending) { return {}; }
hwy::SortDescending order_of(Descending) { return {}; }

template <class Key, class Order>
void sort_numbers(std::span<Key> keys, Order order) {
  const hwy::Sorter sorter;
  sorter(keys.data(), keys.size(), order_of(order));
}

template <class Key, class Order>
void sort_floats(std::span<Key> keys, Order order) {
  bool has_nan = false;
  for (const Key key : keys) {
    has_nan |= key != key;
  }
  if (has_nan) {
    // VQSort does not know NaN.
    constexpr bool kNumbersFirst = std::same_as<Order, Ascending>;
    const std::size_t cut = partition_vector(keys, std::numeric_limits<Key>::infinity(),
                                             {.or_equal = true, .inverted = !kNumbersFirst});
    keys = kNumbersFirst ? keys.first(cut) : keys.subspan(cut);
  }
  sort_numbers(keys, order);
}

}  // namespace

void vector_sort(std::span<std::int32_t> keys, Ascending order) { sort_numbers(keys, order); }
void vector_sort(std::span<std::int32_t> keys, Descending order) { sort_numbers(keys, order); }
void vector_sort(std::span<std::int64_t> keys, Ascending order) { sort_numbers(keys, order); }
void vector_sort(std::span<std::int64_t> keys, Descending order) { sort_numbers(keys, order); }
void vector_sort(std::span<std::uint64_t> keys, Ascending order) { sort_numbers(keys, order); }
void vector_sort(std::span<std::uint64_t> keys, Descending order) { sort_numbers(keys, order); }
void vector_sort(std::span<float> keys, Ascending order) { sort_floats(keys, order); }
void vector_sort(std::span<float> keys, Descending order) { sort_floats(keys, order); }
void vector_sort(std::span<double> keys, Ascending order) { sort_floats(keys, order); }
void vector_sort(std::span<double> keys, Descending order) { sort_floats(keys, order); }
void vector_sort(std::span<Record> keys, Ascending order) { sort_numbers(keys, order); }
void vector_sort(std::span<Record> keys, Descending order) { sort_numbers(keys, order); }

}  // namespace cleave
