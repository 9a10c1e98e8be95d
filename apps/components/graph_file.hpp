// SPDX-License-Identifier: Apache-2.0
// Graph files: edge lists (text and binary), Matrix Market and METIS. Each rank reads a slice of
// the file, and nothing of a file is believed before it was seen.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "apps/components/graph.hpp"
#include "apps/reading/slice.hpp"

namespace cleave::components {

using reading::Slice;

enum class GraphFormat {
  /// One edge a line, two vertex numbers separated by blanks, tabs, commas or semicolons, as SNAP
  /// and KONECT publish them. A weight and a date may follow, on every line alike. Empty lines are
  /// ignored, so are those that start with '#' or '%', and a first line of names in a CSV file.
  /// Numbers are taken as they stand: a list that counts from 1 has an isolated vertex 0.
  text,
  /// Pairs of 32-bit little-endian vertex numbers and nothing else.
  binary,
  /// A square sparse matrix in coordinate format, an entry (i, j) being an edge (SuiteSparse).
  matrix_market,
  /// A line with the numbers of vertices and edges, then for each vertex a line with its
  /// neighbours, counted from 1; every edge is in two lines.
  metis,
};

/// By the file's name (.mtx, .graph, .metis, .bin, before .gz where it is packed) or by the header
/// of a Matrix Market file, else text.
/// \param max_bytes  that an unpacked file may take
/// \throws FileError
GraphFormat graph_format_of(const std::filesystem::path& file,
                            std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max());

/// The number that the format gives its first vertex.
constexpr Vertex first_vertex_of(GraphFormat format) {
  return format == GraphFormat::matrix_market || format == GraphFormat::metis ? 1 : 0;
}

struct ReadOptions {
  /// N; without it, what the file says, or its greatest vertex number and 1.
  std::optional<Vertex> vertices = {};
  /// Of text: numbers of 64 bits, which `renumber` turns into vertices.
  bool renumbers = false;
  /// The most memory that the edges may take on this rank, or an unpacked file.
  std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max();
};

/// A vertex as the file numbers it.
using Id = std::uint64_t;

struct IdEdge {
  Id from = 0;
  Id to = 0;
};

/// What is known of a slice, or of several together.
struct GraphFacts {
  Vertex vertices = 0;       ///< as asked for or told by the file, else of this slice
  std::int64_t entries = 0;  ///< edges, or mentions of edges
  Id minimum = std::numeric_limits<Id>::max();  ///< of text: the least number that is named
  Id maximum = 0;                               ///< of text: the greatest after the first edge
  /// Of METIS: a sum over all mentions that is 0 if each edge is mentioned by both of its ends, and
  /// else once in 2^64.
  std::uint64_t one_sided = 0;

  /// Takes in what another slice has.
  void add(const GraphFacts& other);
};

/// What the first lines of a file say, the same for each slice.
struct GraphHead {
  /// How many entries the whole file says it has, in the formats that say so.
  std::optional<std::int64_t> entries = {};
  /// Of text: the whole numbers that the first edge's line begins with.
  std::vector<Id> first = {};
  std::string first_line = {};  ///< "line 3"
};

/// What a slice of a file holds. The slices together are the graph.
struct GraphSlice {
  Edges edges;
  Row<IdEdge> id_edges;  ///< in place of `edges`, where they are to be renumbered
  GraphFacts facts;
  GraphHead head;
};

/// \throws FileError  naming the line (in a binary file, the edge): not a vertex number, out of
///                    range, the wrong length, not of this format, or too large for memory
GraphSlice read_graph(const std::filesystem::path& file, GraphFormat format,
                      const ReadOptions& options, Slice slice = {});

/// The same from the contents of `file`, which is named in messages only.
GraphSlice parse_graph(std::string_view contents, const std::filesystem::path& file,
                       GraphFormat format, const ReadOptions& options, Slice slice = {});

/// Refuses a file whose slices have `all` together: no entry, not as many as it says, a first edge
/// that reads like a line of counts, edges of METIS on one side only.
/// \return  what a person should know of a file that is right: sentences
/// \throws FileError
std::vector<std::string> check_graph(const std::filesystem::path& file, const ReadOptions& options,
                                     const GraphFacts& all, const GraphHead& head);

/// The numbers that `edges` name, each once, ascending.
std::vector<Id> ids_of(const Row<IdEdge>& edges);

/// `edges` between places in `ids`, which holds all that they name, ascending.
Edges renumber(const Row<IdEdge>& edges, const std::vector<Id>& ids);

}  // namespace cleave::components
