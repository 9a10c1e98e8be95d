// SPDX-License-Identifier: Apache-2.0
#include "apps/quicksort/vector_partition.hpp"

#include <array>
#include <utility>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "apps/quicksort/vector_partition.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/cache_control.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cleave::quicksort::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

/// Keys of one lane each.
template <class Key, bool kOrEqual>
struct LaneTest {
  using Lane = Key;
  static constexpr std::size_t kLanes = 1;

  template <class D, class V>
  static HWY_INLINE auto mask(D, V keys, V pivots) {
    if constexpr (kOrEqual && std::floating_point<Key>) {
      return hn::Le(keys, pivots);
    } else if constexpr (kOrEqual) {
      return hn::Not(hn::Lt(pivots, keys));
    } else {
      return hn::Lt(keys, pivots);
    }
  }
  static HWY_INLINE bool one(const Key* key, const Key* pivot) {
    return kOrEqual ? *key <= *pivot : *key < *pivot;
  }
};

/// Records: the key is the upper of two lanes.
template <class Key, bool kOrEqual>
struct RecordTest {
  using Lane = Key;
  static constexpr std::size_t kLanes = 2;

#if HWY_TARGET != HWY_SCALAR  // which has vectors of one lane
  template <class D, class V>
  static HWY_INLINE auto mask(D d, V records, V pivots) {
    const auto of_lanes = LaneTest<Lane, kOrEqual>::mask(d, records, pivots);
    return hn::MaskFromVec(hn::DupOdd(hn::VecFromMask(d, of_lanes)));
  }
#endif
  static HWY_INLINE bool one(const Lane* record, const Lane* pivot) {
    return LaneTest<Lane, kOrEqual>::one(record + 1, pivot + 1);
  }
};

#if HWY_TARGET != HWY_SCALAR
/// The lanes of `v` in `mask`, `count` of them, then the others. In registers, even where stores
/// can leave lanes out: AMD's processors run such stores as microcode, Intel's where they meet a
/// page for the first time.
template <class D, class V, class Mask>
HWY_INLINE V partitioned(D d, V v, Mask mask, std::size_t count) {
  if constexpr (hn::CompressIsPartition<hn::TFromD<D>>::value) {
    return hn::Compress(v, mask);
  } else {
    using Index = hwy::MakeSigned<hn::TFromD<D>>;
    const hn::Rebind<Index, D> indices;
    const auto last = static_cast<Index>(hn::Lanes(d) - 1);
    // Iota of a number that is not constant would be made lane by lane in memory.
    const auto shifted = hn::Sub(hn::Iota(indices, 0), hn::Set(indices, static_cast<Index>(count)));
    const auto rotation = hn::And(shifted, hn::Set(indices, last));
    const V others =
        hn::TableLookupLanes(hn::Compress(v, hn::Not(mask)), hn::IndicesFromVec(d, rotation));
    return hn::IfThenElse(hn::FirstN(d, count), hn::Compress(v, mask), others);
  }
}

/// Stores the lanes of `v` that come first at `write_left`, the others below `write_right`. A whole
/// vector is written at either place.
template <class Test, class D, class V, class Mask, class Lane>
HWY_INLINE void put(D d, V v, V pivots, Mask flip, Lane* HWY_RESTRICT lanes,
                    std::size_t& write_left, std::size_t& write_right) {
  const std::size_t per_vector = hn::Lanes(d);
  const auto mask = hn::Xor(Test::mask(d, v, pivots), flip);
  const std::size_t to_left = hn::CountTrue(d, mask);
  const V both = partitioned(d, v, mask, to_left);
  hn::StoreU(both, d, lanes + write_left);
  hn::StoreU(both, d, lanes + write_right - per_vector);
  write_left += to_left;
  write_right -= per_vector - to_left;
}

/// The lanes of one element, over and over.
template <std::size_t kLanes, class D, class Lane = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> repeated(D d, const Lane* element) {
  std::array<Lane, HWY_MAX_BYTES / sizeof(Lane)> lanes;
  for (std::size_t i = 0; i < hn::Lanes(d); ++i) {
    lanes[i] = element[i % kLanes];
  }
  return hn::LoadU(d, lanes.data());
}
#endif

