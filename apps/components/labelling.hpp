// SPDX-License-Identifier: Apache-2.0
// The solution of connected components: flat labels, and how they cross to another rank.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

#include <cleave/part.hpp>
#include <cleave/row.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/wire.hpp>

#include "apps/components/graph.hpp"

namespace cleave::components {

/// What labels are sent as. Words are of 32 bits; of N labels, F differ from their vertex, and G
/// are of the greatest component.
enum class Encoding : std::uint32_t {
  dense,    ///< all labels: N words, as they lie in memory
  changed,  ///< a bit a vertex and the changed labels: N/32 + F words
  giant,    ///< two bits a vertex, the second for the giant component: 2N/32 + F - G words
};

/// "dense", "changed", "giant".
std::string_view name_of(Encoding encoding);

/// Which encoding labels cross in: a prescribed one, or the one that takes least time.
struct EncodingChoice {
  std::optional<Encoding> prescribed;
  double gap_s_per_byte = 0;  ///< g of the machine; at 0 dense is the cheapest
};

/// g of the skeleton's exchange on `ranks` ranks: the greatest of the levels, else that of the
/// nearest number of ranks. Entries with more ranks than cores are left out where there are others.
/// \return  0 without any entry
double exchange_gap_s_per_byte(const detail::Machine& machine, int ranks);

/// Flat labels of all vertices, and the number of edges that they are of, in one row of words. So
/// they cross to another rank as they lie in memory, unless another encoding is chosen.
class Labelling {
 public:
  Labelling() = default;
  /// Every vertex is a component of its own.
  explicit Labelling(Vertex vertices);

  Vertex vertices() const;
  std::span<Vertex> labels() { return std::span(words_).first(vertices()); }
  std::span<const Vertex> labels() const { return std::span(words_).first(vertices()); }

  std::int64_t edges() const;
  /// \pre  not default-constructed
  void set_edges(std::int64_t edges);

  /// How these labels cross from here; dense by default.
  void set_encoding(const EncodingChoice& choice) { choice_ = choice; }

  /// Whether these labels came from another rank, so that no other has read the memory they lie in:
  /// writing there is up to a third faster.
  bool has_crossed() const { return has_crossed_; }

  friend bool operator==(const Labelling& a, const Labelling& b) { return a.words_ == b.words_; }

 private:
  friend struct cleave::wire<Labelling>;

  /// Labels, then the tail: the edges in two words, the vertices, and the encoding.
  Row<Vertex> words_;
  EncodingChoice choice_{.prescribed = Encoding::dense};
  bool has_crossed_ = false;
};

/// A copy, for whoever needs a vector.
Labels labels_of(const Labelling& labelling);

/// The encoding that `choice` has `labelling` cross in. Cost: where g is so high that encoding may
/// pay, a pass over the labels.
Encoding encoding_of(const Labelling& labelling, const EncodingChoice& choice);

}  // namespace cleave::components

template <>
struct cleave::wire<cleave::components::Labelling>
    : cleave::WireByStorage<cleave::components::Labelling,
                            cleave::Row<cleave::components::Vertex>> {
  using Labelling = components::Labelling;
  using Vertex = components::Vertex;
  static std::span<const Vertex> view(const Labelling& labelling, Row<Vertex>& scratch);
  /// \throws Error  if the words are not those of a labelling
  static Labelling restore(Row<Vertex> words);
};
