// SPDX-License-Identifier: Apache-2.0
// Connected components as in Printista and Saez, section V: divide halves the edges, every half is
// solved over all N vertices, combine unites what either half found connected. Where the edges lie
// in parts already (Placement::distributed), nothing is divided and nothing moves on the way down.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <span>
#include <utility>

#include <cleave/application.hpp>
#include <cleave/error.hpp>

#include "apps/components/graph.hpp"
#include "apps/components/union_find.hpp"

namespace cleave::components {

/// Flat labels of a range of vertices, and the number of edges that they are of. Every vertex
/// outside is a component of its own.
class Labelling {
 public:
  /// No label, and room for those of all vertices: memory is taken where they are written.
  explicit Labelling(Vertex vertices = 0) : words_(std::size_t{vertices} + kFacts) {
    facts_.vertices = vertices;
    set({}, 0);
  }

  Vertex vertices() const { return static_cast<Vertex>(facts_.vertices); }
  std::int64_t edges() const { return facts_.edges; }
  VertexRange range() const { return {facts_.first, facts_.last}; }
  /// The labels of the range.
  std::span<const Vertex> held() const {
    const auto [first, last] = range();
    return std::span(words_).subspan(has_room() ? first : 0, last - first);
  }
  /// A copy of the labels of all vertices.
  Labels labels() const {
    Labels all(vertices());
    std::iota(all.begin(), all.end(), Vertex{0});
    std::ranges::copy(held(), all.begin() + range().first);
    return all;
  }

  bool has_room() const { return words_.size() == vertices() + kFacts; }
  /// Room for the labels of all vertices, with those of the range in their places.
  std::span<Vertex> room() {
    if (!has_room()) {
      Row<Vertex> words(vertices() + kFacts);
      std::ranges::copy(held(), words.begin() + range().first);
      words_ = std::move(words);
    }
    return std::span(words_).first(vertices());
  }
  /// Takes what has been written into the room for the labels of `edges` edges.
  void set(VertexRange range, std::int64_t edges) {
    facts_ = {facts_.vertices, edges, range.first, range.last};
    std::memcpy(&words_[range.last], &facts_, sizeof(facts_));
  }

  /// Whether these labels came from another rank, so that no other has read the memory they lie in:
  /// writing there is up to a third faster.
  bool has_crossed() const { return has_crossed_; }

  friend bool operator==(const Labelling& a, const Labelling& b) {
    return a.edges() == b.edges() && a.labels() == b.labels();
  }

 private:
  friend struct cleave::wire<Labelling>;
  /// Numbers that cross behind the labels of the range.
  struct Facts {
    std::int64_t vertices;
    std::int64_t edges;
    Vertex first;
    Vertex last;
  };
  static constexpr std::size_t kFacts = sizeof(Facts) / sizeof(Vertex);

  Facts facts_{};
  Row<Vertex> words_;
  bool has_crossed_ = false;
};

}  // namespace cleave::components

template <>
struct cleave::wire<cleave::components::Labelling>
    : cleave::WireByStorage<cleave::components::Labelling,
                            cleave::Row<cleave::components::Vertex>> {
  using Labelling = components::Labelling;
  using Vertex = components::Vertex;
  static std::span<const Vertex> view(const Labelling& labelling) {
    const std::span<const Vertex> held = labelling.held();
    return {held.data(), held.size() + Labelling::kFacts};
  }
  /// \throws Error  if the words are not those of a labelling
  static Labelling restore(Row<Vertex> words) {
    Labelling labelling;
    const auto& [vertices, edges, first, last] = labelling.facts_;
    const std::size_t held = words.size() - Labelling::kFacts;
    if (words.size() >= Labelling::kFacts) {
      std::memcpy(&labelling.facts_, words.data() + held, sizeof(labelling.facts_));
    }
    if (held != last - first || last > vertices || vertices > components::kMaxVertices) {
      throw Error("message damaged: it holds no labels");
    }
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

  /// Either side may take the other's in: one that has room, the one that crossed if both have.
  Labelling combine(Labelling left, Labelling right) const {
    const bool is_right = right.has_room() && (right.has_crossed() || !left.has_room());
    Labelling both = std::move(is_right ? right : left);
    const Labelling& other = is_right ? left : right;
    VertexRange range = both.range();
    if (combine_form == CombineForm::flat) {
      range = unite_flat(both.room(), range, other.held(), other.range());
    } else {
      unite_each(both.room(), other.held());
    }
    both.set(range, both.edges() + other.edges());
    return both;
  }

  Labelling sequential(const Graph& graph) const {
    Labelling labelling(graph.vertices);
    VertexRange range = unite(labelling.room(), graph.edges);
    if (combine_form == CombineForm::naive) {
      range = widen(labelling.room(), range, {.first = 0, .last = graph.vertices});
    }
    labelling.set(range, std::ssize(graph.edges));
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
