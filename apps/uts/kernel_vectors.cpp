// SPDX-License-Identifier: Apache-2.0
// SHA-1 of as many children at once as vectors have lanes, of any parents (FIPS 180-4,
// section 6.1.2).
#include <array>
#include <cstddef>
#include <span>

#include "apps/uts/kernel.hpp"

#define HWY_DISABLED_TARGETS (HWY_SVE | HWY_SVE2 | HWY_SVE_256 | HWY_SVE2_128 | HWY_RVV)
#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "apps/uts/kernel_vectors.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cleave::uts::HWY_NAMESPACE {

#if HWY_TARGET != HWY_SCALAR && HWY_TARGET != HWY_EMU128

namespace hn = hwy::HWY_NAMESPACE;

using Tag = hn::ScalableTag<std::uint32_t>;
using Words = hn::Vec<Tag>;

constexpr std::size_t kLanes = hn::MaxLanes(Tag());

/// Hashes whose rounds are interleaved, since each instruction waits for the one before. Three need
/// more registers than there are.
constexpr std::size_t kStreams = 2;

constexpr std::array<std::uint32_t, 5> kFirstState = {0x67452301, 0xefcdab89, 0x98badcfe,
                                                      0x10325476, 0xc3d2e1f0};

/// Ids of the children, as `NodeIds` has their parents' ids before and their own after.
using Numbers = std::array<std::uint32_t, NodeIds::kMax + NodeIds::kRoom>;

/// A state and the last 16 words of a message schedule.
struct Stream {
  Words a, b, c, d, e;
  Words words[16];
};

template <int t>
HWY_INLINE void run_round(Stream& s) {
  constexpr std::array<std::uint32_t, 4> kConstants = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc,
                                                       0xca62c1d6};
  const Tag tag;
  Words& word = s.words[t % 16];
  if constexpr (t >= 16) {
    word = hn::RotateRight<31>(hn::Xor(
        word, hn::Xor3(s.words[(t - 3) % 16], s.words[(t - 8) % 16], s.words[(t - 14) % 16])));
  }
  Words f;
  if constexpr (t < 20) {
    f = hn::Xor(s.d, hn::And(s.b, hn::Xor(s.c, s.d)));
  } else if constexpr (t >= 40 && t < 60) {
    f = hn::Or(hn::And(s.b, s.c), hn::And(s.d, hn::Or(s.b, s.c)));
  } else {
    f = hn::Xor3(s.b, s.c, s.d);
  }
  const Words sum = hn::Add(hn::Add(s.e, f), hn::Add(word, hn::Set(tag, kConstants[t / 20])));
  s.e = s.d;
  s.d = s.c;
  s.c = hn::RotateRight<2>(s.b);
  s.b = s.a;
  s.a = hn::Add(sum, hn::RotateRight<27>(s.a));
}

template <int t, std::size_t streams>
HWY_INLINE void run_rounds(Stream* s) {
  if constexpr (t < 80) {
    for (std::size_t i = 0; i < streams; ++i) {
      run_round<t>(s[i]);
    }
    run_rounds<t + 1, streams>(s);
  }
}

HWY_INLINE Stream begin_stream(const NodeIds& ids, const Numbers& numbers, std::size_t at) {
  constexpr std::uint32_t kMessageBits = 8 * 24;
  const Tag tag;
  Stream s{hn::Set(tag, kFirstState[0]), hn::Set(tag, kFirstState[1]), hn::Set(tag, kFirstState[2]),
           hn::Set(tag, kFirstState[3]), hn::Set(tag, kFirstState[4]), {}};
  for (std::size_t word = 0; word < 5; ++word) {
    s.words[word] = hn::LoadU(tag, &ids.words[word][at]);
  }
  s.words[5] = hn::LoadU(tag, &numbers[at]);
  s.words[6] = hn::Set(tag, std::uint32_t{0x80000000});
  for (std::size_t i = 7; i < 15; ++i) {
    s.words[i] = hn::Zero(tag);
  }
  s.words[15] = hn::Set(tag, kMessageBits);
  return s;
}

HWY_INLINE void store(const Stream& s, std::size_t at, NodeIds& ids) {
  const Tag tag;
  hn::StoreU(hn::Add(s.a, hn::Set(tag, kFirstState[0])), tag, &ids.words[0][at]);
  hn::StoreU(hn::Add(s.b, hn::Set(tag, kFirstState[1])), tag, &ids.words[1][at]);
  hn::StoreU(hn::Add(s.c, hn::Set(tag, kFirstState[2])), tag, &ids.words[2][at]);
  hn::StoreU(hn::Add(s.d, hn::Set(tag, kFirstState[3])), tag, &ids.words[3][at]);
  hn::StoreU(hn::Add(s.e, hn::Set(tag, kFirstState[4])), tag, &ids.words[4][at]);
}

template <std::size_t streams>
HWY_INLINE void hash(std::size_t at, const Numbers& numbers, NodeIds& ids) {
  Stream s[streams];
  for (std::size_t i = 0; i < streams; ++i) {
    s[i] = begin_stream(ids, numbers, at + i * kLanes);
  }
  run_rounds<0, streams>(s);
  for (std::size_t i = 0; i < streams; ++i) {
    store(s[i], at + i * kLanes, ids);
  }
}

/// Four lanes at a time: siblings are few, and wide stores that are not aligned are slow.
/// \return  how many children
HWY_INLINE std::size_t put_messages(std::span<const Siblings> parents, Numbers& numbers,
                                    NodeIds& ids) {
  const hn::CappedTag<std::uint32_t, 4> tag;
  std::size_t at = 0;
  for (const Siblings& siblings : parents) {
    const std::size_t count = siblings.size();
    for (std::size_t i = 0; i < count; i += hn::Lanes(tag)) {
      for (std::size_t word = 0; word < 5; ++word) {
        hn::StoreU(hn::Set(tag, siblings.parent.id[word]), tag, &ids.words[word][at + i]);
      }
      hn::StoreU(hn::Iota(tag, siblings.first + static_cast<std::uint32_t>(i)), tag,
                 &numbers[at + i]);
    }
    at += count;
  }
  return at;
}

/// All messages are stored before the first is hashed: a vector is loaded at once only if what was
/// stored there piece by piece has left the core.
HWY_NOINLINE void child_ids(std::span<const Siblings> parents, NodeIds& ids) {
  Numbers numbers;
  const std::size_t count = put_messages(parents, numbers, ids);
  std::size_t at = 0;
  for (; at + kLanes < count; at += kStreams * kLanes) {
    hash<kStreams>(at, numbers, ids);
  }
  if (at < count) {
    hash<1>(at, numbers, ids);
  }
}

constexpr std::size_t kLanesHere = kLanes;

#else

void child_ids(std::span<const Siblings> parents, NodeIds& ids) {
  child_ids_by_openssl(parents, ids);
}

constexpr std::size_t kLanesHere = 1;

#endif

std::size_t lanes() { return kLanesHere; }

}  // namespace cleave::uts::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cleave::uts {

HWY_EXPORT(child_ids);
HWY_EXPORT(lanes);

void child_ids_by_vectors(std::span<const Siblings> parents, NodeIds& ids) {
  HWY_DYNAMIC_DISPATCH(child_ids)(parents, ids);
}

std::size_t vector_lanes() { return HWY_DYNAMIC_DISPATCH(lanes)(); }

}  // namespace cleave::uts
#endif  // HWY_ONCE
