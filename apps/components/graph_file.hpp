// SPDX-License-Identifier: Apache-2.0
// Graph files. Each rank reads a slice of one. A file says what it is by how it begins.
// Binary begins with "CleaveG1" and the number of vertices as 64 bits. Pairs of vertex numbers of
// 32 bits follow. All are little-endian.
// Matrix Market begins with "%%MatrixMarket matrix coordinate". It is a square sparse matrix, and
// each entry is an edge.
// Text is anything else. It has two vertex numbers a line, from 0. A line that begins with '#' is a
// comment. Each may be packed by gzip.
#pragma once

#include <cstdint>
#include <filesystem>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include "apps/components/graph.hpp"
#include "apps/reading/reading.hpp"

namespace cleave::components {

using reading::Slice;

struct ReadOptions {
  /// N; without it, what the file says, or its greatest vertex number and 1.
  std::optional<Vertex> vertices = {};
  /// The most memory that the edges may take on this rank, or an unpacked file.
  std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max();
};

/// Facts on a slice, or on several together.
struct GraphFacts {
  Vertex vertices = 0;       ///< as asked for or told by the file, else of this slice
  std::int64_t entries = 0;  ///< edges
  Vertex minimum = std::numeric_limits<Vertex>::max();  ///< of text: the least number
  Vertex maximum = 0;  ///< of text: the greatest after the first edge

  /// Takes in what another slice has.
  void add(const GraphFacts& other);
};

/// The first lines of a file, the same for each slice.
struct GraphHead {
  Vertex first_vertex = 0;  ///< the number that the format gives it
  /// How many entries the whole file says it has, in the formats that say so.
  std::optional<std::int64_t> entries = {};
  Edge first = {};  ///< of text: the first edge
};

/// The edges of a slice of a file. The slices together are the graph.
struct GraphSlice {
  Edges edges;
  GraphFacts facts;
  GraphHead head;
};

/// \throws FileError  naming the line (in a binary file, the edge): not a vertex number, out of
///                    range, the wrong length, not of this format, or too large for memory
GraphSlice read_graph(const std::filesystem::path& file, const ReadOptions& options,
                      Slice slice = {});

/// The graph in the contents of `file`, which is named in messages only.
GraphSlice parse_graph(std::string_view contents, const std::filesystem::path& file,
                       const ReadOptions& options, Slice slice = {});

/// Refuses a file whose slices have `all` together: no entry, not as many as it says, or a first
/// edge that reads like a line of counts.
/// \return  what a person should know of a file that is right; empty if nothing
/// \throws FileError
std::string check_graph(const std::filesystem::path& file, const ReadOptions& options,
                        const GraphFacts& all, const GraphHead& head);

}  // namespace cleave::components
