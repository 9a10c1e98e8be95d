#include "apps/components/input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "apps/harness/random.hpp"
#include "skeleton/trace/error.hpp"

namespace cleave {

namespace {

constexpr std::string_view kBlanks = " \t\r";

std::string_view without_leading_blanks(std::string_view text) {
  const auto first = text.find_first_not_of(kBlanks);
  return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

/// Reads one edge list line by line.
class EdgeListParser {
 public:
  EdgeListParser(const std::filesystem::path& file, std::optional<Vertex> vertices)
      : file_(file), most_(vertices ? *vertices - 1 : static_cast<Vertex>(kMostVertices - 1)) {}

  void read_line(std::string_view line) {
    ++line_number_;
    if (line.starts_with("%%MatrixMarket")) {
      refuse(
          "this is a Matrix Market file, whose sizes would be read as an edge; remove its "
          "header and the line of sizes");
    }
    line = without_leading_blanks(line);
    if (line.empty() || line.front() == '#' || line.front() == '%') {
      return;
    }
    const Vertex from = take_vertex(line);
    const Vertex to = take_vertex(line);
    greatest_ = std::max({greatest_, from, to});
    edges_.push_back({from, to});
  }

  Vertex greatest() const { return greatest_; }
  std::vector<Edge>& edges() { return edges_; }

 private:
  Vertex take_vertex(std::string_view& line) const {
    line = without_leading_blanks(line);
    const std::string_view token = line.substr(0, line.find_first_of(kBlanks));
    if (token.empty()) {
      refuse("one vertex number, expected two");
    }
    Vertex vertex = 0;
    const char* const token_end = token.data() + token.size();
    const auto [end, error] = std::from_chars(token.data(), token_end, vertex);
    if (error == std::errc::invalid_argument || end != token_end) {
      constexpr std::size_t kShown = 40;
      refuse(fmt::format("'{}' is not a vertex number", token.substr(0, kShown)));
    }
    if (error == std::errc::result_out_of_range || vertex > most_) {
      refuse(fmt::format("vertex {} is out of range, the greatest allowed is {}", token, most_));
    }
    line.remove_prefix(token.size());
    return vertex;
  }

  [[noreturn]] void refuse(const std::string& what) const {
    throw FileError(file_, fmt::format("line {}: {}", line_number_, what));
  }

  const std::filesystem::path& file_;
  Vertex most_;
  Vertex greatest_ = 0;
  std::int64_t line_number_ = 0;
  std::vector<Edge> edges_;
};

}  // namespace

Graph random_graph(Vertex vertices, std::int64_t edges, std::uint64_t seed) {
  const CounterRandom random(seed);
  Graph graph{.vertices = vertices, .edges = std::vector<Edge>(static_cast<std::size_t>(edges))};
  for (std::size_t i = 0; i < graph.edges.size(); ++i) {
    const std::uint64_t bits = random(i);
    graph.edges[i] = {below(static_cast<std::uint32_t>(bits >> 32), vertices),
                      below(static_cast<std::uint32_t>(bits), vertices)};
  }
  return graph;
}

Graph parse_edge_list(std::string_view text, const std::filesystem::path& file,
                      std::optional<Vertex> vertices) {
  EdgeListParser parser(file, vertices);
  while (!text.empty()) {
    const auto line_end = text.find('\n');
    parser.read_line(text.substr(0, line_end));
    text.remove_prefix(line_end == std::string_view::npos ? text.size() : line_end + 1);
  }
  if (parser.edges().empty()) {
    throw FileError(file, "holds no edge");
  }
  return {.vertices = vertices.value_or(parser.greatest() + 1), .edges = std::move(parser.edges())};
}

}  // namespace cleave
