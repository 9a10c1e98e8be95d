// SPDX-License-Identifier: Apache-2.0
// Graphs that are made by a rule, edge by edge: the i-th depends on the seed and i alone, so that
// every rank makes its own share.
#pragma once

#include <cstdint>

#include "apps/components/graph.hpp"
#include "apps/reading/reading.hpp"

namespace cleave::components {

using reading::Slice;

/// A random graph G(N, M): the ends of each edge are drawn independently, so that loops and
/// repeated edges may occur.
Graph random_graph(Vertex vertices, std::int64_t edges, std::uint64_t seed, Slice slice = {});

/// An R-MAT graph (Chakrabarti, Zhan, Faloutsos: "R-MAT: A Recursive Model for Graph Mining", 2004)
/// with the parameters of Graph500. Each bit of the two ends is (0,0), (0,1), (1,0), (1,1) with
/// probabilities 0.57, 0.19, 0.19, 0.05. Vertices are renumbered by a fixed permutation.
/// \pre  `vertices` is a power of two
Graph rmat_graph(Vertex vertices, std::int64_t edges, std::uint64_t seed, Slice slice = {});

/// How many edges the grid of `vertices` has: see `grid_graph`.
std::int64_t grid_edges(Vertex vertices);

/// Vertices row by row in a square as far as they go, each linked to the next in its row and to the
/// one below. All edges along rows come first, then those between them.
Graph grid_graph(Vertex vertices, Slice slice = {});

}  // namespace cleave::components
