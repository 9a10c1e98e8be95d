// SPDX-License-Identifier: Apache-2.0
// Sets of vertices, a bit each: 32 times smaller than labels, so that they stay in a cache nearer
// to the core. The passes over all vertices and over edges take many at a time, by the vector
// instructions of the processor that runs them.
#pragma once

#include <array>
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
  /// Without a branch.
  void add(Vertex v, bool is_added = true) { words_[v / kBits] |= Word{is_added} << (v % kBits); }
  void remove(Vertex v) { words_[v / kBits] &= ~(Word{1} << (v % kBits)); }

  /// Copies those of `edges` that have an end outside. Cost: about 1.2 ns an edge.
  /// \param leaving  room for as many as `edges`
  /// \return  how many
  std::size_t copy_leaving(std::span<const Edge> edges, Edge* leaving) const;

  /// Gives all members one label. \pre  labels of as many vertices as the set was made for
  void label_members(std::span<Vertex> labels, Vertex label) const;

 private:
  explicit VertexSet(std::size_t vertices) : words_(vertices / kBits + 1) {}

  std::vector<Word> words_;
};

/// The labels of a vertex on two sides.
struct LabelPair {
  Vertex mine = 0;
  Vertex theirs = 0;

  friend bool operator==(const LabelPair&, const LabelPair&) = default;
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
/// \param labels  of all vertices
/// \param others  of these vertices, at most LabelPairs::kMax; flat
/// \param pairs  gets what is to be united: two unlike labels of a vertex that is its own label on
///               neither side. The giants' root stands for either giant. Pairs whose labels have
///               one label already may be left out.
void take_where_root(std::span<Vertex> labels, std::span<const Vertex> others, Vertex first,
                     const Giants& giants, LabelPairs& pairs);

/// From the least to the greatest end. \pre  there are edges
VertexRange range_of_ends(std::span<const Edge> edges);

/// Makes every label of `range` a root where no label exceeds its vertex. Cost: 0.04 ns a vertex
/// where whole vectors have one label, else about 0.3 ns.
/// \pre  no label of `range` is outside
void flatten_all(std::span<Vertex> labels, VertexRange range);

}  // namespace cleave::components
