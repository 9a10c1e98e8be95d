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
#include "apps/components/slice.hpp"

namespace cleave::components {

enum class GraphFormat {
  /// One edge a line, two vertex numbers separated by blanks or tabs, as SNAP and KONECT publish
  /// them. What follows on the line (a weight, a date) is ignored, as are empty lines and those
  /// that start with '#' or '%'. Numbers are taken as they stand: a list that counts from 1 has an
  /// isolated vertex 0.
  text,
  /// Pairs of 32-bit little-endian vertex numbers and nothing else.
  binary,
  /// A square sparse matrix in coordinate format, an entry (i, j) being an edge (SuiteSparse).
  matrix_market,
  /// A line with the numbers of vertices and edges, then for each vertex a line with its
  /// neighbours, counted from 1; every edge is in two lines.
  metis,
};

/// "text", "binary", "matrix-market" or "metis". \throws UsageError
GraphFormat graph_format_named(std::string_view name);

/// By the file's name (.mtx, .graph, .metis, .bin) or by the header of a Matrix Market file, else
/// text. \throws FileError
GraphFormat graph_format_of(const std::filesystem::path& file);

struct ReadOptions {
  /// N; without it, what the file says, or its greatest vertex number and 1.
  std::optional<Vertex> vertices;
  /// The most memory that the edges may take on this rank.
  std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max();
};

/// What a slice of a file holds. The slices together are the graph.
struct GraphSlice {
  Edges edges;
  Vertex vertices = 0;       ///< as asked for or told by the file, else of this slice
  std::int64_t entries = 0;  ///< edges, or mentions of edges, that this slice has
  /// How many entries the whole file says it has, in the formats that say so.
  std::optional<std::int64_t> entries_told;
};

/// \throws FileError  naming the line (in a binary file, the edge): not a vertex number, out of
///                    range, the wrong length, not of this format, or too large for memory
GraphSlice read_graph(const std::filesystem::path& file, GraphFormat format,
                      const ReadOptions& options, Slice slice = {});

/// The same from the contents of `file`, which is named in messages only.
GraphSlice parse_graph(std::string_view contents, const std::filesystem::path& file,
                       GraphFormat format, const ReadOptions& options, Slice slice = {});

/// Refuses a file whose slices have `entries` in all: none, or not as many as it says.
/// \throws FileError
void check_entries(const std::filesystem::path& file, std::int64_t entries,
                   std::optional<std::int64_t> entries_told);

}  // namespace cleave::components
