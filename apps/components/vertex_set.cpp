// SPDX-License-Identifier: Apache-2.0
#include "apps/components/vertex_set.hpp"

#include <algorithm>
#include <array>
#include <bit>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "apps/components/vertex_set.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.h.
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace cleave::components::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

using Word = VertexSet::Word;

/// Vertices, as many as there are bits in a word, are a whole number of vectors.
using Tag = hn::CappedTag<Vertex, 16>;
using Lanes = hn::Vec<Tag>;

static_assert(std::endian::native == std::endian::little, "StoreMaskBits writes bytes");
static_assert(sizeof(Edge) == 2 * sizeof(Vertex), "edges are read as a row of their ends");

template <class D, class Mask>
HWY_INLINE std::uint64_t bits_of(D d, Mask mask) {
  std::uint64_t bits = 0;
  hn::StoreMaskBits(d, mask, reinterpret_cast<std::uint8_t*>(&bits));
  return bits;
}

/// Sets the bit of every vertex v with the label `label + step * v`. The compiler finds vectors.
HWY_NOINLINE void mark(std::span<const Vertex> labels, Vertex label, Vertex step, Word* words) {
  for (std::size_t first = 0; first < labels.size(); first += VertexSet::kBits) {
    const std::span<const Vertex> some =
        labels.subspan(first, std::min<std::size_t>(VertexSet::kBits, labels.size() - first));
    Word word = 0;
    for (Vertex i = 0; i < some.size(); ++i) {
      word |= Word{some[i] == label + step * i} << i;
    }
    *words++ = word;
    label += step * VertexSet::kBits;
  }
}

/// An even bit for each of 32 edges that has both ends inside.
HWY_INLINE std::uint64_t inside(const Word* words, const Edge* edges) {
  constexpr std::size_t kEnds = 64;
  const Tag d;
  const hn::RebindToSigned<Tag> signed_d;
  std::uint64_t ends = 0;
  for (std::size_t i = 0; i < kEnds; i += hn::Lanes(d)) {
    const Lanes vertices = hn::LoadU(d, &edges->from + i);
    const auto index = hn::BitCast(signed_d, hn::ShiftRight<5>(vertices));
    // The vertex's bit as the sign.
    const Lanes shifted =
        hn::Shl(hn::GatherIndex(d, words, index), hn::AndNot(vertices, hn::Set(d, 31)));
    const auto is_in = hn::Lt(hn::BitCast(signed_d, shifted), hn::Zero(signed_d));
    ends |= bits_of(signed_d, is_in) << i;
  }
  return ends & ends >> 1 & 0x5555555555555555U;
}

HWY_NOINLINE std::size_t copy_leaving(const Word* words, std::span<const Edge> edges,
                                      Edge* HWY_RESTRICT leaving) {
  constexpr std::size_t kAtOnce = 64;
  constexpr std::size_t kMasks = 64;  // of 64 edges each
  std::array<std::uint64_t, kMasks> masks;
  const std::size_t full = edges.size() - edges.size() % kAtOnce;
  std::size_t count = 0;
  for (std::size_t first = 0; first < full;) {
    // All tests come first. How many edges leave follows no pattern, so the loop over those of a
    // mask often ends unforeseen, and would have to wait for its mask.
    const std::size_t blocks = std::min(kMasks, (full - first) / kAtOnce);
    const Edge* const here = &edges[first];
    for (std::size_t block = 0; block < blocks; ++block) {
      const Edge* const some = here + block * kAtOnce;
      // An even bit for each of the first half, the odd one after it for that of the second half.
      masks[block] = ~(inside(words, some) | inside(words, some + kAtOnce / 2) << 1);
    }
    for (std::size_t block = 0; block < blocks; ++block) {
      const Edge* const some = here + block * kAtOnce;
      for (std::uint64_t bits = masks[block]; bits != 0; bits &= bits - 1) {
        const auto bit = static_cast<std::size_t>(std::countr_zero(bits));
        leaving[count++] = some[bit / 2 + bit % 2 * (kAtOnce / 2)];
      }
    }
    first += blocks * kAtOnce;
  }
  const auto contains = [words](Vertex v) {
    return (words[v / VertexSet::kBits] >> (v % VertexSet::kBits) & 1) != 0;
  };
  for (std::size_t i = full; i < edges.size(); ++i) {
    leaving[count] = edges[i];
    count += contains(edges[i].from) && contains(edges[i].to) ? 0 : 1;
  }
  return count;
}

