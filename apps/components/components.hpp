// Connected components as in Printista and Saez, section V: divide halves the edges, every half is
// solved over all N vertices, combine unites what either half found connected.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "skeleton/application.hpp"

namespace cleave {

using Vertex = std::uint32_t;

struct Edge {
  Vertex from = 0;
  Vertex to = 0;

  friend bool operator==(const Edge&, const Edge&) = default;
};

/// An undirected graph on the vertices 0 ... vertices - 1.
struct Graph {
  Vertex vertices = 0;
  std::vector<Edge> edges;
};

/// By vertex: the least vertex of its component.
using Labels = std::vector<Vertex>;

/// Labels of a graph without edges: every vertex is its own component.
Labels separate(Vertex vertices);

/// Unites the components of the ends of every edge. Costs about one or two random accesses to the
/// labels for each edge, and a pass over all labels.
Labels unite(Labels labels, const std::vector<Edge>& edges);

/// Unites every vertex with its label in `others`.
Labels unite(Labels labels, const Labels& others);

struct Components {
  using Problem = Graph;
  using Solution = Labels;

  bool trivial(const Graph& graph) const { return graph.edges.size() < 2; }

  Labels conquer(const Graph& graph) const { return sequential(graph); }

  Halves<Graph> divide(Graph graph, Share share) const {
    const std::size_t left_edges = graph.edges.size() * static_cast<std::size_t>(share.left) /
                                   static_cast<std::size_t>(share.total);
    const auto cut = graph.edges.begin() + static_cast<std::ptrdiff_t>(left_edges);
    Graph right{.vertices = graph.vertices, .edges = {cut, graph.edges.end()}};
    graph.edges.erase(cut, graph.edges.end());
    return {std::move(graph), std::move(right)};
  }

  Labels combine(Labels left, const Labels& right) const { return unite(std::move(left), right); }

  Labels sequential(const Graph& graph) const {
    return unite(separate(graph.vertices), graph.edges);
  }

  Sizes sizes(const Graph& graph) const {
    return {{"N", graph.vertices}, {"M", graph.edges.size()}};
  }
  Sizes solution_sizes(const Labels& labels) const { return {{"N", labels.size()}}; }
};

}  // namespace cleave
