// SPDX-License-Identifier: Apache-2.0
// Which vector instructions Highway takes.
#pragma once

#include <hwy/targets.h>

#include <cstdint>

namespace cleave::quicksort {

/// While it lives, Highway sorts and partitions by AVX2 in place of AVX-512 on AMD's processors,
/// whatever the thread. For keys of 32 bits: their vectors are compressed by an instruction that
/// these processors run as microcode. For 4M keys VQSort of Highway 1.0.3 takes seven times as
/// long by it on Zen 4. Versions of Highway that know Zen 4 do without it.
/// Cost: two stores.
class TargetsFor32Bits {
 public:
  TargetsFor32Bits() {
    if (kIsSlow) {
      hwy::GetChosenTarget().Update(kSupported & ~kAvx512);
    }
  }
  ~TargetsFor32Bits() {
    if (kIsSlow) {
      hwy::GetChosenTarget().Update(kSupported);
    }
  }
  TargetsFor32Bits(const TargetsFor32Bits&) = delete;
  TargetsFor32Bits& operator=(const TargetsFor32Bits&) = delete;

 private:
#if HWY_ARCH_X86 && !defined(HWY_AVX3_ZEN4)
  static constexpr std::int64_t kAvx512 = HWY_AVX3 | HWY_AVX3_DL;
  inline static const std::int64_t kSupported = hwy::SupportedTargets();
  inline static const bool kIsSlow = __builtin_cpu_is("amd") != 0 && (kSupported & kAvx512) != 0;
#else
  static constexpr std::int64_t kAvx512 = 0;
  static constexpr std::int64_t kSupported = 0;
  static constexpr bool kIsSlow = false;
#endif
};

}  // namespace cleave::quicksort
