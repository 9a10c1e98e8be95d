// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/local_sort.hpp"

#include <hwy/contrib/sort/vqsort.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include <cleave/random.hpp>

namespace cleave::quicksort {

namespace {

constexpr std::size_t kSamples = 4096;

template <class Key>
void sort_by_highway(Key* keys, std::size_t count, ByKey order) {
  const TargetsFor<Key> targets;
  const hwy::Sorter sorter;
  if (order.descends) {
    sorter(keys, count, hwy::SortDescending());
  } else {
    sorter(keys, count, hwy::SortAscending());
  }
}

/// Floats are sorted as such in nine tenths of the time of integers. VQSort of Highway 1.0.3 then
/// loses infinities, NaN and one of 0 and -0. The bounds of `sample` must exclude them. Beside a
/// frequent key it may leave keys out of order, or take long. It subtracts the epsilon of 1 from
/// keys of any size. \param sample  as for sort_parts, or empty
template <class Key>
void sort_in_cache(std::span<Key> keys, ByKey order, std::span<const Key> sample = {}) {
  if constexpr (std::floating_point<Key>) {
    const Key of_bounds = sample.empty() ? 0 : sample.front() / sample.back();
    if (of_bounds > 0 && std::isfinite(of_bounds) &&
        std::adjacent_find(sample.begin(), sample.end()) == sample.end()) {
      sort_by_highway(keys.data(), keys.size(), order);
      int descents = 0;
      for (std::size_t i = 1; i < keys.size(); ++i) {  // by vectors, as it has one exit
        descents += (order.descends ? keys[i - 1] < keys[i] : keys[i] < keys[i - 1]) ? 1 : 0;
      }
      if (descents == 0) {
        return;
      }
    }
    using Bits = std::conditional_t<sizeof(Key) == 4, std::int32_t, std::int64_t>;
    exchange_for_ordered_bits(keys);
    sort_by_highway(reinterpret_cast<Bits*>(keys.data()), keys.size(), order);
    exchange_for_ordered_bits(keys);
    // NaN with a sign lie before all numbers, or behind them when descending.
    const auto is_number = [](Key key) { return !std::isnan(key); };
    const auto first = order.descends ? std::find_if(keys.rbegin(), keys.rend(), is_number).base()
                                      : std::find_if(keys.begin(), keys.end(), is_number);
    std::rotate(keys.begin(), first, keys.end());
  } else {
    sort_by_highway(keys.data(), keys.size(), order);
  }
}

/// `key_at(i)` of `count` random places i below `size`, in ascending order.
template <class KeyAt>
auto sorted_sample(std::size_t count, std::size_t size, KeyAt&& key_at) {
  const CounterRandom random(0);
  std::vector<std::decay_t<decltype(key_at(0))>> keys(count);
  for (std::size_t i = 0; i < count; ++i) {
    keys[i] = key_at(below(random(i), std::uint64_t{size}));
  }
  vector_sort(std::span(keys), ByKey{});
  return keys;
}

template <class Key>
inline constexpr std::size_t kMaxInCache = (std::size_t{512} << 10) / sizeof(Key);

/// Partitions keys by quantiles of `sample` until they lie in the cache next to the core, and sorts
/// them there. \param sample  in ascending order, without NaN, between two bounds of the keys
template <class Key>
void sort_parts(std::span<Key> keys, std::span<const Key> sample, ByKey order) {
  if (keys.size() <= kMaxInCache<Key> || sample.size() < 3 || sample[1] == sample.end()[-2]) {
    sort_in_cache(keys, order, sample);
    return;
  }
  const Key pivot = sample[sample.size() / 2];
  const auto ties = std::equal_range(sample.begin(), sample.end(), pivot);
  const bool or_equal = pivot == sample[1];
  const auto of_lesser = (or_equal ? ties.second : ties.first) - sample.begin();
  const std::size_t cut =
      partition_vector(keys, pivot, {.or_equal = or_equal, .inverted = order.descends});
  const auto [first, second] = std::pair(keys.first(cut), keys.subspan(cut));
  sort_parts(order.descends ? second : first, sample.first(of_lesser + 1), order);
  sort_parts(order.descends ? first : second, sample.subspan(of_lesser - 1), order);
}

template <class Key>
void sort_numbers(std::span<Key> keys, ByKey order) {
  // VQSort partitions 32-bit integers as fast.
  if ((std::integral<Key> && sizeof(Key) == 4) || keys.size() <= kMaxInCache<Key>) {
    sort_in_cache(keys, order);
    return;
  }
  using Limits = std::numeric_limits<Key>;
  const Key greatest = Limits::has_infinity ? Limits::infinity() : Limits::max();
  auto sample = sorted_sample(64 * keys.size() / kMaxInCache<Key>, keys.size(),
                              [&](auto i) { return keys[i] == keys[i] ? keys[i] : greatest; });
  sample.insert(sample.begin(), Limits::has_infinity ? -greatest : Limits::lowest());
  sample.push_back(greatest);
  sort_parts(keys, std::span<const Key>(sample), order);
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
  const auto keys =
      sorted_sample(kSamples, records.size(), [records](std::size_t i) { return records[i].key; });
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
void vector_sort(std::span<float> keys, ByKey order) { sort_numbers(keys, order); }
void vector_sort(std::span<double> keys, ByKey order) { sort_numbers(keys, order); }
void vector_sort(std::span<Record> keys, ByKey order) { sort_records(keys, order); }

}  // namespace cleave::quicksort