HWY_NOINLINE void label_members(const Word* words, std::span<Vertex> labels, Vertex label) {
  for (std::size_t first = 0; first < labels.size(); first += VertexSet::kBits) {
    const Word word = *words++;
    const std::span<Vertex> some =
        labels.subspan(first, std::min<std::size_t>(VertexSet::kBits, labels.size() - first));
    for (Vertex i = 0; i < some.size(); ++i) {
      some[i] = (word >> i & 1) != 0 ? label : some[i];
    }
  }
}

HWY_NOINLINE void take_where_root(std::span<Vertex> all, std::span<const Vertex> others,
                                  Vertex first, const Giants& giants, LabelPairs& pairs) {
  const Tag d;
  const hn::RebindToSigned<Tag> signed_d;
  const std::span<Vertex> labels = all.subspan(first, others.size());
  const Lanes giant_here = hn::Set(d, giants.mine);
  const Lanes giant_there = hn::Set(d, giants.theirs);
  const Lanes root = hn::Set(d, giants.root);
  const auto with_root = [root](Lanes some, Lanes giant) {
    return hn::IfThenElse(hn::Eq(some, giant), root, some);
  };
  const Lanes step = hn::Set(d, static_cast<Vertex>(hn::Lanes(d)));
  Lanes vertices = hn::Iota(d, first);
  const std::size_t full = labels.size() - labels.size() % hn::Lanes(d);
  // Where a pair goes depends on labels that come from memory. Stores to there between the loads
  // would keep those from being ahead, so which are new is kept for a pass of its own.
  std::array<std::uint16_t, LabelPairs::kMax> news;
  std::uint64_t any_new = 0;
  for (std::size_t i = 0; i < full; i += hn::Lanes(d)) {
    const Lanes label = hn::LoadU(d, &labels[i]);
    const Lanes other = hn::LoadU(d, &others[i]);
    const Lanes mine = with_root(label, giant_here);
    const Lanes theirs = with_root(other, giant_there);
    const auto is_mine_root = hn::Eq(label, vertices);
    const auto is_settled =
        hn::Or(hn::Or(is_mine_root, hn::Eq(other, vertices)), hn::Eq(mine, theirs));
    hn::StoreU(hn::IfThenElse(is_mine_root, theirs, mine), d, &labels[i]);
    const std::uint64_t is_new = bits_of(d, hn::Not(is_settled));
    any_new |= is_new;
    news[i / hn::Lanes(d)] = static_cast<std::uint16_t>(is_new);
    vertices = hn::Add(vertices, step);
  }
  std::size_t count = 0;
  const std::size_t end_of_new = any_new != 0 ? full : 0;
  for (std::size_t i = 0; i < end_of_new; i += hn::Lanes(d)) {
    const auto* const bits = reinterpret_cast<const std::uint8_t*>(&news[i / hn::Lanes(d)]);
    auto is_new = hn::LoadMaskBits(d, bits);
    const Lanes mine = hn::LoadU(d, &labels[i]);
    const Lanes theirs = with_root(hn::LoadU(d, &others[i]), giant_there);
    const auto above = [&](Lanes some) {
      return hn::GatherIndex(d, all.data(), hn::BitCast(signed_d, some));
    };
    if (hn::AllTrue(d, is_new)) {
      is_new = hn::Ne(above(mine), above(theirs));
    }
    // Whole vectors: AMD's processors run a store of some lanes as microcode.
    hn::StoreU(hn::Compress(mine, is_new), d, &pairs.mine[count]);
    hn::StoreU(hn::Compress(theirs, is_new), d, &pairs.theirs[count]);
    count += hn::CountTrue(d, is_new);
  }
  for (std::size_t i = full; i < labels.size(); ++i) {
    const auto v = static_cast<Vertex>(first + i);
    const Vertex mine = labels[i] == giants.mine ? giants.root : labels[i];
    const Vertex theirs = others[i] == giants.theirs ? giants.root : others[i];
    if (labels[i] != v && others[i] != v && mine != theirs) {
      pairs.mine[count] = mine;
      pairs.theirs[count] = theirs;
      ++count;
    }
    labels[i] = labels[i] == v ? theirs : mine;
  }
  pairs.size = static_cast<Vertex>(count);
}

