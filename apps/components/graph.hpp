// Graphs as lists of edges.
#pragma once

#include <cstdint>
#include <vector>

#include "skeleton/row_storage.hpp"

namespace cleave {

using Vertex = std::uint32_t;

/// A vertex is a 32-bit number, and so is the number of vertices.
inline constexpr std::int64_t kMostVertices = 0xffffffff;

struct Edge {
  Vertex from = 0;
  Vertex to = 0;

  friend bool operator==(const Edge&, const Edge&) = default;
};

using Edges = Row<Edge>;

/// An undirected graph on the vertices 0 ... vertices - 1, or a part of its edges.
struct Graph {
  Vertex vertices = 0;
  Edges edges;
};

/// By vertex: the least vertex of its component.
using Labels = std::vector<Vertex>;

}  // namespace cleave
