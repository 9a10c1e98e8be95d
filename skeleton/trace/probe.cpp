// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <limits>

#include <cleave/trace.hpp>
#include <cleave/trace/probe.hpp>

namespace cleave::detail {

namespace {

/// Four chains of operations, of which none waits for another.
std::int64_t try_ns() {
  constexpr std::uint64_t kSteps = 125000;
  std::uint64_t a = 1;
  std::uint64_t b = 2;
  std::uint64_t c = 3;
  std::uint64_t d = 4;
  std::uint64_t e = 5;
  std::uint64_t f = 6;
  std::uint64_t g = 7;
  std::uint64_t h = 8;
  const std::int64_t begin_ns = monotonic_ns();
  for (std::uint64_t i = 0; i < kSteps; ++i) {
    a += i;
    b ^= a;
    c += i;
    d ^= c;
    e += i;
    f ^= e;
    g += i;
    h ^= g;
    // All are taken to be used in every step, so that none is left out or reckoned ahead.
    asm volatile("" ::"r"(a), "r"(b), "r"(c), "r"(d), "r"(e), "r"(f), "r"(g), "r"(h));
  }
  return monotonic_ns() - begin_ns;
}

}  // namespace

std::int64_t probe_ns() {
  constexpr int kTries = 4;
  std::int64_t minimum = std::numeric_limits<std::int64_t>::max();
  for (int i = 0; i < kTries; ++i) {
    minimum = std::min(minimum, try_ns());
  }
  return minimum;
}

}  // namespace cleave::detail
