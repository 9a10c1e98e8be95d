// SPDX-License-Identifier: Apache-2.0
#include "apps/components/generated_graphs.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include <cleave/random.hpp>

namespace cleave::components {

namespace {

template <class EdgeNumber>
Graph sliced(Vertex vertices, std::int64_t edges, Slice slice, EdgeNumber&& edge_number) {
  const std::int64_t begin = slice.begin(edges);
  Edges of_slice(static_cast<std::size_t>(slice.end(edges) - begin));
  for (std::size_t i = 0; i < of_slice.size(); ++i) {
    of_slice[i] = edge_number(static_cast<std::uint64_t>(begin) + i);
  }
  return {.vertices = vertices, .edges = std::move(of_slice)};
}

/// A one-to-one map of the numbers of `bits` bits.
Vertex renumbered(Vertex vertex, int bits) {
  const Vertex mask = bits == 32 ? ~Vertex{0} : (Vertex{1} << bits) - 1;
  for (const Vertex odd : {0x9e3779b1U, 0x85ebca6bU, 0xc2b2ae35U}) {
    vertex = (vertex * odd) & mask;
    vertex ^= vertex >> ((bits + 1) / 2);
  }
  return vertex;
}

/// One step of the recursion from 32 uniform bits: a bit of either end.
Edge rmat_quadrant(std::uint32_t bits) {
  constexpr double kAll = 4294967296.0;
  constexpr auto kA = static_cast<std::uint32_t>(0.57 * kAll);
  constexpr auto kAB = static_cast<std::uint32_t>(0.76 * kAll);
  constexpr auto kABC = static_cast<std::uint32_t>(0.95 * kAll);
  return {.from = bits >= kAB ? 1U : 0U,
          .to = (bits >= kA && bits < kAB) || bits >= kABC ? 1U : 0U};
}

std::int64_t grid_width(Vertex vertices) {
  return static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(vertices))));
}

/// Edges along the rows of a grid.
std::int64_t along_rows(Vertex vertices) {
  const std::int64_t width = grid_width(vertices);
  return vertices == 0 ? 0 : vertices - (vertices + width - 1) / width;
}

}  // namespace

Graph random_graph(Vertex vertices, std::int64_t edges, std::uint64_t seed, Slice slice) {
  const CounterRandom random(seed);
  return sliced(vertices, edges, slice, [&](std::uint64_t i) {
    const std::uint64_t bits = random(i);
    return Edge{below(static_cast<std::uint32_t>(bits >> 32), vertices),
                below(static_cast<std::uint32_t>(bits), vertices)};
  });
}

Graph rmat_graph(Vertex vertices, std::int64_t edges, std::uint64_t seed, Slice slice) {
  constexpr std::uint64_t kDrawsPerEdge = 16;
  const CounterRandom random(seed);
  const int scale = std::countr_zero(vertices);
  return sliced(vertices, edges, slice, [&](std::uint64_t i) {
    Edge edge;
    for (int bit = 0; bit < scale; bit += 2) {
      const std::uint64_t bits = random(i * kDrawsPerEdge + static_cast<std::uint64_t>(bit) / 2);
      const Edge first = rmat_quadrant(static_cast<std::uint32_t>(bits));
      edge = {edge.from << 1 | first.from, edge.to << 1 | first.to};
      if (bit + 1 < scale) {
        const Edge second = rmat_quadrant(static_cast<std::uint32_t>(bits >> 32));
        edge = {edge.from << 1 | second.from, edge.to << 1 | second.to};
      }
    }
    return Edge{renumbered(edge.from, scale), renumbered(edge.to, scale)};
  });
}

std::int64_t grid_edges(Vertex vertices) {
  return along_rows(vertices) + std::max<std::int64_t>(vertices - grid_width(vertices), 0);
}

Graph grid_graph(Vertex vertices, Slice slice) {
  const auto width = static_cast<std::uint64_t>(grid_width(vertices));
  const auto in_rows = static_cast<std::uint64_t>(along_rows(vertices));
  return sliced(vertices, grid_edges(vertices), slice, [&](std::uint64_t i) {
    const std::uint64_t from =
        i < in_rows ? i / (width - 1) * width + i % (width - 1) : i - in_rows;
    return Edge{static_cast<Vertex>(from), static_cast<Vertex>(from + (i < in_rows ? 1 : width))};
  });
}

}  // namespace cleave::components
