// SPDX-License-Identifier: Apache-2.0
// In-place partition of keys by the vector instructions of the processor that it runs on.
#pragma once

#include <hwy/targets.h>

#include <cstddef>
#include <cstdint>
#include <span>

#include "apps/quicksort/keys.hpp"

namespace cleave::quicksort {

/// Which keys come first: those before `pivot` in ascending order, or those before and equal to it;
/// or, inverted, all others.
struct FirstKeys {
  bool or_equal = false;
  bool inverted = false;
};

/// Reorders `keys` so that those that `first` says come first. Keys equal to NaN, a `pivot` that is
/// NaN excepted, count as greater than every number (ByKey).
///
/// One pass of one read and one write, without branches that depend on keys: 0.2 ns for a 32-bit
/// key in the cache, memory bandwidth beyond it. Bidirectional as in Highway's VQSort (Blacher et
/// al., "Vectorized and performance-portable quicksort", 2022). \return  how many come first \pre
/// `pivot` is not NaN
std::size_t partition_vector(std::span<std::int32_t> keys, std::int32_t pivot, FirstKeys first);
std::size_t partition_vector(std::span<std::uint32_t> keys, std::uint32_t pivot, FirstKeys first);
std::size_t partition_vector(std::span<std::int64_t> keys, std::int64_t pivot, FirstKeys first);
std::size_t partition_vector(std::span<std::uint64_t> keys, std::uint64_t pivot, FirstKeys first);
std::size_t partition_vector(std::span<float> keys, float pivot, FirstKeys first);
std::size_t partition_vector(std::span<double> keys, double pivot, FirstKeys first);
std::size_t partition_vector(std::span<Record> keys, Record pivot, FirstKeys first);

/// Makes integers of numbers, or numbers again: as integers, their bytes have the numbers' order.
void exchange_for_ordered_bits(std::span<float> keys);
void exchange_for_ordered_bits(std::span<double> keys);

/// While it lives, Highway handles keys of 32 bits by AVX2 in place of AVX-512 on AMD's Zen 4,
/// whatever the thread: their vectors are compressed by an instruction that is microcode there. For
/// 4M keys VQSort of Highway 1.0.3 takes seven times as long by it; on Zen 5 it takes three
/// quarters of the time of AVX2. Versions of Highway that know Zen 4 do without it. Cost: two
/// stores.
template <class Key>
class TargetsFor {
 public:
  TargetsFor() {
    if (kIsSlow) {
      hwy::GetChosenTarget().Update(kSupported & ~kAvx512);
    }
  }
  ~TargetsFor() {
    if (kIsSlow) {
      hwy::GetChosenTarget().Update(kSupported);
    }
  }
  TargetsFor(const TargetsFor&) = delete;
  TargetsFor& operator=(const TargetsFor&) = delete;

 private:
#if HWY_ARCH_X86 && !defined(HWY_AVX3_ZEN4)
  static constexpr std::int64_t kAvx512 = HWY_AVX3 | HWY_AVX3_DL;
  inline static const std::int64_t kSupported = hwy::SupportedTargets();
  inline static const bool kIsSlow =
      sizeof(Key) == 4 && __builtin_cpu_is("amdfam19h") != 0 && (kSupported & kAvx512) != 0;
#else
  static constexpr std::int64_t kAvx512 = 0;
  static constexpr std::int64_t kSupported = 0;
  static constexpr bool kIsSlow = false;
#endif
};

}  // namespace cleave::quicksort
