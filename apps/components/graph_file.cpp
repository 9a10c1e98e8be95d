// SPDX-License-Identifier: Apache-2.0
#include "apps/components/graph_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstring>
#include <utility>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/suggestion.hpp>

#include "apps/components/edge_lines.hpp"

namespace cleave::components {

namespace {

constexpr std::string_view kMatrixMarket = "%%MatrixMarket";
constexpr std::array<std::pair<std::string_view, GraphFormat>, 4> kFormats = {
    {{"text", GraphFormat::text},
     {"binary", GraphFormat::binary},
     {"matrix-market", GraphFormat::matrix_market},
     {"metis", GraphFormat::metis}}};

/// The greatest vertex that a file of so many bytes may name: so a short file cannot ask for more
/// memory than a multiple of its length.
std::int64_t max_vertex(std::size_t file_bytes, const ReadOptions& options) {
  constexpr std::int64_t kPerByte = 16;
  constexpr std::int64_t kAlways = 1 << 20;
  if (options.vertices) {
    return std::int64_t{*options.vertices} - 1;
  }
  const auto bytes = static_cast<std::int64_t>(file_bytes);
  return std::min(std::max(kAlways, kPerByte * bytes), std::int64_t{kMaxVertices}) - 1;
}

/// What to do about a vertex beyond it.
std::string_view hint_of(const ReadOptions& options) {
  return options.vertices ? "" : "; --size N=COUNT allows more vertices";
}

GraphSlice parse_text(std::string_view contents, const std::filesystem::path& file,
                      const ReadOptions& options, Slice slice) {
  Lines lines(contents, file);
  const auto size = static_cast<std::int64_t>(contents.size());
  const std::int64_t last_allowed = max_vertex(contents.size(), options);
  EdgeStore edges(file, options.max_bytes);
  Vertex maximum = 0;
  lines.go_to_line_from(static_cast<std::size_t>(slice.begin(size)));
  const auto end = static_cast<std::size_t>(slice.end(size));
  for (std::string_view line; lines.at() < end && lines.take_line(line);) {
    if (line.starts_with(kMatrixMarket)) {
      lines.refuse(
          "this is a Matrix Market file, whose sizes would be read as an edge; read it by "
          "--format matrix-market");
    }
    std::string_view rest = line;
    const std::string_view first = take_token(rest);
    if (first.empty() || first.front() == '#' || first.front() == '%') {
      continue;
    }
    const auto take_vertex = [&] {
      return static_cast<Vertex>(
          lines.take_number(line, "vertex number", 0, last_allowed, hint_of(options)));
    };
    const Vertex from = take_vertex();
    const Vertex to = take_vertex();
    maximum = std::max({maximum, from, to});
    edges.add({from, to});
  }
  const auto count = static_cast<std::int64_t>(edges.size());
  const Vertex seen = count == 0 ? 0 : maximum + 1;
  return {.edges = edges.take(), .vertices = options.vertices.value_or(seen), .entries = count};
}

GraphSlice parse_binary(std::string_view contents, const std::filesystem::path& file,
                        const ReadOptions& options, Slice slice) {
  if (contents.size() % sizeof(Edge) != 0) {
    throw FileError(file, fmt::format("holds {} bytes, which is not a whole number of edges of {} "
                                      "bytes",
                                      contents.size(), sizeof(Edge)));
  }
  const auto total = static_cast<std::int64_t>(contents.size() / sizeof(Edge));
  const std::int64_t first = slice.begin(total);
  const auto count = static_cast<std::size_t>(slice.end(total) - first);
  EdgeStore(file, options.max_bytes).reserve(count);
  GraphSlice read{.edges = Edges(count),
                  .vertices = options.vertices.value_or(0),
                  .entries = static_cast<std::int64_t>(count)};
  if (count > 0) {
    std::memcpy(read.edges.data(), contents.data() + static_cast<std::size_t>(first) * sizeof(Edge),
                count * sizeof(Edge));
  }
  const std::int64_t maximum = max_vertex(contents.size(), options);
  for (std::size_t i = 0; i < count; ++i) {
    const Vertex greater = std::max(read.edges[i].from, read.edges[i].to);
    if (greater > maximum) {
      throw FileError(file, fmt::format("edge {}: vertex number {} is out of range: from 0 to {}{}",
                                        static_cast<std::size_t>(first) + i + 1, greater, maximum,
                                        hint_of(options)));
    }
    read.vertices = std::max(read.vertices, greater + 1);
  }
  return read;
}

std::string lower(std::string_view text) {
  std::string copy(text);
  std::transform(copy.begin(), copy.end(), copy.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return copy;
}

GraphSlice parse_matrix_market(std::string_view contents, const std::filesystem::path& file,
                               const ReadOptions& options, Slice slice) {
  Lines lines(contents, file);
  std::string_view line;
  if (!lines.take_line(line) || !line.starts_with(kMatrixMarket)) {
    throw FileError(file, "is not a Matrix Market file: line 1 must begin with %%MatrixMarket");
  }
  take_token(line);
  const std::string object = lower(take_token(line));
  const std::string layout = lower(take_token(line));
  if (object != "matrix" || layout != "coordinate") {
    lines.refuse(fmt::format("'{} {}' is not a graph, expected 'matrix coordinate'",
                             shortened(object), shortened(layout)));
  }
  do {
    if (!lines.take_line(line)) {
      throw FileError(file, "cut short: the line of sizes is missing");
    }
  } while (line.starts_with('%') || line.find_first_not_of(kBlanks) == std::string_view::npos);
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const std::int64_t rows = lines.take_number(line, "number of rows", 0, kMaxVertices);
  const std::int64_t columns = lines.take_number(line, "number of columns", 0, kMaxVertices);
  const std::int64_t told = lines.take_number(line, "number of entries", 0, kMax);
  if (rows != columns) {
    lines.refuse(fmt::format("{} rows and {} columns, a graph's matrix is square", rows, columns));
  }
  if (options.vertices && rows > *options.vertices) {
    lines.refuse(
        fmt::format("{} rows, more than the {} vertices asked for", rows, *options.vertices));
  }

  EdgeStore edges(file, options.max_bytes);
  const std::size_t begin = lines.at();
  const auto size = static_cast<std::int64_t>(contents.size() - begin);
  lines.go_to_line_from(begin + static_cast<std::size_t>(slice.begin(size)));
  const std::size_t end = begin + static_cast<std::size_t>(slice.end(size));
  while (lines.at() < end && lines.take_line(line)) {
    if (line.starts_with('%') || line.find_first_not_of(kBlanks) == std::string_view::npos) {
      continue;
    }
    const auto from = static_cast<Vertex>(lines.take_number(line, "row", 1, rows) - 1);
    const auto to = static_cast<Vertex>(lines.take_number(line, "column", 1, rows) - 1);
    edges.add({from, to});
  }
  const auto count = static_cast<std::int64_t>(edges.size());
  return {.edges = edges.take(),
          .vertices = options.vertices.value_or(static_cast<Vertex>(rows)),
          .entries = count,
          .entries_told = told};
}

/// The header of a METIS graph, and what stands on a line before and between its neighbours.
struct MetisHeader {
  std::int64_t vertices = 0;
  std::int64_t edges = 0;
  std::int64_t numbers_before = 0;  ///< a vertex's size and weights
  bool has_edge_weights = false;
};

MetisHeader take_metis_header(const Lines& lines, std::string_view line) {
  constexpr std::int64_t kMaxEdges = std::numeric_limits<std::int64_t>::max() / 2;
  MetisHeader header;
  header.vertices = lines.take_number(line, "number of vertices", 0, kMaxVertices);
  header.edges = lines.take_number(line, "number of edges", 0, kMaxEdges);
  std::string format(take_token(line));
  if (format.size() > 3 || format.find_first_not_of("01") != std::string::npos) {
    lines.refuse(
        fmt::format("'{}' is not a format: up to three digits, each 0 or 1", shortened(format)));
  }
  format.insert(0, 3 - format.size(), '0');
  header.has_edge_weights = format[2] == '1';
  std::int64_t weights = format[1] == '1' ? 1 : 0;
  if (line.find_first_not_of(kBlanks) != std::string_view::npos) {
    constexpr std::int64_t kMaxWeights = 1000;
    const std::int64_t told = lines.take_number(line, "number of weights", 0, kMaxWeights);
    weights = format[1] == '1' ? told : 0;
  }
  header.numbers_before = weights + (format[0] == '1' ? 1 : 0);
  return header;
}

/// Takes the line of `vertex`, which counts from 1. Each edge is mentioned by both of its ends and
/// taken from the lesser. \return  how many neighbours the line has
std::int64_t take_metis_neighbours(const Lines& lines, std::string_view line,
                                   const MetisHeader& header, std::int64_t vertex,
                                   EdgeStore& edges) {
  constexpr std::int64_t kMaxWeight = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t i = 0; i < header.numbers_before; ++i) {
    lines.take_number(line, "weight", 0, kMaxWeight);
  }
  std::int64_t mentions = 0;
  while (line.find_first_not_of(kBlanks) != std::string_view::npos) {
    const std::int64_t neighbour = lines.take_number(line, "vertex", 1, header.vertices);
    if (header.has_edge_weights) {
      lines.take_number(line, "edge weight", 0, kMaxWeight);
    }
    ++mentions;
    if (neighbour > vertex) {
      edges.add({static_cast<Vertex>(vertex - 1), static_cast<Vertex>(neighbour - 1)});
    }
  }
  return mentions;
}

GraphSlice parse_metis(std::string_view contents, const std::filesystem::path& file,
                       const ReadOptions& options, Slice slice) {
  Lines lines(contents, file);
  std::string_view line;
  do {
    if (!lines.take_line(line)) {
      throw FileError(file, "cut short: the line of sizes is missing");
    }
  } while (line.starts_with('%'));
  const MetisHeader header = take_metis_header(lines, line);
  if (options.vertices && header.vertices > *options.vertices) {
    lines.refuse(
        fmt::format("{} vertices, more than the {} asked for", header.vertices, *options.vertices));
  }

  EdgeStore edges(file, options.max_bytes);
  const std::size_t begin = lines.at();
  const auto size = static_cast<std::int64_t>(contents.size() - begin);
  const std::size_t from = begin + static_cast<std::size_t>(slice.begin(size));
  const std::size_t end = begin + static_cast<std::size_t>(slice.end(size));
  std::int64_t vertex = 0;
  std::int64_t mentions = 0;
  // The lines before the slice are counted, since a line's number is its vertex.
  while (lines.at() < end) {
    const bool is_mine = lines.at() >= from;
    if (!lines.take_line(line)) {
      break;
    }
    if (line.starts_with('%')) {
      continue;
    }
    ++vertex;
    if (vertex > header.vertices) {
      if (line.find_first_not_of(kBlanks) != std::string_view::npos) {
        lines.refuse(fmt::format("more lines than the {} vertices told", header.vertices));
      }
      continue;
    }
    if (!is_mine) {
      continue;
    }
    mentions += take_metis_neighbours(lines, line, header, vertex, edges);
  }
  if (slice.index == slice.count - 1 && vertex < header.vertices) {
    throw FileError(file, fmt::format("cut short: {} lines of neighbours for {} vertices", vertex,
                                      header.vertices));
  }
  return {.edges = edges.take(),
          .vertices = options.vertices.value_or(static_cast<Vertex>(header.vertices)),
          .entries = mentions,
          .entries_told = 2 * header.edges};
}

}  // namespace

GraphFormat graph_format_named(std::string_view name) {
  for (const auto& [known, format] : kFormats) {
    if (known == name) {
      return format;
    }
  }
  throw UsageError(fmt::format(
      "'{}' is not one of auto, text, binary, matrix-market, metis{}", name,
      detail::did_you_mean(name, {"auto", "text", "binary", "matrix-market", "metis"})));
}

GraphFormat graph_format_of(const std::filesystem::path& file) {
  const std::string extension = lower(file.extension().string());
  if (extension == ".mtx") {
    return GraphFormat::matrix_market;
  }
  if (extension == ".graph" || extension == ".metis") {
    return GraphFormat::metis;
  }
  if (extension == ".bin") {
    return GraphFormat::binary;
  }
  const MappedFile mapped(file);
  return mapped.contents().starts_with(kMatrixMarket) ? GraphFormat::matrix_market
                                                      : GraphFormat::text;
}

GraphSlice read_graph(const std::filesystem::path& file, GraphFormat format,
                      const ReadOptions& options, Slice slice) {
  const MappedFile mapped(file);
  return parse_graph(mapped.contents(), file, format, options, slice);
}

GraphSlice parse_graph(std::string_view contents, const std::filesystem::path& file,
                       GraphFormat format, const ReadOptions& options, Slice slice) {
  switch (format) {
    case GraphFormat::text:
      return parse_text(contents, file, options, slice);
    case GraphFormat::binary:
      return parse_binary(contents, file, options, slice);
    case GraphFormat::matrix_market:
      return parse_matrix_market(contents, file, options, slice);
    case GraphFormat::metis:
      return parse_metis(contents, file, options, slice);
  }
  return {};
}

void check_entries(const std::filesystem::path& file, std::int64_t entries,
                   std::optional<std::int64_t> entries_told) {
  if (entries_told && entries != *entries_told) {
    throw FileError(file,
                    fmt::format("says that it has {} entries, but has {}", *entries_told, entries));
  }
  if (!entries_told && entries == 0) {
    throw FileError(file, "holds no edge");
  }
}

}  // namespace cleave::components
