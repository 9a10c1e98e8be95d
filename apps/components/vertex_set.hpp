// SPDX-License-Identifier: Apache-2.0
// Sets of vertices, a bit each: 32 times smaller than labels, so that they stay in a cache nearer
// to the core. The passes over all vertices and over edges take many at a time, by the vector
// instructions of the processor that runs them.
#pragma once

#include <algorithm>
#include <array>
#include <bit>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "apps/components/graph.hpp"

namespace cleave::components {

/// Vertices of a graph; what `add`, `remove` and `contains` are given is one of those.
class VertexSet {
 public:
  using Word = std::uint32_t;
  static constexpr Vertex kBits = 32;  ///< vertices in a word

  /// The vertices with the label `label`.
  static VertexSet with_label(std::span<const Vertex> labels, Vertex label);
  /// The vertices that are their own label.
  static VertexSet roots(std::span<const Vertex> labels);

  bool contains(Vertex v) const { return (words_[v / kBits] >> (v % kBits) & 1) != 0; }
  void add(Vertex v) { words_[v / kBits] |= Word{1} << (v % kBits); }
  void remove(Vertex v) { words_[v / kBits] &= ~(Word{1} << (v % kBits)); }
  /// `add` where `is_to_be_added`, without a branch.
  void add_if(bool is_to_be_added, Vertex v) {
    words_[v / kBits] |= Word{is_to_be_added} << (v % kBits);
  }

  /// Copies those of `edges` that have an end outside. Cost: about 1.2 ns an edge.
  /// \param leaving  room for as many as `edges`
  /// \return  how many
  std::size_t copy_leaving(std::span<const Edge> edges, Edge* leaving) const;

  /// Gives all members one label. \pre  labels of as many vertices as the set was made for
  void label_members(std::span<Vertex> labels, Vertex label) const;

  /// Calls `visit(v)` for every vertex below `vertices` that is in neither set, in ascending order.
  template <class Visit>
  static void for_each_in_neither(const VertexSet& a, const VertexSet& b, Vertex vertices,
                                  Visit&& visit) {
    for (Vertex first = 0; first < vertices; first += std::min(kBits, vertices - first)) {
      const std::size_t word = first / kBits;
      Word bits = ~(a.words_[word] | b.words_[word]);
      if (vertices - first < kBits) {
        bits &= (Word{1} << (vertices - first)) - 1;
      }
      for (; bits != 0; bits &= bits - 1) {
        visit(first + static_cast<Vertex>(std::countr_zero(bits)));
      }
    }
  }

 private:
  explicit VertexSet(std::size_t vertices) : words_(vertices / kBits + 1) {}

  std::vector<Word> words_;
};

/// The labels of a vertex on two sides.
struct LabelPair {
  Vertex mine = 0;
  Vertex theirs = 0;

  friend auto operator<=>(const LabelPair&, const LabelPair&) = default;
};

/// Pairs of labels that are to be united.
struct LabelPairs {
  static constexpr Vertex kMax = 1024;

  Vertex size = 0;
  // Room for what is written past the last by a whole vector.
  std::array<Vertex, kMax + 64> mine;
  std::array<Vertex, kMax + 64> theirs;
};

/// The label of the greatest component on either side, and the root of both once they are united.
struct Giants {
  Vertex mine = 0;
  Vertex theirs = 0;
  Vertex root = 0;
};

/// Gives each vertex from `first` on that is its own label the other side's, and members of the
/// giants their common root. Cost: about 0.4 ns a vertex, whatever the labels are.
/// \param labels, others  of these vertices, as many of either, at most LabelPairs::kMost; flat
/// \param pairs  gets what is to be united: the two labels, where they are unlike with the giants'
///               root in place of the giants', of a vertex that is its own label on neither side
void take_where_root(std::span<Vertex> labels, std::span<const Vertex> others, Vertex first,
                     const Giants& giants, LabelPairs& pairs);

/// Makes every label of `range` a root where no label exceeds its vertex; whole vectors of `root`,
/// which is one, are passed over. Cost: 0.04 ns a vertex where nearly all are, else about 0.3 ns.
/// \pre  labels outside are roots
void flatten_all_but(std::span<Vertex> labels, VertexRange range, Vertex root);

}  // namespace cleave::components
