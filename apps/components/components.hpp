// SPDX-License-Identifier: Apache-2.0
// Connected components as in Printista and Saez, section V: divide halves the edges, every half is
// solved over all N vertices, combine unites what either half found connected. Where the edges lie
// in parts already (Placement::distributed), nothing is divided and nothing moves on the way down.
#pragma once

#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <utility>

#include <cleave/application.hpp>
#include <cleave/error.hpp>

#include "apps/components/graph.hpp"
#include "apps/components/union_find.hpp"

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
  static std::span<const Vertex> view(const Labelling& labelling) { return labelling.words_; }
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

namespace cleave::components {

/// How labels of two parts are united.
enum class CombineForm {
  naive,  ///< N unions, as in the paper
  flat,   ///< a union only where both sides disagree
};

struct Components {
  using Problem = Graph;
  using Solution = Labelling;

  /// Any two parts of the edges combine.
  static constexpr bool kMergesParts = true;

  CombineForm combine_form = CombineForm::flat;

  bool trivial(const Graph& graph) const { return graph.edges.size() < 2; }

  Labelling conquer(const Graph& graph) const { return sequential(graph); }

  Halves<Graph> divide(const Graph& graph, Share share) const {
    const std::size_t edges = graph.edges.size();
    const std::size_t of_left =
        edges * static_cast<std::size_t>(share.left) / static_cast<std::size_t>(share.total);
    return {{.vertices = graph.vertices, .edges = graph.edges.slice(0, of_left)},
            {.vertices = graph.vertices, .edges = graph.edges.slice(of_left, edges - of_left)}};
  }

  /// Either side may take the other's in: the one that crossed does.
  Labelling combine(Labelling left, Labelling right) const {
    Labelling both = std::move(right.has_crossed() ? right : left);
    const Labelling& other = right.has_crossed() ? left : right;
    if (combine_form == CombineForm::flat) {
      unite_flat(both.labels(), other.labels());
    } else {
      unite_each(both.labels(), other.labels());
    }
    both.set_edges(both.edges() + other.edges());
    return both;
  }

  Labelling sequential(const Graph& graph) const {
    Labelling labelling(graph.vertices);
    unite(labelling.labels(), graph.edges);
    labelling.set_edges(static_cast<std::int64_t>(graph.edges.size()));
    return labelling;
  }

  Sizes sizes(const Graph& graph) const {
    return {{"N", graph.vertices}, {"M", graph.edges.size()}};
  }
  Sizes solution_sizes(const Labelling& labelling) const {
    return {{"N", labelling.vertices()}, {"M", labelling.edges()}};
  }
};

}  // namespace cleave::components