/// Fetches the cache lines of `count` lanes from `first` on.
template <class Lane>
HWY_INLINE void fetch(const Lane* first, std::size_t count) {
  constexpr std::size_t kCacheLine = 64;
  for (std::size_t i = 0; i < count; i += kCacheLine / sizeof(Lane)) {
    hwy::Prefetch(first + i);
  }
}

/// Vectors are taken from whichever end has less free room, and each goes to both ends. Its first
/// lanes go to the left, the others to the right. `kAtOnce` vectors of either end are kept aside at
/// first, so that there is always room.
template <class Test, class Lane = typename Test::Lane>
HWY_INLINE std::size_t partition_lanes(Lane* HWY_RESTRICT lanes, std::size_t elements,
                                       const Lane* pivot, bool inverted) {
  const std::size_t count = elements * Test::kLanes;
  std::size_t write_left = 0;
  std::size_t done = 0;
#if HWY_TARGET != HWY_SCALAR
  constexpr std::size_t kAtOnce = 4;
  constexpr std::size_t kAhead = 1024 / sizeof(Lane);
  const hn::ScalableTag<Lane> d;
  using V = hn::Vec<decltype(d)>;
  const std::size_t per_vector = hn::Lanes(d);
  const std::size_t chunk = kAtOnce * per_vector;
  const std::size_t in_chunks = count - count % chunk;
  if (in_chunks >= 2 * chunk) {
    const V pivots = repeated<Test::kLanes>(d, pivot);
    const auto flip =
        hn::MaskFromVec(hn::BitCast(d, hn::Set(hn::RebindToUnsigned<decltype(d)>(),
                                               inverted ? ~hwy::MakeUnsigned<Lane>{0} : 0)));
    std::size_t write_right = in_chunks;
    std::size_t read_left = chunk;
    std::size_t read_right = in_chunks - chunk;
    const V l0 = hn::LoadU(d, lanes);
    const V l1 = hn::LoadU(d, lanes + per_vector);
    const V l2 = hn::LoadU(d, lanes + 2 * per_vector);
    const V l3 = hn::LoadU(d, lanes + 3 * per_vector);
    const V r0 = hn::LoadU(d, lanes + read_right);
    const V r1 = hn::LoadU(d, lanes + read_right + per_vector);
    const V r2 = hn::LoadU(d, lanes + read_right + 2 * per_vector);
    const V r3 = hn::LoadU(d, lanes + read_right + 3 * per_vector);
    const auto put_four = [&](V a, V b, V c, V e) __attribute__((always_inline)) {
      put<Test>(d, a, pivots, flip, lanes, write_left, write_right);
      put<Test>(d, b, pivots, flip, lanes, write_left, write_right);
      put<Test>(d, c, pivots, flip, lanes, write_left, write_right);
      put<Test>(d, e, pivots, flip, lanes, write_left, write_right);
    };
    while (read_left < read_right) {
      const Lane* from = nullptr;
      if (read_left - write_left <= write_right - read_right) {
        from = lanes + read_left;
        read_left += chunk;
        fetch(from + kAhead, chunk);
      } else {
        read_right -= chunk;
        from = lanes + read_right;
        fetch(from - kAhead, chunk);
      }
      const V v0 = hn::LoadU(d, from);
      const V v1 = hn::LoadU(d, from + per_vector);
      const V v2 = hn::LoadU(d, from + 2 * per_vector);
      const V v3 = hn::LoadU(d, from + 3 * per_vector);
      put_four(v0, v1, v2, v3);
    }
    put_four(l0, l1, l2, l3);
    put_four(r0, r1, r2, r3);
    done = in_chunks;
  }
#endif

  for (std::size_t i = done; i < count; i += Test::kLanes) {
    if (Test::one(lanes + i, pivot) != inverted) {
      for (std::size_t lane = 0; lane < Test::kLanes; ++lane) {
        std::swap(lanes[i + lane], lanes[write_left + lane]);
      }
      write_left += Test::kLanes;
    }
  }
  return write_left / Test::kLanes;
}

