// SPDX-License-Identifier: Apache-2.0
#include "tests/benchmarks/sha1_rate.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>

#include "apps/uts/kernel.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#define CLEAVE_SHA __attribute__((target("sha,sse4.1")))
#define CLEAVE_SHA_INLINE __attribute__((target("sha,sse4.1"), always_inline)) inline
#endif

namespace cleave::benchmarks {

namespace {

constexpr int kHashes = 1 << 14;  // of one measurement
constexpr int kMeasurements = 100;

/// The most hashes a second that `hash_some`, which makes kHashes, is seen to make.
template <class HashSome>
double best_rate(HashSome&& hash_some) {
  using Clock = std::chrono::steady_clock;
  double best = 0;
  for (int i = 0; i < kMeasurements; ++i) {
    const auto begin = Clock::now();
    hash_some();
    const double seconds = std::chrono::duration<double>(Clock::now() - begin).count();
    best = std::max(best, kHashes / seconds);
  }
  return best;
}

/// Keeps a result, so that it is computed.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "g"(&value) : "memory");
}

double openssl_rate() {
  return best_rate([] {
    uts::Siblings only{.last = 1};
    uts::NodeIds ids;
    for (int i = 0; i < kHashes; ++i) {
      only.parent.id[0] = static_cast<std::uint32_t>(i);
      uts::child_ids_by_openssl(std::span(&only, 1), ids);
      keep(ids);
    }
  });
}

#if defined(__x86_64__)

template <int lanes>
struct Lanes {
  __m128i words[lanes][4];  // the last 16 of the schedule
  __m128i now[lanes];       // a, b, c, d
  __m128i before[lanes];    // of four rounds before
};

template <int lanes, int group>
CLEAVE_SHA_INLINE void run_groups(Lanes<lanes>& state) {
  if constexpr (group < 20) {
    for (int lane = 0; lane < lanes; ++lane) {
      __m128i(&w)[4] = state.words[lane];
      __m128i& word = w[group % 4];
      if constexpr (group >= 4) {
        word = _mm_sha1msg2_epu32(
            _mm_xor_si128(_mm_sha1msg1_epu32(word, w[(group + 1) % 4]), w[(group + 2) % 4]),
            w[(group + 3) % 4]);
      }
      const __m128i summand = group == 0 ? _mm_add_epi32(state.before[lane], word)
                                         : _mm_sha1nexte_epu32(state.before[lane], word);
      state.before[lane] = state.now[lane];
      state.now[lane] = _mm_sha1rnds4_epu32(state.now[lane], summand, group / 5);
    }
    run_groups<lanes, group + 1>(state);
  }
}

/// The first four words of the hashes of `lanes` messages of 24 bytes that differ in `number`.
template <int lanes>
CLEAVE_SHA void hash(std::uint32_t number, __m128i* hashes) {
  const __m128i first = _mm_set_epi32(0x67452301, static_cast<int>(0xefcdab89),
                                      static_cast<int>(0x98badcfe), 0x10325476);
  const __m128i first_e = _mm_set_epi32(static_cast<int>(0xc3d2e1f0), 0, 0, 0);
  Lanes<lanes> state;
  for (int lane = 0; lane < lanes; ++lane) {
    const int own = static_cast<int>(number) + lane;
    state.words[lane][0] = _mm_set_epi32(own, 1, 2, 3);
    state.words[lane][1] = _mm_set_epi32(own, own, static_cast<int>(0x80000000), 0);
    state.words[lane][2] = _mm_setzero_si128();
    state.words[lane][3] = _mm_set_epi32(0, 0, 0, 8 * 24);
    state.now[lane] = first;
    state.before[lane] = first_e;
  }
  run_groups<lanes, 0>(state);
  for (int lane = 0; lane < lanes; ++lane) {
    hashes[lane] = _mm_add_epi32(state.now[lane], first);
  }
}

template <int lanes>
double sha_rate() {
  return best_rate([] {
    __m128i hashes[lanes];
    for (std::uint32_t i = 0; i < kHashes; i += lanes) {
      hash<lanes>(i, hashes);
      keep(hashes);
    }
  });
}

double sha_extensions_rate() {
  return std::max({sha_rate<1>(), sha_rate<2>(), sha_rate<3>(), sha_rate<4>()});
}

#else

double sha_extensions_rate() { return 0; }

#endif

}  // namespace

double best_sha1_rate() {
  return std::max(openssl_rate(), uts::has_sha_extensions() ? sha_extensions_rate() : 0.0);
}

}  // namespace cleave::benchmarks
