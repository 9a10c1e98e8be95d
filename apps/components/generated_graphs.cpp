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

/// The grid's shape, and its edges by number.
class Grid {
 public:
  explicit Grid(Vertex vertices)
      : vertices_(vertices),
        width_(static_cast<std::int64_t>(std::ceil(std::sqrt(static_cast<double>(vertices))))) {
    const std::int64_t rows = vertices_ == 0 ? 0 : (vertices_ + width_ - 1) / width_;
    along_rows_ = vertices_ - rows;
    between_rows_ = std::max<std::int64_t>(vertices_ - width_, 0);
  }

  std::int64_t edges() const { return along_rows_ + between_rows_; }

  Edge edge(std::int64_t number) const {
    if (number < along_rows_) {
      const std::int64_t from = number / (width_ - 1) * width_ + number % (width_ - 1);
      return {static_cast<Vertex>(from), static_cast<Vertex>(from + 1)};
    }
    const std::int64_t from = number - along_rows_;
    return {static_cast<Vertex>(from), static_cast<Vertex>(from + width_)};
  }

 private:
  std::int64_t vertices_;
  std::int64_t width_;
  std::int64_t along_rows_ = 0;
  std::int64_t between_rows_ = 0;
};

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

std::int64_t grid_edges(Vertex vertices) { return Grid(vertices).edges(); }

Graph grid_graph(Vertex vertices, Slice slice) {
  const Grid grid(vertices);
  return sliced(vertices, grid.edges(), slice,
                [&](std::uint64_t i) { return grid.edge(static_cast<std::int64_t>(i)); });
}

Graph random_grid_graph(Vertex vertices, std::int64_t edges, std::uint64_t seed, Slice slice) {
  const Grid grid(vertices);
  const CounterRandom random(seed);
  const auto of = static_cast<std::uint64_t>(grid.edges());
  return sliced(vertices, edges, slice, [&](std::uint64_t i) {
    return grid.edge(static_cast<std::int64_t>(random(i) % of));
  });
}

}  // namespace cleave::components
