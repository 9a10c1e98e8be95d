// SPDX-License-Identifier: Apache-2.0
#include "apps/components/check.hpp"

#include <fmt/format.h>

#include <limits>

namespace cleave::components {

namespace {

/// Adjacency lists one after the other: those of v are neighbours[begin[v]] ... [begin[v + 1] - 1].
struct Adjacency {
  std::vector<std::size_t> begin;
  std::vector<Vertex> neighbours;
};

Adjacency adjacency_of(const Graph& graph) {
  Adjacency lists{.begin = std::vector<std::size_t>(std::size_t{graph.vertices} + 1),
                  .neighbours = std::vector<Vertex>(2 * graph.edges.size())};
  for (const Edge& edge : graph.edges) {
    ++lists.begin[edge.from];
    ++lists.begin[edge.to];
  }
  std::size_t end = 0;
  for (std::size_t& list : lists.begin) {
    end += list;
    list = end;
  }
  // Each list is filled from its end, after which its begin is where it should be.
  for (const Edge& edge : graph.edges) {
    lists.neighbours[--lists.begin[edge.from]] = edge.to;
    lists.neighbours[--lists.begin[edge.to]] = edge.from;
  }
  return lists;
}

}  // namespace

Labels search_components(const Graph& graph) {
  constexpr Vertex kUnseen = std::numeric_limits<Vertex>::max();
  const Adjacency lists = adjacency_of(graph);
  Labels labels(graph.vertices, kUnseen);
  std::vector<Vertex> queue;
  for (Vertex minimum = 0; minimum < graph.vertices; ++minimum) {
    if (labels[minimum] != kUnseen) {
      continue;
    }
    labels[minimum] = minimum;
    queue.assign(1, minimum);
    for (std::size_t next = 0; next < queue.size(); ++next) {
      const Vertex v = queue[next];
      for (std::size_t i = lists.begin[v]; i < lists.begin[v + std::size_t{1}]; ++i) {
        const Vertex neighbour = lists.neighbours[i];
        if (labels[neighbour] == kUnseen) {
          labels[neighbour] = minimum;
          queue.push_back(neighbour);
        }
      }
    }
  }
  return labels;
}

std::optional<std::string> wrong_labels(const Graph& graph, std::span<const Vertex> labels) {
  if (labels.size() != graph.vertices) {
    return fmt::format("{} labels for {} vertices", labels.size(), graph.vertices);
  }
  const Labels searched = search_components(graph);
  for (Vertex v = 0; v < graph.vertices; ++v) {
    if (labels[v] != searched[v]) {
      return fmt::format("vertex {} has label {}, breadth-first search gives {}", v, labels[v],
                         searched[v]);
    }
  }
  return std::nullopt;
}

std::int64_t count_components(std::span<const Vertex> labels) {
  std::int64_t roots = 0;
  for (Vertex v = 0; v < labels.size(); ++v) {
    roots += labels[v] == v ? 1 : 0;
  }
  return roots;
}

}  // namespace cleave::components