HWY_NOINLINE VertexRange range_of_ends(std::span<const Edge> edges) {
  Vertex minimum = edges.front().from;
  Vertex maximum = minimum;
  for (const Vertex end : std::span(&edges.front().from, 2 * edges.size())) {
    minimum = std::min(minimum, end);
    maximum = std::max(maximum, end);
  }
  return {.first = minimum, .last = maximum + 1};
}

HWY_NOINLINE void flatten_all(std::span<Vertex> labels, VertexRange range) {
  const Tag d;
  const auto flatten = [labels](std::size_t first, std::size_t last) {
    for (std::size_t v = first; v < last; ++v) {
      labels[v] = labels[labels[v]];
    }
  };
  std::size_t v = range.first;
  for (; v + hn::Lanes(d) <= range.last; v += hn::Lanes(d)) {
    const Vertex label = labels[v];
    if (!hn::AllTrue(d, hn::Eq(hn::LoadU(d, &labels[v]), hn::Set(d, label)))) {
      flatten(v, v + hn::Lanes(d));
    } else if (labels[label] != label) {
      hn::StoreU(hn::Set(d, labels[label]), d, &labels[v]);
    }
  }
  flatten(v, range.last);
}

}  // namespace cleave::components::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace cleave::components {

HWY_EXPORT(mark);
HWY_EXPORT(copy_leaving);
HWY_EXPORT(label_members);
HWY_EXPORT(take_where_root);
HWY_EXPORT(range_of_ends);
HWY_EXPORT(flatten_all);

VertexSet VertexSet::with_label(std::span<const Vertex> labels, Vertex label) {
  VertexSet set(labels.size());
  HWY_DYNAMIC_DISPATCH(mark)(labels, label, 0, set.words_.data());
  return set;
}

VertexSet VertexSet::roots(std::span<const Vertex> labels) {
  VertexSet set(labels.size());
  HWY_DYNAMIC_DISPATCH(mark)(labels, 0, 1, set.words_.data());
  return set;
}

std::size_t VertexSet::copy_leaving(std::span<const Edge> edges, Edge* leaving) const {
  return HWY_DYNAMIC_DISPATCH(copy_leaving)(words_.data(), edges, leaving);
}

void VertexSet::label_members(std::span<Vertex> labels, Vertex label) const {
  HWY_DYNAMIC_DISPATCH(label_members)(words_.data(), labels, label);
}

void take_where_root(std::span<Vertex> labels, std::span<const Vertex> others, Vertex first,
                     const Giants& giants, LabelPairs& pairs) {
  HWY_DYNAMIC_DISPATCH(take_where_root)(labels, others, first, giants, pairs);
}

VertexRange range_of_ends(std::span<const Edge> edges) {
  return HWY_DYNAMIC_DISPATCH(range_of_ends)(edges);
}

void flatten_all(std::span<Vertex> labels, VertexRange range) {
  HWY_DYNAMIC_DISPATCH(flatten_all)(labels, range);
}

}  // namespace cleave::components
#endif  // HWY_ONCE
