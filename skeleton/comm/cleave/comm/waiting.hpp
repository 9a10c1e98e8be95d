// SPDX-License-Identifier: Apache-2.0
// How a thread waits.
#pragma once

#include <sched.h>
#include <time.h>

#include <cstdint>

#include <cleave/trace.hpp>

namespace cleave::detail {

/// monotonic_ns of the last tick of the system's timer, every 1 to 10 ms. Cost: 5 ns.
inline std::int64_t coarse_monotonic_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

inline constexpr std::int64_t kSpin_ns = 1'000;
inline constexpr std::int64_t kNap_ns = 50'000;

/// How long a pause is after so many tries, where nobody else needs the core.
inline std::int64_t pause_ns(int tries) {
  constexpr int kSpins = 2'000;
  return tries < kSpins ? kSpin_ns : kNap_ns;
}

/// Leaves the core to others, the longer the more surely where there are others (`is_polite`).
inline void pause_thread(int tries, bool is_polite) {
  constexpr int kYields = 20;
  if (is_polite && tries < kYields) {
    ::sched_yield();
  } else if (!is_polite && pause_ns(tries) == kSpin_ns) {
    for (const std::int64_t begin_ns = monotonic_ns(); monotonic_ns() - begin_ns < kSpin_ns;) {
    }
    if (tries % 64 == 63) {
      ::sched_yield();
    }
  } else {
    const timespec nap{.tv_sec = 0, .tv_nsec = kNap_ns};
    ::nanosleep(&nap, nullptr);
  }
}

}  // namespace cleave::detail
