// SPDX-License-Identifier: Apache-2.0
// Union-find over all vertices of a graph. Links go from a vertex to a lesser one, so that a root
// is the least vertex of its tree, and one ascending pass flattens a forest into labels.
#pragma once

#include <span>

#include "apps/components/graph.hpp"

namespace cleave::components {

/// The vertices outside of which every label is its vertex: at most 126 more than the least such
/// range. Cost: about 0.05 ns a vertex outside.
VertexRange changed_range(std::span<const Vertex> labels);

/// Unites the components of the ends of every edge. Where the ends of an edge are near those of the
/// edge before, as a sample says, one after the other; else the giant component is looked for.
///
/// Cost, measured with labels that fit the last cache: about 14 ns for each of the first N edges of
/// a random graph; later ones 1.3 ns where both ends are in the giant component, which is most of
/// them, else 8 ns; and 1 ns a vertex. Near ones take 0.6 to 1.2 ns each.
/// \pre  `labels` are flat; they are so again afterwards
void unite(std::span<Vertex> labels, std::span<const Edge> edges);

/// Unites every vertex with its label in `others`: N unions, as the paper's combine has them.
/// \pre  flat `labels`; they are so again afterwards
void unite_each(std::span<Vertex> labels, std::span<const Vertex> others);

/// `unite_each` for flat `others`, of which the changed range is looked at: the giants of both
/// sides are united first. A vertex that is a root on either side takes the other side's label, and
/// a union is left for a vertex that is a root on neither and whose two labels are unlike and not
/// those of the giants. Then one ascending pass. Cost: about 0.6 ns a vertex and 4 ns a union.
void unite_flat(std::span<Vertex> labels, std::span<const Vertex> others);

/// The root that most of a sample of the vertices have. \pre at least one vertex
Vertex most_frequent(std::span<const Vertex> labels);

}  // namespace cleave::components
