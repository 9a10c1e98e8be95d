// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/local_sort.hpp"

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <utility>

#include <cleave/random.hpp>

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

/// Floats are sorted as integers: VQSort of Highway 1.0.3 leaves some sequences of floats out of
/// order (2^20 keys of 2^20 values by Zipf's law).
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

/// Records are sorted as 128-bit integers, so that those of one key are ordered by their values:
/// VQSort of Highway 1.0.3 loses values of equal keys when it sorts K64V64.
void sort_by_vqsort(std::span<Record> records, ByKey order) {
  static_assert(sizeof(Record) == sizeof(hwy::uint128_t));
  sort_by_highway(reinterpret_cast<hwy::uint128_t*>(records.data()), records.size(), order);
}

constexpr std::size_t kBucketRecords = 8192;  // 128 KiB: half of a small second-level cache
constexpr std::size_t kMaxBuckets = 1024;     // the cache lines that are written at lie there too
constexpr std::size_t kMinBuckets = 64;       // of 8 MiB: less lies in a third-level cache
constexpr std::size_t kSamples = 4096;

/// Buckets of equal ranges of keys; the first and the last also have the keys beyond.
struct Buckets {
  std::uint64_t least = 0;
  int shift = 0;
  std::size_t count = 0;

  std::size_t of(std::uint64_t key) const {
    const std::uint64_t distance = key > least ? key - least : 0;
    return std::min<std::uint64_t>(distance >> shift, count - 1);
  }
};

/// At most `wanted` buckets, if they are about as full. Of a sample of the keys a tenth at most may
/// be what buckets have beyond four times the mean.
std::optional<Buckets> even_buckets(std::span<const Record> records, std::size_t wanted) {
  const CounterRandom random(0);
  std::array<std::uint64_t, kSamples> keys{};
  for (std::size_t i = 0; i < kSamples; ++i) {
    keys[i] = records[below(random(i), std::uint64_t{records.size()})].key;
  }
  vector_sort(std::span(keys), ByKey{});
  const std::uint64_t range = keys.back() - keys.front();
  Buckets buckets{.least = keys.front(), .shift = static_cast<int>(std::bit_width(range / wanted))};
  buckets.count = (range >> buckets.shift) + 1;
  const std::size_t most = std::max(4 * kSamples / wanted, std::size_t{16});
  std::size_t beyond = 0;
  for (std::size_t i = most; i < kSamples; ++i) {
    beyond += buckets.of(keys[i]) == buckets.of(keys[i - most]) ? 1 : 0;
  }
  return beyond * 10 <= kSamples ? std::optional(buckets) : std::nullopt;
}

/// Swaps every record to its bucket's next place. Bucket b has the places from `next[b]` to
/// `ends[b]`. In place, and most swaps do not wait for one another (American flag sort: McIlroy,
/// Bostic, McIlroy, "Engineering radix sort", 1993).
void swap_to_buckets(std::span<Record> records, const Buckets& buckets, std::size_t* next,
                     const std::size_t* ends) {
  for (bool is_done = false; !is_done;) {
    is_done = true;
    for (std::size_t bucket = 0; bucket < buckets.count; ++bucket) {
      for (std::size_t i = next[bucket]; i < ends[bucket]; ++i) {
        Record& place = records[next[buckets.of(records[i].key)]++];
        __builtin_prefetch(&place + 8, 1);
        std::swap(records[i], place);
      }
      is_done = is_done && next[bucket] == ends[bucket];
    }
  }
}

/// Many records are passed over once, to their buckets, and sorted in the cache.
void sort_records(std::span<Record> records, ByKey order) {
  const std::size_t wanted = std::min(records.size() / kBucketRecords, kMaxBuckets);
  const auto buckets = wanted < kMinBuckets ? std::nullopt : even_buckets(records, wanted);
  if (!buckets) {
    sort_by_vqsort(records, order);
    return;
  }
  std::array<std::size_t, kMaxBuckets> next{};
  std::array<std::size_t, kMaxBuckets> ends{};
  for (const Record& record : records) {
    ++ends[buckets->of(record.key)];
  }
  std::size_t end = 0;
  for (std::size_t i = 0; i < buckets->count; ++i) {
    const std::size_t bucket = order.descends ? buckets->count - 1 - i : i;
    next[bucket] = end;
    end += ends[bucket];
    ends[bucket] = end;
  }
  const auto firsts = next;
  swap_to_buckets(records, *buckets, next.data(), ends.data());
  for (std::size_t bucket = 0; bucket < buckets->count; ++bucket) {
    sort_by_vqsort(records.subspan(firsts[bucket], ends[bucket] - firsts[bucket]), order);
  }
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
