// SPDX-License-Identifier: Apache-2.0
#include "apps/components/graph_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <utility>

#include <cleave/error.hpp>
#include <cleave/random.hpp>
#include <cleave/sizes.hpp>

#include "apps/components/edge_store.hpp"
#include "apps/components/graph_text.hpp"
#include "apps/reading/contents.hpp"
#include "apps/reading/lines.hpp"

namespace cleave::components {

using reading::is_blank;
using reading::Lines;
using reading::shortened;
using reading::take_field;

namespace {

/// Whether the edges are numbers of 64 bits, as far as can be told: then every other one of 32 is
/// 0, and of the others no more than half.
bool are_of_64_bits(std::string_view contents) {
  constexpr std::size_t kFewest = 4;
  constexpr std::size_t kLooked = 4096;
  const std::size_t count = std::min(kLooked, contents.size() / sizeof(Edge));
  std::size_t others = 0;
  for (std::size_t i = 0; i < count; ++i) {
    Edge edge;
    std::memcpy(&edge, contents.data() + i * sizeof(Edge), sizeof(Edge));
    if (edge.to != 0) {
      return false;
    }
    others += edge.from != 0 ? 1 : 0;
  }
  return count >= kFewest && 2 * others >= count;
}

GraphSlice parse_binary(std::string_view contents, const std::filesystem::path& file,
                        const ReadOptions& options, Slice slice) {
  if (const auto kind = reading::kind_of(contents)) {
    throw FileError(file, fmt::format("is {}, not 32-bit vertex numbers and nothing else", *kind));
  }
  if (reading::is_text(contents)) {
    throw FileError(file, "is text, not 32-bit vertex numbers: read it by --format text");
  }
  if (!options.vertices && are_of_64_bits(contents)) {
    throw FileError(file,
                    "reads like vertex numbers of 64 bits, since every other one of 32 is 0: write "
                    "them as 32 bits, or as text for --renumber; --size N=COUNT if they are right");
  }
  if (contents.size() % sizeof(Edge) != 0) {
    throw FileError(file, fmt::format("holds {} bytes, which is not a whole number of edges of {} "
                                      "bytes",
                                      contents.size(), sizeof(Edge)));
  }
  const auto total = static_cast<std::int64_t>(contents.size() / sizeof(Edge));
  const std::int64_t first = slice.begin(total);
  const auto count = static_cast<std::size_t>(slice.end(total) - first);
  EdgeStore<Edge>(file, options.max_bytes).reserve(count);
  GraphSlice read{.edges = Edges(count),
                  .facts = {.vertices = options.vertices.value_or(0),
                            .entries = static_cast<std::int64_t>(count)}};
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
    read.facts.vertices = std::max(read.facts.vertices, greater + 1);
  }
  return read;
}

std::string lower(std::string_view text) {
  std::string copy(text);
  std::transform(copy.begin(), copy.end(), copy.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return copy;
}

/// The fields of an entry's line, by the words of a Matrix Market header.
int fields_of_entry(const Lines& lines, std::string_view values, std::string_view symmetry) {
  constexpr std::array<std::pair<std::string_view, int>, 4> kValues = {
      {{"pattern", 2}, {"real", 3}, {"integer", 3}, {"complex", 4}}};
  constexpr std::array<std::string_view, 4> kSymmetries = {"general", "symmetric", "skew-symmetric",
                                                           "hermitian"};
  const auto* const found =
      std::ranges::find(kValues, values, &decltype(kValues)::value_type::first);
  if (found == kValues.end()) {
    lines.refuse(fmt::format("'{}' is not a kind of values: pattern, real, integer or complex",
                             shortened(values)));
  }
  if (std::ranges::count(kSymmetries, symmetry) == 0) {
    lines.refuse(
        fmt::format("'{}' is not a symmetry: general, symmetric, skew-symmetric or hermitian",
                    shortened(symmetry)));
  }
  return found->second;
}

/// What a Matrix Market file says before its entries.
struct MatrixHeader {
  int fields = 2;  ///< of an entry's line
  Vertex rows = 0;
  std::int64_t entries = 0;
};

MatrixHeader take_matrix_header(Lines& lines, const std::filesystem::path& file,
                                const ReadOptions& options) {
  std::string_view line;
  if (!lines.take_line(line) || !is_matrix_market(line)) {
    throw FileError(file, "is not a Matrix Market file: line 1 must begin with %%MatrixMarket");
  }
  std::array<std::string, 5> words;
  std::ranges::generate(words, [&] { return lower(take_field(line)); });
  const auto& [banner, object, layout, values, symmetry] = words;
  if (object != "matrix" || layout != "coordinate") {
    lines.refuse(fmt::format("'{} {}' is not a graph, expected 'matrix coordinate'",
                             shortened(object), shortened(layout)));
  }
  MatrixHeader header{.fields = fields_of_entry(lines, values, symmetry)};
  do {
    if (!lines.take_line(line)) {
      throw FileError(file, "cut short: the line of sizes is missing");
    }
  } while (line.starts_with('%') || is_blank(line));
  constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
  const auto rows = lines.take_number<std::int64_t>(line, "number of rows", 0, kMaxVertices);
  const auto columns = lines.take_number<std::int64_t>(line, "number of columns", 0, kMaxVertices);
  header.entries = lines.take_number<std::int64_t>(line, "number of entries", 0, kMax);
  header.rows = static_cast<Vertex>(rows);
  if (!is_blank(line)) {
    lines.refuse(
        fmt::format("'{}' follows the numbers of rows, columns and entries", shortened(line)));
  }
  if (rows != columns) {
    lines.refuse(fmt::format("{} rows and {} columns, a graph's matrix is square", rows, columns));
  }
  if (options.vertices && rows > *options.vertices) {
    lines.refuse(
        fmt::format("{} rows, more than the {} vertices asked for", rows, *options.vertices));
  }
  return header;
}

GraphSlice parse_matrix_market(std::string_view contents, const std::filesystem::path& file,
                               const ReadOptions& options, Slice slice) {
  Lines lines(contents, file);
  const MatrixHeader header = take_matrix_header(lines, file, options);
  EdgeStore<Edge> edges(file, options.max_bytes);
  const std::size_t begin = lines.at();
  const auto size = static_cast<std::int64_t>(contents.size() - begin);
  lines.go_to_line_from(begin + static_cast<std::size_t>(slice.begin(size)));
  const std::size_t end = begin + static_cast<std::size_t>(slice.end(size));
  for (std::string_view line; lines.at() < end && lines.take_line(line);) {
    if (line.starts_with('%') || is_blank(line)) {
      continue;
    }
    const int fields = reading::count_fields(line);
    const auto from = lines.take_number<Vertex>(line, "row", 1, header.rows);
    const auto to = lines.take_number<Vertex>(line, "column", 1, header.rows);
    if (fields != header.fields) {
      lines.refuse(fmt::format("{} fields, the header promises {}", fields, header.fields));
    }
    edges.add({from - 1, to - 1});
  }
  const auto count = static_cast<std::int64_t>(edges.size());
  return {.edges = edges.take(),
          .facts = {.vertices = options.vertices.value_or(header.rows), .entries = count},
          .head = {.entries = header.entries}};
}

/// The header of a METIS graph, and what stands on a line before and between its neighbours.
struct MetisHeader {
  std::int64_t vertices = 0;
  std::int64_t edges = 0;
  std::int64_t numbers_before = 0;  ///< a vertex's size and weights
  bool has_edge_weights = false;
};

MetisHeader take_metis_header(Lines& lines, const std::filesystem::path& file,
                              const ReadOptions& options) {
  constexpr std::int64_t kMaxEdges = std::numeric_limits<std::int64_t>::max() / 2;
  constexpr std::int64_t kMaxWeights = 1000;
  std::string_view line;
  do {
    if (!lines.take_line(line)) {
      throw FileError(file, "cut short: the line of sizes is missing");
    }
  } while (line.starts_with('%'));
  MetisHeader header;
  header.vertices = lines.take_number<std::int64_t>(line, "number of vertices", 0, kMaxVertices);
  header.edges = lines.take_number<std::int64_t>(line, "number of edges", 0, kMaxEdges);
  std::string format(take_field(line));
  if (format.size() > 3 || format.find_first_not_of("01") != std::string::npos) {
    lines.refuse(
        fmt::format("'{}' is not a format: up to three digits, each 0 or 1", shortened(format)));
  }
  format.insert(0, 3 - format.size(), '0');
  header.has_edge_weights = format[2] == '1';
  std::int64_t weights = format[1] == '1' ? 1 : 0;
  if (!is_blank(line)) {
    const auto told = lines.take_number<std::int64_t>(line, "number of weights", 0, kMaxWeights);
    weights = format[1] == '1' ? told : 0;
  }
  if (!is_blank(line)) {
    lines.refuse(fmt::format("'{}' follows the header's numbers", shortened(line)));
  }
  header.numbers_before = weights + (format[0] == '1' ? 1 : 0);
  if (options.vertices && header.vertices > *options.vertices) {
    lines.refuse(
        fmt::format("{} vertices, more than the {} asked for", header.vertices, *options.vertices));
  }
  return header;
}

/// Takes the line of `vertex`, which counts from 1. Each edge is mentioned by both of its ends and
/// taken from the lesser.
void take_metis_neighbours(const Lines& lines, std::string_view line, const MetisHeader& header,
                           std::int64_t vertex, EdgeStore<Edge>& edges, GraphFacts& facts) {
  constexpr std::int64_t kMaxWeight = std::numeric_limits<std::int64_t>::max();
  for (std::int64_t i = 0; i < header.numbers_before; ++i) {
    lines.take_number<std::int64_t>(line, "weight", 0, kMaxWeight);
  }
  const CounterRandom random(0);
  while (!is_blank(line)) {
    const auto neighbour = lines.take_number<std::int64_t>(line, "vertex", 1, header.vertices);
    if (header.has_edge_weights) {
      lines.take_number<std::int64_t>(line, "edge weight", 0, kMaxWeight);
    }
    ++facts.entries;
    const auto [lesser, greater] = std::minmax(vertex, neighbour);
    const std::uint64_t mention =
        random(static_cast<std::uint64_t>(lesser) << 32 | static_cast<std::uint64_t>(greater));
    if (neighbour > vertex) {
      facts.one_sided += mention;
      edges.add({static_cast<Vertex>(vertex - 1), static_cast<Vertex>(neighbour - 1)});
    } else if (neighbour < vertex) {
      facts.one_sided -= mention;
    }
  }
}

GraphSlice parse_metis(std::string_view contents, const std::filesystem::path& file,
                       const ReadOptions& options, Slice slice) {
  Lines lines(contents, file);
  const MetisHeader header = take_metis_header(lines, file, options);
  EdgeStore<Edge> edges(file, options.max_bytes);
  GraphFacts facts{.vertices = options.vertices.value_or(static_cast<Vertex>(header.vertices))};
  const std::size_t begin = lines.at();
  const auto size = static_cast<std::int64_t>(contents.size() - begin);
  const std::size_t from = begin + static_cast<std::size_t>(slice.begin(size));
  const std::size_t end = begin + static_cast<std::size_t>(slice.end(size));
  std::int64_t vertex = 0;
  // The lines before the slice are counted, since a line's number is its vertex.
  while (lines.at() < end) {
    const bool is_mine = lines.at() >= from;
    std::string_view line;
    if (!lines.take_line(line)) {
      break;
    }
    if (line.starts_with('%')) {
      continue;
    }
    ++vertex;
    if (vertex > header.vertices && !is_blank(line)) {
      lines.refuse(fmt::format("more lines than the {} vertices told", header.vertices));
    }
    if (vertex <= header.vertices && is_mine) {
      take_metis_neighbours(lines, line, header, vertex, edges, facts);
    }
  }
  if (slice.index == slice.count - 1 && vertex < header.vertices) {
    throw FileError(file, fmt::format("cut short: {} lines of neighbours for {} vertices", vertex,
                                      header.vertices));
  }
  return {.edges = edges.take(), .facts = facts, .head = {.entries = 2 * header.edges}};
}

struct Counts {
  Id vertices;
  Id edges;
};

/// What the first line says if, by what the lines after it have, it is that of a file's vertices
/// and edges, each of which may be on two lines, of its edges and vertices, or of a matrix's rows,
/// columns and entries.
std::optional<Counts> counts_of(const GraphHead& head, const GraphFacts& all) {
  const auto lines = static_cast<Id>(all.entries - 1);
  const bool may_be_twice = lines % 2 == 0;
  const std::vector<Id>& first = head.first;
  if (first.size() < 2) {
    return std::nullopt;
  }
  if (first[0] >= all.maximum && (first[1] == lines || (may_be_twice && first[1] == lines / 2))) {
    return Counts{.vertices = first[0], .edges = first[1]};
  }
  if (first[1] >= all.maximum && first[0] == lines) {
    return Counts{.vertices = first[1], .edges = first[0]};
  }
  if (first.size() == 3 && std::min(first[0], first[1]) >= all.maximum && first[2] == lines) {
    return Counts{.vertices = first[0], .edges = first[2]};
  }
  return std::nullopt;
}

}  // namespace

GraphFormat graph_format_of(const std::filesystem::path& file, std::int64_t max_bytes) {
  const bool is_packed = lower(file.extension().string()) == ".gz";
  const std::string extension = lower((is_packed ? file.stem() : file).extension().string());
  if (extension == ".mtx") {
    return GraphFormat::matrix_market;
  }
  if (extension == ".graph" || extension == ".metis") {
    return GraphFormat::metis;
  }
  if (extension == ".bin") {
    return GraphFormat::binary;
  }
  const reading::Contents contents(file, max_bytes);
  Lines lines(contents.text(), file);
  std::string_view line;
  return lines.take_line(line) && is_matrix_market(line) ? GraphFormat::matrix_market
                                                         : GraphFormat::text;
}

GraphSlice read_graph(const std::filesystem::path& file, GraphFormat format,
                      const ReadOptions& options, Slice slice) {
  const reading::Contents contents(file, options.max_bytes);
  return parse_graph(contents.text(), file, format, options, slice);
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

void GraphFacts::add(const GraphFacts& other) {
  vertices = std::max(vertices, other.vertices);
  entries += other.entries;
  minimum = std::min(minimum, other.minimum);
  maximum = std::max(maximum, other.maximum);
  one_sided += other.one_sided;
}

std::vector<std::string> check_graph(const std::filesystem::path& file, const ReadOptions& options,
                                     const GraphFacts& all, const GraphHead& head) {
  if (all.one_sided != 0) {
    throw FileError(file,
                    "has an edge on the line of one of its ends alone: METIS lists each on the "
                    "lines of both");
  }
  if (head.entries && all.entries != *head.entries) {
    throw FileError(
        file, fmt::format("says that it has {} entries, but has {}", *head.entries, all.entries));
  }
  if (!head.entries && all.entries == 0) {
    throw FileError(file, "holds no edge");
  }
  const std::optional<Counts> counts = all.entries > 1 ? counts_of(head, all) : std::nullopt;
  if (!options.vertices && counts) {
    const std::string as_edge = options.renumbers ? "move it behind another"
                                                  : fmt::format("take --size N={}", all.vertices);
    throw FileError(
        file, fmt::format("{}: '{}' reads like a line of counts, {} vertices and {} edges: begin "
                          "it with '#', or {} if it is an edge",
                          head.first_line, fmt::join(head.first, " "), counts->vertices,
                          counts->edges, as_edge));
  }
  std::vector<std::string> notes;
  if (head.first.size() > 2) {
    notes.push_back(fmt::format(
        "{}: only the first two numbers of a line are an edge; the others are no neighbours",
        file.string()));
  }
  const bool is_named = all.minimum != GraphFacts{}.minimum;
  if (!options.renumbers && !options.vertices && is_named && all.minimum > 0) {
    notes.push_back(fmt::format(
        "{}: no line names vertex 0, which is a component of its own; --renumber counts only "
        "vertices that are named",
        file.string()));
  }
  return notes;
}

std::vector<Id> ids_of(const Row<IdEdge>& edges) {
  std::vector<Id> ids;
  ids.reserve(2 * edges.size());
  for (const IdEdge& edge : edges) {
    ids.insert(ids.end(), {edge.from, edge.to});
  }
  std::ranges::sort(ids);
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

Edges renumber(const Row<IdEdge>& edges, const std::vector<Id>& ids) {
  const auto place = [&ids](Id id) {
    return static_cast<Vertex>(std::ranges::lower_bound(ids, id) - ids.begin());
  };
  Edges numbered(edges.size());
  std::ranges::transform(edges, numbered.begin(), [&](const IdEdge& edge) {
    return Edge{.from = place(edge.from), .to = place(edge.to)};
  });
  return numbered;
}

}  // namespace cleave::components
