// SPDX-License-Identifier: Apache-2.0
// SHA-1 of the children of each node by the SHA extensions of x86.
//
// The message schedule of SHA-1 is linear over bits: that of (id, i) is that of (id, 0) XOR that of
// (0, i). The first is computed once for a node, and the second is a table. So a child costs one
// XOR for four rounds, where a schedule of its own would take three instructions. The first four
// rounds do not depend on i at all. The rounds of up to four children are interleaved, since each
// of their instructions waits for the one before.
#include <cstddef>

#include "apps/uts/kernel.hpp"

#if defined(__x86_64__)

#include <cpuid.h>
#include <immintrin.h>

// Set on each function, not on the file: the rest of the program runs on any processor.
#define CLEAVE_SHA __attribute__((target("sha,sse4.1")))
#define CLEAVE_SHA_INLINE __attribute__((target("sha,sse4.1"), always_inline)) inline

namespace cleave::uts {

namespace {

constexpr int kGroups = 20;           // of four rounds each
constexpr std::uint32_t kBlock = 32;  // children whose numbers differ in the last five bits only

/// A message schedule as the instructions take it: the first of four words in the highest place.
struct alignas(16) Schedule {
  std::array<std::array<std::uint32_t, 4>, kGroups> groups;
};

/// The schedules of messages of zeros but for word 5, which is 0, 1, ... (FIPS 180-4,
/// section 6.1.2).
constexpr std::array<Schedule, kBlock> make_index_schedules() {
  std::array<Schedule, kBlock> schedules{};
  for (std::uint32_t i = 0; i < kBlock; ++i) {
    std::array<std::uint32_t, 4 * kGroups> words{};
    words[5] = i;
    for (std::size_t t = 16; t < words.size(); ++t) {
      const std::uint32_t sum = words[t - 3] ^ words[t - 8] ^ words[t - 14] ^ words[t - 16];
      words[t] = sum << 1 | sum >> 31;
    }
    for (std::size_t t = 0; t < words.size(); ++t) {
      schedules[i].groups[t / 4][3 - t % 4] = words[t];
    }
  }
  return schedules;
}

constexpr std::array<Schedule, kBlock> kIndexSchedules = make_index_schedules();

/// The part that all children of a block share: the schedule of the first one, and the first four
/// rounds.
struct Common {
  __m128i schedule[kGroups];
  __m128i after_first_group;
};

CLEAVE_SHA_INLINE __m128i first_state() {
  return _mm_set_epi32(0x67452301, static_cast<int>(0xefcdab89), static_cast<int>(0x98badcfe),
                       0x10325476);
}

CLEAVE_SHA_INLINE __m128i first_e() { return _mm_set_epi32(static_cast<int>(0xc3d2e1f0), 0, 0, 0); }

CLEAVE_SHA_INLINE void prepare(const NodeId& parent, std::uint32_t index, Common& common) {
  constexpr int kFirstInHighest = 0x1b;
  constexpr int kMessageBits = 8 * 24;
  __m128i* const w = common.schedule;
  w[0] = _mm_shuffle_epi32(_mm_loadu_si128(reinterpret_cast<const __m128i*>(parent.data())),
                           kFirstInHighest);
  w[1] = _mm_set_epi32(static_cast<int>(parent[4]), static_cast<int>(index),
                       static_cast<int>(0x80000000), 0);
  w[2] = _mm_setzero_si128();
  w[3] = _mm_set_epi32(0, 0, 0, kMessageBits);
  for (int g = 4; g < kGroups; ++g) {
    w[g] = _mm_sha1msg2_epu32(_mm_xor_si128(_mm_sha1msg1_epu32(w[g - 4], w[g - 3]), w[g - 2]),
                              w[g - 1]);
  }
  common.after_first_group = _mm_sha1rnds4_epu32(first_state(), _mm_add_epi32(first_e(), w[0]), 0);
}

/// Registers of `lanes` hashes: a, b, c, d of now and of four rounds before.
template <int lanes>
struct Lanes {
  __m128i now[lanes];
  __m128i before[lanes];
};

template <int lanes, int group>
CLEAVE_SHA_INLINE void run_groups(const Common& common, const Schedule* index_schedules,
                                  Lanes<lanes>& state) {
  if constexpr (group < kGroups) {
    for (int lane = 0; lane < lanes; ++lane) {
      const __m128i index_part =
          _mm_load_si128(reinterpret_cast<const __m128i*>(&index_schedules[lane].groups[group]));
      const __m128i words = _mm_sha1nexte_epu32(state.before[lane],
                                                _mm_xor_si128(common.schedule[group], index_part));
      state.before[lane] = state.now[lane];
      state.now[lane] = _mm_sha1rnds4_epu32(state.now[lane], words, group / 5);
    }
    run_groups<lanes, group + 1>(common, index_schedules, state);
  }
}

/// Stores words of four lanes, the first word of each in its highest place, in rows from `at` on.
CLEAVE_SHA_INLINE void store_rows(const __m128i (&lanes)[4], std::size_t at, NodeIds& ids) {
  const __m128i words_32_of_01 = _mm_unpacklo_epi32(lanes[0], lanes[1]);
  const __m128i words_10_of_01 = _mm_unpackhi_epi32(lanes[0], lanes[1]);
  const __m128i words_32_of_23 = _mm_unpacklo_epi32(lanes[2], lanes[3]);
  const __m128i words_10_of_23 = _mm_unpackhi_epi32(lanes[2], lanes[3]);
  const auto store = [&](std::size_t word, __m128i row) CLEAVE_SHA {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(&ids.words[word][at]), row);
  };
  store(0, _mm_unpackhi_epi64(words_10_of_01, words_10_of_23));
  store(1, _mm_unpacklo_epi64(words_10_of_01, words_10_of_23));
  store(2, _mm_unpackhi_epi64(words_32_of_01, words_32_of_23));
  store(3, _mm_unpacklo_epi64(words_32_of_01, words_32_of_23));
}

/// The ids of `lanes` children, whose numbers within the block select `index_schedules`, stored
/// from `at` on.
template <int lanes>
CLEAVE_SHA_INLINE void hash(const Common& common, const Schedule* index_schedules, std::size_t at,
                            NodeIds& ids) {
  Lanes<lanes> state;
  for (int lane = 0; lane < lanes; ++lane) {
    state.before[lane] = first_state();
    state.now[lane] = common.after_first_group;
  }
  run_groups<lanes, 1>(common, index_schedules, state);
  __m128i abcd[4] = {};
  for (int lane = 0; lane < lanes; ++lane) {
    abcd[lane] = _mm_add_epi32(state.now[lane], first_state());
    const __m128i e = _mm_sha1nexte_epu32(state.before[lane], first_e());
    ids.words[4][at + lane] = static_cast<std::uint32_t>(_mm_extract_epi32(e, 3));
  }
  store_rows(abcd, at, ids);
}

/// The ids of all of `siblings`, stored from `at` on.
CLEAVE_SHA_INLINE void hash_siblings(const Siblings& siblings, std::size_t at, NodeIds& ids) {
  Common common;
  for (std::uint32_t first = siblings.first; first < siblings.last;) {
    const std::uint32_t begin = first % kBlock;
    std::uint32_t left = siblings.last - first;
    left = left < kBlock - begin ? left : kBlock - begin;
    prepare(siblings.parent.id, first - begin, common);
    first += left;
    const Schedule* schedules = &kIndexSchedules[begin];
    for (; left >= 4; left -= 4, schedules += 4, at += 4) {
      hash<4>(common, schedules, at, ids);
    }
    switch (left) {
      case 3:
        hash<3>(common, schedules, at, ids);
        break;
      case 2:
        hash<2>(common, schedules, at, ids);
        break;
      case 1:
        hash<1>(common, schedules, at, ids);
        break;
    }
    at += left;
  }
}

}  // namespace

CLEAVE_SHA void child_ids_by_sha_extensions(std::span<const Siblings> parents, NodeIds& ids) {
  std::size_t at = 0;
  for (const Siblings& siblings : parents) {
    hash_siblings(siblings, at, ids);
    at += siblings.last - siblings.first;
  }
}

bool has_sha_extensions() {
  constexpr unsigned kSse41 = 1U << 19;  // of leaf 1, ecx
  constexpr unsigned kSha = 1U << 29;    // of leaf 7, ebx
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid(1, &eax, &ebx, &ecx, &edx) == 0 || (ecx & kSse41) == 0) {
    return false;
  }
  return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) != 0 && (ebx & kSha) != 0;
}

}  // namespace cleave::uts

#else

namespace cleave::uts {

void child_ids_by_sha_extensions(std::span<const Siblings> parents, NodeIds& ids) {
  child_ids_by_openssl(parents, ids);
}

bool has_sha_extensions() { return false; }

}  // namespace cleave::uts

#endif
