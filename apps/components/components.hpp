// SPDX-License-Identifier: Apache-2.0
// Connected components as in Printista and Saez, section V: divide halves the edges, every half is
// solved over all N vertices, combine unites what either half found connected. Where the edges lie
// in parts already (Placement::distributed), nothing is divided and nothing moves on the way down.
#pragma once

#include <cstddef>
#include <string_view>
#include <utility>

#include <cleave/application.hpp>

#include "apps/components/graph.hpp"
#include "apps/components/labelling.hpp"
#include "apps/components/union_find.hpp"

namespace cleave::components {

/// How labels of two parts are united.
enum class CombineForm {
  naive,  ///< N unions, as in the paper
  flat,   ///< a union only where both sides disagree
};

/// "naive", "flat".
constexpr std::string_view name_of(CombineForm form) {
  return form == CombineForm::naive ? "naive" : "flat";
}

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
