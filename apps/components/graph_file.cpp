// SPDX-License-Identifier: Apache-2.0
#include "apps/components/graph_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include <cleave/error.hpp>

namespace cleave::components {

using reading::is_blank;
using reading::Lines;
using reading::shortened;
using reading::take_field;

namespace {

constexpr std::string_view kBinary = "CleaveG1";
constexpr std::string_view kMatrixMarket = "%%MatrixMarket";
constexpr std::string_view kConvert =
    "; python -m cleave.convert FILE makes other files one that is read";

/// Refuses so many edges as are too many for a rank.
void check_fits(const std::filesystem::path& file, std::size_t edges, const ReadOptions& options) {
  const auto maximum = static_cast<std::size_t>(options.max_bytes) / sizeof(Edge);
  if (edges > maximum) {
    throw FileError(file, fmt::format("too large for this machine: a rank's share is {} edges or "
                                      "more, {} of them fit into memory",
                                      edges, maximum));
  }
}

GraphSlice parse_binary(std::string_view contents, const std::filesystem::path& file,
                        const ReadOptions& options, Slice slice) {
  std::uint64_t vertices = 0;
  const std::size_t head = kBinary.size() + sizeof(vertices);
  if (contents.size() < head || (contents.size() - head) % sizeof(Edge) != 0) {
    throw FileError(file, fmt::format("holds {} bytes: {}, and {} for each edge, are expected",
                                      contents.size(), head, sizeof(Edge)));
  }
  std::memcpy(&vertices, contents.data() + kBinary.size(), sizeof(vertices));
  contents.remove_prefix(head);
  if (std::cmp_greater(vertices, kMaxVertices)) {
    throw FileError(
        file, fmt::format("has {} vertices, at most {} are labelled", vertices, kMaxVertices));
  }
  const auto total = static_cast<std::int64_t>(contents.size() / sizeof(Edge));
  const auto first = static_cast<std::size_t>(slice.begin(total));
  const auto count = static_cast<std::size_t>(slice.end(total)) - first;
  check_fits(file, count, options);
  GraphSlice read{.edges = Edges(count),
                  .facts = {.vertices = options.vertices.value_or(static_cast<Vertex>(vertices)),
                            .entries = static_cast<std::int64_t>(count)}};
  if (count > 0) {
    std::memcpy(read.edges.data(), contents.data() + first * sizeof(Edge), count * sizeof(Edge));
  }
  for (std::size_t i = 0; i < count; ++i) {
    const Vertex greater = std::max(read.edges[i].from, read.edges[i].to);
    if (greater >= read.facts.vertices) {
      throw FileError(file, fmt::format("edge {}: vertex number {} is out of range: {} vertices",
                                        first + i + 1, greater, read.facts.vertices));
    }
  }
  return read;
}

/// Reads the lines of a slice of what follows `lines`; `take_edge` reads one, without its end.
template <class TakeEdge>
Edges take_edges(Lines& lines, std::string_view contents, const std::filesystem::path& file,
                 const ReadOptions& options, Slice slice, char comment, TakeEdge&& take_edge) {
  const std::size_t begin = lines.at();
  const auto size = static_cast<std::int64_t>(contents.size() - std::min(begin, contents.size()));
  lines.go_to_line_from(begin + static_cast<std::size_t>(slice.begin(size)));
  const std::size_t end = begin + static_cast<std::size_t>(slice.end(size));
  Edges edges;
  for (std::string_view line; lines.at() < end && lines.take_line(line);) {
    if (line.starts_with(comment) || is_blank(line)) {
      continue;
    }
    if (edges.size() == edges.capacity()) {
      check_fits(file, edges.size() + 1, options);
      const auto maximum = static_cast<std::size_t>(options.max_bytes) / sizeof(Edge);
      edges.reserve(std::min(2 * edges.size() + 1, maximum));
    }
    edges.push_back(take_edge(line));
    if (!is_blank(line)) {
      lines.refuse(fmt::format("'{}' follows the edge{}", shortened(line), kConvert));
    }
  }
  return edges;
}

/// The head of a Matrix Market file.
struct MatrixHead {
  int values = 0;  ///< of an entry
  Vertex rows = 0;
  std::int64_t entries = 0;
};

MatrixHead take_matrix_head(Lines& lines, const std::filesystem::path& file,
                            const ReadOptions& options) {
  constexpr std::array<std::pair<std::string_view, int>, 4> kValues = {
      {{"pattern", 0}, {"real", 1}, {"integer", 1}, {"complex", 2}}};
  constexpr std::array<std::string_view, 4> kSymmetries = {"general", "symmetric", "skew-symmetric",
                                                           "hermitian"};
  std::string_view line;
  lines.take_line(line);
  std::array<std::string_view, 5> words;
  std::ranges::generate(words, [&] { return take_field(line); });
  const auto& [banner, object, layout, values, symmetry] = words;
  const auto* const kind =
      std::ranges::find(kValues, values, &std::pair<std::string_view, int>::first);
  if (banner != kMatrixMarket || object != "matrix" || layout != "coordinate" ||
      kind == kValues.end() || std::ranges::count(kSymmetries, symmetry) == 0 || !is_blank(line)) {
    lines.refuse(
        "expected '%%MatrixMarket matrix coordinate VALUES SYMMETRY', VALUES pattern, real, "
        "integer or complex, SYMMETRY general, symmetric, skew-symmetric or hermitian");
  }
  do {
    if (!lines.take_line(line)) {
      throw FileError(file, "cut short: the line of sizes is missing");
    }
  } while (line.starts_with('%') || is_blank(line));
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const auto rows = lines.take_number<std::int64_t>(line, "number of rows", 0, kMaxVertices);
  const auto columns = lines.take_number<std::int64_t>(line, "number of columns", 0, kMaxVertices);
  const auto entries = lines.take_number<std::int64_t>(line, "number of entries", 0, kMax);
  if (!is_blank(line)) {
    lines.refuse(fmt::format("'{}' follows the line of sizes", shortened(line)));
  }
  if (rows != columns) {
    lines.refuse(fmt::format("{} rows and {} columns, a graph's matrix is square", rows, columns));
  }
  if (options.vertices && rows > *options.vertices) {
    lines.refuse(fmt::format("{} rows, more than N={}", rows, *options.vertices));
  }
  return {.values = kind->second, .rows = static_cast<Vertex>(rows), .entries = entries};
}

GraphSlice parse_matrix_market(std::string_view contents, const std::filesystem::path& file,
                               const ReadOptions& options, Slice slice) {
  Lines lines(contents, file);
  const MatrixHead head = take_matrix_head(lines, file, options);
  Edges edges = take_edges(lines, contents, file, options, slice, '%', [&](std::string_view& line) {
    const auto row = lines.take_number<Vertex>(line, "row", 1, head.rows);
    const auto column = lines.take_number<Vertex>(line, "column", 1, head.rows);
    for (int value = 0; value < head.values; ++value) {
      if (take_field(line).empty()) {
        lines.refuse(
            fmt::format("the entry has {} values, the first line promises {}", value, head.values));
      }
    }
    return Edge{row - 1, column - 1};
  });
  const auto count = static_cast<std::int64_t>(edges.size());
  return {.edges = std::move(edges),
          .facts = {.vertices = options.vertices.value_or(head.rows), .entries = count},
          .head = {.first_vertex = 1, .entries = head.entries}};
}

/// The greatest vertex that a text of so many bytes may name without --size: so a short file cannot
/// ask for more memory than a multiple of its length.
Vertex max_vertex(std::size_t bytes, const ReadOptions& options) {
  constexpr std::int64_t kPerByte = 16;
  constexpr std::int64_t kAlways = 1 << 20;
  const std::int64_t vertices =
      std::clamp(kPerByte * static_cast<std::int64_t>(bytes), kAlways, kMaxVertices);
  return options.vertices.value_or(static_cast<Vertex>(vertices)) - 1;
}

GraphSlice parse_text(std::string_view contents, const std::filesystem::path& file,
                      const ReadOptions& options, Slice slice) {
  const Vertex maximum = max_vertex(contents.size(), options);
  const std::string hint =
      options.vertices ? "" : fmt::format("; --size N=COUNT allows more vertices{}", kConvert);
  const auto take_edge = [&](const Lines& lines, std::string_view& line) {
    const auto from = lines.take_number<Vertex>(line, "vertex number", 0, maximum, hint);
    const auto to = lines.take_number<Vertex>(line, "vertex number", 0, maximum, hint);
    return Edge{from, to};
  };
  Lines at_first(contents, file);
  std::string_view line;
  while (at_first.take_line(line) && (line.starts_with('#') || is_blank(line))) {
  }
  GraphSlice read;
  read.head.first = is_blank(line) || line.starts_with('#') ? Edge{} : take_edge(at_first, line);
  Lines lines(contents, file);
  read.edges = take_edges(lines, contents, file, options, slice, '#', [&](std::string_view& rest) {
    const Edge edge = take_edge(lines, rest);
    const auto [lesser, greater] = std::minmax(edge.from, edge.to);
    read.facts.minimum = std::min(read.facts.minimum, lesser);
    read.facts.vertices = std::max(read.facts.vertices, greater + 1);
    if (lines.line_at() != at_first.line_at()) {
      read.facts.maximum = std::max(read.facts.maximum, greater);
    }
    return edge;
  });
  read.facts.entries = static_cast<std::int64_t>(read.edges.size());
  read.facts.vertices = options.vertices.value_or(read.facts.vertices);
  return read;
}

/// Whether the first edge is rather the file's vertices and edges, each of which may be on two
/// lines, or its edges and vertices.
bool are_counts(const Edge& first, const GraphFacts& all) {
  const std::int64_t lines = all.entries - 1;
  return lines > 0 && ((first.from >= all.maximum &&
                        (first.to == lines || 2 * std::int64_t{first.to} == lines)) ||
                       (first.to >= all.maximum && first.from == lines));
}

}  // namespace

GraphSlice read_graph(const std::filesystem::path& file, const ReadOptions& options, Slice slice) {
  const reading::Contents contents(file, options.max_bytes);
  return parse_graph(contents.text(), file, options, slice);
}

GraphSlice parse_graph(std::string_view contents, const std::filesystem::path& file,
                       const ReadOptions& options, Slice slice) {
  if (contents.starts_with(kBinary)) {
    return parse_binary(contents, file, options, slice);
  }
  if (contents.starts_with(kMatrixMarket)) {
    return parse_matrix_market(contents, file, options, slice);
  }
  return parse_text(contents, file, options, slice);
}

void GraphFacts::add(const GraphFacts& other) {
  vertices = std::max(vertices, other.vertices);
  entries += other.entries;
  minimum = std::min(minimum, other.minimum);
  maximum = std::max(maximum, other.maximum);
}

std::string check_graph(const std::filesystem::path& file, const ReadOptions& options,
                        const GraphFacts& all, const GraphHead& head) {
  if (head.entries && all.entries != *head.entries) {
    throw FileError(
        file, fmt::format("says that it has {} entries, but has {}", *head.entries, all.entries));
  }
  if (!head.entries && all.entries == 0) {
    throw FileError(file, "holds no edge");
  }
  const bool is_text = all.minimum != GraphFacts{}.minimum;
  if (is_text && !options.vertices && are_counts(head.first, all)) {
    throw FileError(file, fmt::format("the first edge, {} {}, reads like a line of counts: begin "
                                      "it with '#', or take --size N={} if it is an edge",
                                      head.first.from, head.first.to, all.vertices));
  }
  return is_text && !options.vertices && all.minimum > 0
             ? fmt::format("{}: no line names vertex 0, which is a component of its own",
                           file.string())
             : "";
}

}  // namespace cleave::components
