// The graphs of cleave-components: random ones, and edge lists as public archives publish them.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string_view>

#include "apps/components/components.hpp"

namespace cleave {

/// A vertex is a 32-bit number, and so is the number of vertices.
inline constexpr std::int64_t kMostVertices = 0xffffffff;

/// A random graph G(N, M): the ends of each edge are drawn independently, so that loops and
/// repeated edges may occur. The i-th edge depends on `seed` and i alone.
Graph random_graph(Vertex vertices, std::int64_t edges, std::uint64_t seed);

/// The graph of an edge list, as SNAP, KONECT and others publish them: one edge a line, two vertex
/// numbers separated by blanks or tabs; what follows on the line (a weight, a date) is ignored, as
/// are empty lines and those that start with '#' or '%'. Numbers are taken as they stand: a list
/// that counts from 1 has an isolated vertex 0.
///
/// \param text      the whole file
/// \param file      its name, for messages
/// \param vertices  N; without it, the greatest vertex number and 1
/// \throws FileError  naming the line: not a vertex number, out of range; or if there is no edge
Graph parse_edge_list(std::string_view text, const std::filesystem::path& file,
                      std::optional<Vertex> vertices);

}  // namespace cleave
