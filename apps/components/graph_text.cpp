// SPDX-License-Identifier: Apache-2.0
#include "apps/components/graph_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <string>

#include "apps/components/edge_store.hpp"
#include "apps/reading/contents.hpp"
#include "apps/reading/lines.hpp"

namespace cleave::components {

using reading::Lines;
using reading::take_field;

namespace {

constexpr std::string_view kBanner = "matrixmarket";

bool is_comment(std::string_view line) {
  if (reading::is_blank(line)) {
    return true;
  }
  const std::string_view first = take_field(line);
  return first.starts_with('#') || first.starts_with('%');
}

bool is_whole(std::string_view field) {
  return !field.empty() && std::ranges::all_of(field, [](char c) { return c >= '0' && c <= '9'; });
}

/// A weight or a date, as far as can be told.
bool is_number_like(std::string_view field) {
  constexpr std::string_view kBegins = "+-.0123456789";
  return kBegins.find(field.front()) != kBegins.npos;
}

/// Where the edges begin, and what each line of them has.
struct TextHead {
  std::size_t begin = 0;
  int fields = 2;
  GraphHead told;
};

/// Refuses names of columns that put a vertex behind the first two.
void check_columns(const Lines& lines, std::string_view line) {
  constexpr std::array<std::string_view, 6> kVertices = {"source", "target", "from",
                                                         "to",     "src",    "dst"};
  for (int column = 1; !line.empty(); ++column) {
    const std::size_t end = std::min(line.find_first_of(",;"), line.size());
    std::string_view rest = line.substr(0, end);
    std::string name(take_field(rest));
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::tolower(c); });
    if (column > 2 && std::ranges::count(kVertices, name) > 0) {
      lines.refuse(
          fmt::format("column {} is '{}', but an edge is the first two: move these to the front, "
                      "or leave the others out",
                      column, name));
    }
    line.remove_prefix(std::min(end + 1, line.size()));
  }
}

/// Refuses a file of another format by what its first line has in place of an edge.
void check_first_line(const Lines& lines, std::string_view line) {
  const std::string_view first = take_field(line);
  if (first == "p" || first == "c") {
    lines.refuse(
        "this is a DIMACS file, which is not read: keep its edges, by "
        "grep '^[ae] ' FILE | cut -d' ' -f2-3");
  }
  if (reading::count_fields(line) == 0) {
    lines.refuse(
        fmt::format("'{}' stands alone, an edge has two vertices: begin a line of counts with '#'",
                    reading::shortened(first)));
  }
}

/// Looks at the first lines, up to the first edge.
TextHead look_at_head(std::string_view contents, const std::filesystem::path& file) {
  constexpr int kMaxFields = 4;
  Lines lines(contents, file);
  TextHead head;
  head.begin = contents.size();
  bool may_be_names = true;
  for (std::string_view line; lines.take_line(line);) {
    if (is_matrix_market(line)) {
      lines.refuse(
          "this is a Matrix Market file, whose sizes would be read as an edge; read it by "
          "--format matrix-market");
    }
    if (is_comment(line)) {
      continue;
    }
    std::string_view rest = line;
    const std::string_view first = take_field(rest);
    if (may_be_names && line.find_first_of(",;") != line.npos &&
        (first.empty() || !is_number_like(first))) {
      may_be_names = false;  // of columns
      check_columns(lines, line);
      continue;
    }
    check_first_line(lines, line);
    head.begin = lines.line_at();
    head.told.first_line = fmt::format("line {}", lines.number());
    head.fields = reading::count_fields(line);
    if (head.fields > kMaxFields) {
      lines.refuse(
          fmt::format("{} fields: an edge is two vertices, perhaps with a weight and a date; lists "
                      "of neighbours are read by --format metis",
                      head.fields));
    }
    for (auto field = take_field(line); is_whole(field); field = take_field(line)) {
      std::from_chars(field.data(), field.data() + field.size(), head.told.first.emplace_back());
    }
    break;
  }
  return head;
}

/// What follows the two vertices on a line.
void check_rest(const Lines& lines, std::string_view rest, int expected) {
  int fields = 2;
  for (auto field = take_field(rest); !field.empty(); field = take_field(rest)) {
    ++fields;
    if (!is_number_like(field)) {
      lines.refuse(fmt::format("field {} is '{}', neither a weight nor a date", fields,
                               reading::shortened(field)));
    }
  }
  if (fields != expected) {
    lines.refuse(
        fmt::format("{} fields, the first edge has {}: all lines of an edge list are alike; begin "
                    "a line of counts with '#', read lists of neighbours by --format metis",
                    fields, expected));
  }
}

}  // namespace

bool is_matrix_market(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t%"), line.size()));
  return std::ranges::equal(line.substr(0, kBanner.size()), kBanner,
                            [](unsigned char a, char b) { return std::tolower(a) == b; });
}

std::int64_t max_vertex(std::size_t file_bytes, const ReadOptions& options) {
  constexpr std::int64_t kPerByte = 16;
  constexpr std::int64_t kAlways = 1 << 20;
  if (options.vertices) {
    return std::int64_t{*options.vertices} - 1;
  }
  const auto bytes = static_cast<std::int64_t>(file_bytes);
  return std::min(std::max(kAlways, kPerByte * bytes), kMaxVertices) - 1;
}

std::string_view hint_of(const ReadOptions& options) {
  return options.vertices || options.renumbers
             ? ""
             : "; --size N=COUNT allows more vertices, --renumber numbers of 64 bits";
}

GraphSlice parse_text(std::string_view contents, const std::filesystem::path& file,
                      const ReadOptions& options, Slice slice) {
  Lines lines(contents, file);
  const TextHead head = look_at_head(contents, file);
  const auto size = static_cast<std::int64_t>(contents.size());
  const Id last_allowed = options.renumbers ? std::numeric_limits<Id>::max()
                                            : static_cast<Id>(max_vertex(contents.size(), options));
  EdgeStore<Edge> edges(file, options.max_bytes);
  EdgeStore<IdEdge> id_edges(file, options.max_bytes);
  GraphSlice read{.head = head.told};
  lines.go_to_line_from(std::max(head.begin, static_cast<std::size_t>(slice.begin(size))));
  const auto end = static_cast<std::size_t>(slice.end(size));
  for (std::string_view line; lines.at() < end && lines.take_line(line);) {
    if (is_comment(line)) {
      continue;
    }
    std::string_view rest = line;
    const auto take = [&] {
      return lines.take_number<Id>(rest, "vertex number", 0, last_allowed, hint_of(options));
    };
    const Id from = take();
    const Id to = take();
    check_rest(lines, rest, head.fields);
    read.facts.minimum = std::min({read.facts.minimum, from, to});
    if (lines.line_at() != head.begin) {
      read.facts.maximum = std::max({read.facts.maximum, from, to});
    }
    if (options.renumbers) {
      id_edges.add({from, to});
    } else {
      edges.add({static_cast<Vertex>(from), static_cast<Vertex>(to)});
      read.facts.vertices =
          std::max(read.facts.vertices, static_cast<Vertex>(std::max(from, to) + 1));
    }
  }
  read.facts.entries = static_cast<std::int64_t>(edges.size() + id_edges.size());
  read.facts.vertices = options.vertices.value_or(read.facts.vertices);
  read.edges = edges.take();
  read.id_edges = id_edges.take();
  return read;
}

}  // namespace cleave::components
