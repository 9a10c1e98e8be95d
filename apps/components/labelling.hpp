// SPDX-License-Identifier: Apache-2.0
// The solution of connected components: flat labels, which cross to another rank as they lie in
// memory.
#pragma once

#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include <cleave/error.hpp>
#include <cleave/part.hpp>
#include <cleave/row.hpp>
#include <cleave/wire.hpp>

#include "apps/components/graph.hpp"

namespace cleave::components {

/// Flat labels of all vertices, and the number of edges that they are of, in one row of words.
class Labelling {
 public:
  Labelling() = default;
  /// Every vertex is a component of its own.
  explicit Labelling(Vertex vertices) : words_(std::size_t{vertices} + kTail) {
    std::iota(words_.begin(), words_.end() - kTail, Vertex{0});
    set_edges(0);
  }

  Vertex vertices() const {
    return static_cast<Vertex>(words_.empty() ? 0 : words_.size() - kTail);
  }
  std::span<Vertex> labels() { return std::span(words_).first(vertices()); }
  std::span<const Vertex> labels() const { return std::span(words_).first(vertices()); }

  std::int64_t edges() const {
    return words_.empty() ? 0
                          : static_cast<std::int64_t>(std::uint64_t{words_.end()[-1]} << 32 |
                                                      words_.end()[-2]);
  }
  /// \pre  not default-constructed
  void set_edges(std::int64_t edges) {
    words_.end()[-2] = static_cast<Vertex>(edges);
    words_.end()[-1] = static_cast<Vertex>(static_cast<std::uint64_t>(edges) >> 32);
  }

  /// Whether these labels came from another rank, so that no other has read the memory they lie in:
  /// writing there is up to a third faster.
  bool has_crossed() const { return has_crossed_; }

  friend bool operator==(const Labelling& a, const Labelling& b) { return a.words_ == b.words_; }

 private:
  friend struct cleave::wire<Labelling>;
  static constexpr std::size_t kTail = 2;

  Row<Vertex> words_;  ///< labels, then the edges in two words
  bool has_crossed_ = false;
};

/// A copy, for whoever needs a vector.
inline Labels labels_of(const Labelling& labelling) {
  const auto labels = labelling.labels();
  return {labels.begin(), labels.end()};
}

}  // namespace cleave::components

template <>
struct cleave::wire<cleave::components::Labelling>
    : cleave::WireByStorage<cleave::components::Labelling,
                            cleave::Row<cleave::components::Vertex>> {
  using Labelling = components::Labelling;
  using Vertex = components::Vertex;
  static std::span<const Vertex> view(const Labelling& labelling, Row<Vertex>& /*scratch*/) {
    return labelling.words_;
  }
  /// \throws Error  if the words are not those of a labelling
  static Labelling restore(Row<Vertex> words) {
    if (words.size() == 1) {
      throw Error("message damaged: it holds no labels");
    }
    Labelling labelling;
    labelling.has_crossed_ = true;
    labelling.words_ = std::move(words);
    return labelling;
  }
};
