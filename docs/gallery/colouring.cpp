// SPDX-License-Identifier: Apache-2.0
// The fewest colours of a graph from a file of the DIMACS challenge, by branch-and-bound: the
// vertex with the most colours around it is next, and takes each of these that are free, or a new
// one (D. Brelaz, "New methods to color the vertices of a graph", CACM 22, 1979). Shown: a problem
// from a file; large nodes, made when they are visited.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <bit>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cleave/program.hpp>

namespace {

struct Vertex {
  std::uint64_t taken = 0;   // colours of its neighbours, as bits
  std::int32_t colour = -1;  // -1: none yet
};
struct Partial {  // a colouring of some vertices
  std::vector<Vertex> vertices;
  std::int32_t used = 0, next = -1;  // colours; the vertex to be coloured, -1 if none is left
};
struct Best {
  std::int64_t nodes = 0;
  Partial colouring{.used = 64};
};

struct Colouring {
  using Problem = Partial;
  using Solution = Best;
  std::vector<std::pair<int, int>> edges;
  std::vector<std::vector<int>> neighbours;  // of each vertex
  void visit(const Partial& p, cleave::LazyChildren& children, Best& best,
             cleave::Incumbent<>& incumbent) const {
    ++best.nodes;
    if (p.next >= 0) {
      children.lazy(p.used < incumbent.value() ? std::popcount(choices(p)) : 0);
    } else if (incumbent.offer(p.used)) {
      best.colouring = p;
    }
  }
  std::optional<Partial> child(const Partial& parent, std::int64_t index,
                               const cleave::Incumbent<>& incumbent) const {
    std::uint64_t colours = choices(parent);
    for (; index > 0; --index) colours &= colours - 1;
    const int colour = std::countr_zero(colours);
    if (std::max(parent.used, colour + 1) >= incumbent.value()) return std::nullopt;
    Partial p{parent.vertices, std::max(parent.used, colour + 1)};
    p.vertices[parent.next].colour = colour;
    for (const int v : neighbours[parent.next]) p.vertices[v].taken |= std::uint64_t{1} << colour;
    return with_next(std::move(p));
  }
  std::int64_t first_incumbent(const Partial&) const { return 64; }  // a bit for each colour
  Best combine(const Best& a, const Best& b) const {
    return {a.nodes + b.nodes, (a.colouring.used <= b.colouring.used ? a : b).colouring};
  }
  cleave::Sizes solution_sizes(const Best& best) const { return {{"nodes", best.nodes}}; }
  Partial root() const { return with_next({std::vector<Vertex>(neighbours.size())}); }
  Partial with_next(Partial p) const {
    for (std::int64_t v = 0, most = -1, size = std::ssize(neighbours); v < size; ++v) {
      const auto key = std::popcount(p.vertices[v].taken) * size + std::ssize(neighbours[v]);
      if (p.vertices[v].colour < 0 && key > most) p.next = static_cast<int>(v), most = key;
    }
    return p;
  }
  static std::uint64_t choices(const Partial& p) {  // the first new colour is one of them
    return ~p.vertices[p.next].taken & ((std::uint64_t{2} << p.used) - 1);
  }
};

// \throws FileError  if it is not of DIMACS
Colouring read_graph(const std::string& file) {
  std::ifstream in(file);
  Colouring graph;
  int n = 0, a = 0, b = 0;
  for (std::string kind, rest; in >> kind;) {
    if (kind == "c") {
      std::getline(in, rest);
    } else if (kind == "p" && in >> rest >> n >> b) {
      graph.neighbours.resize(n);
    } else if (kind == "e" && in >> a >> b && std::min(a, b) > 0 && std::max(a, b) <= n && a != b) {
      graph.edges.emplace_back(a - 1, b - 1);
      graph.neighbours[a - 1].push_back(b - 1);
      graph.neighbours[b - 1].push_back(a - 1);
    } else {
      throw cleave::FileError(file, "has a line of '" + kind + "' that is not of DIMACS .col");
    }
  }
  return graph;
}

}  // namespace

int main(int argc, char** argv) {
  std::string file;  // of --graph
  int known = 0;     // of --known
  Colouring graph;
  const auto add_options = [&](CLI::App& cli) {
    cli.add_option("--graph", file, "DIMACS .col")->required()->check(CLI::ExistingFile);
    cli.add_option("--known", known, "known number of colours, for --verify");
  };
  const auto wrong = [&](const Partial&, const Best& best) -> std::optional<std::string> {
    const auto& [vertices, used, next] = best.colouring;
    for (const auto& [v, w] : graph.edges) {
      if (vertices.at(v).colour == vertices.at(w).colour) return "neighbours have one colour";
    }
    return known == 0 || used == known ? std::nullopt : std::optional("it is not the known number");
  };
  const auto figures = [](const Best& b) { return cleave::Figures{{"colours", b.colouring.used}}; };
  return cleave::run(argc, argv,
                     cleave::Program<Colouring>{
                         .summary = "Colours the graph of a file with the fewest colours.",
                         .add_options = add_options,
                         .application = [&](const auto&) { return graph = read_graph(file); },
                         .make_problem = [&](const auto&, auto) { return graph.root(); },
                         .is_generated = [] { return false; },
                         .wrong = wrong,
                         .figures = figures,
                     });
}