#define CLEAVE_PARTITION(Name, Test, Key)                                                          \
  HWY_NOINLINE std::size_t Name(Key* keys, std::size_t count, const Key* pivot, FirstKeys first) { \
    return first.or_equal ? partition_lanes<Test<Key, true>>(keys, count, pivot, first.inverted)   \
                          : partition_lanes<Test<Key, false>>(keys, count, pivot, first.inverted); \
  }
CLEAVE_PARTITION(partition_int32, LaneTest, std::int32_t)
CLEAVE_PARTITION(partition_uint32, LaneTest, std::uint32_t)
CLEAVE_PARTITION(partition_int64, LaneTest, std::int64_t)
CLEAVE_PARTITION(partition_uint64, LaneTest, std::uint64_t)
CLEAVE_PARTITION(partition_float, LaneTest, float)
CLEAVE_PARTITION(partition_double, LaneTest, double)
CLEAVE_PARTITION(partition_records, RecordTest, std::uint64_t)
#undef CLEAVE_PARTITION

template <class Key>
HWY_INLINE void exchange_numbers(Key* keys, std::size_t count) {
  std::size_t i = 0;
  const auto exchange = [&](auto d) {
    const hn::RebindToSigned<decltype(d)> bits_d;
    const hn::RebindToUnsigned<decltype(d)> unsigned_d;
    for (; i + hn::Lanes(d) <= count; i += hn::Lanes(d)) {
      const auto some = hn::LoadU(d, keys + i);
      const auto sign = hn::BroadcastSignBit(hn::BitCast(bits_d, some));
      const auto all_but_sign = hn::ShiftRight<1>(hn::BitCast(unsigned_d, sign));
      hn::StoreU(hn::Xor(some, hn::BitCast(d, all_but_sign)), d, keys + i);
    }
  };
  exchange(hn::ScalableTag<Key>());
  exchange(hn::CappedTag<Key, 1>());
}

HWY_NOINLINE void exchange(void* numbers, std::size_t count, bool are_doubles) {
  are_doubles ? exchange_numbers(static_cast<double*>(numbers), count)
              : exchange_numbers(static_cast<float*>(numbers), count);
}

}  // namespace cleave::quicksort::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cleave::quicksort {

#define CLEAVE_PARTITION(Name, Key)                                               \
  HWY_EXPORT(Name);                                                               \
  std::size_t partition_vector(std::span<Key> keys, Key pivot, FirstKeys first) { \
    const TargetsFor<Key> targets;                                                \
    return HWY_DYNAMIC_DISPATCH(Name)(keys.data(), keys.size(), &pivot, first);   \
  }
CLEAVE_PARTITION(partition_int32, std::int32_t)
CLEAVE_PARTITION(partition_uint32, std::uint32_t)
CLEAVE_PARTITION(partition_int64, std::int64_t)
CLEAVE_PARTITION(partition_uint64, std::uint64_t)
CLEAVE_PARTITION(partition_float, float)
CLEAVE_PARTITION(partition_double, double)
#undef CLEAVE_PARTITION

HWY_EXPORT(partition_records);
std::size_t partition_vector(std::span<Record> keys, Record pivot, FirstKeys first) {
  if (keys.empty()) {
    return 0;  // it has no first record to point into
  }
  return HWY_DYNAMIC_DISPATCH(partition_records)(&keys.data()->value, keys.size(), &pivot.value,
                                                 first);
}

HWY_EXPORT(exchange);
void exchange_for_ordered_bits(std::span<float> keys) {
  HWY_DYNAMIC_DISPATCH(exchange)(keys.data(), keys.size(), false);
}
void exchange_for_ordered_bits(std::span<double> keys) {
  HWY_DYNAMIC_DISPATCH(exchange)(keys.data(), keys.size(), true);
}

}  // namespace cleave::quicksort
#endif  // HWY_ONCE
