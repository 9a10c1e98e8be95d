// SPDX-License-Identifier: Apache-2.0
// Connected components against union-finds on the same list of edges and against Boost Graph,
// alternating in one run. Prints median times, their ratios to the fastest of the sequential
// union-finds, and the memory's bandwidth. On 2 ranks the edges lie distributed, and every rank
// gets all labels. Every peer ends with the least vertex of each vertex's component; the graph that
// Boost searches is built apart.
//
//   mpiexec -bind-to core -n 2 component_peers [REPETITIONS] [CASE...] > component_peers.json
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/connected_components.hpp>
#include <limits>
#include <numeric>
#include <optional>

#include <cleave/dc_call.hpp>
#include <cleave/program/measure.hpp>

#include "apps/components/components.hpp"
#include "apps/components/generated_graphs.hpp"
#include "tests/benchmarks/side_by_side.hpp"

namespace cleave::benchmarks {

using namespace components;
namespace {

constexpr Vertex kVertices = 1 << 20;

Labels separate_labels(Vertex vertices) {
  Labels labels(vertices);
  std::iota(labels.begin(), labels.end(), Vertex{0});
  return labels;
}

/// Links go from a vertex to a lesser one.
Labels flattened(Labels parent) {
  for (Vertex& p : parent) {
    p = parent[p];
  }
  return parent;
}

Vertex root_by_halving(Labels& parent, Vertex v) {
  while (parent[v] != v) {
    parent[v] = parent[parent[v]];
    v = parent[v];
  }
  return v;
}

void unite_by_halving(Labels& parent, Edge edge) {
  const Vertex a = root_by_halving(parent, edge.from);
  const Vertex b = root_by_halving(parent, edge.to);
  if (a != b) {
    parent[std::max(a, b)] = std::min(a, b);
  }
}

/// Rem's algorithm with splicing (Patwary, Blair, Manne: "Experiments on Union-Find Algorithms for
/// the Disjoint-Set Data Structure", 2010).
void unite_by_rem(Labels& parent, Edge edge) {
  Vertex a = edge.from;
  Vertex b = edge.to;
  while (parent[a] != parent[b]) {
    if (parent[a] < parent[b]) {
      std::swap(a, b);
    }
    const Vertex above = parent[a];
    parent[a] = parent[b];
    if (a == above) {
      return;
    }
    a = above;
  }
}

/// \tparam kAhead  edges ahead whose parents are fetched; 0 for none
template <auto unite_ends, std::size_t kAhead>
Labels by_union_find(const Graph& graph) {
  Labels parent = separate_labels(graph.vertices);
  const SharedEdges& edges = graph.edges;
  for (std::size_t i = 0; i < edges.size(); ++i) {
    if (kAhead > 0 && i + kAhead < edges.size()) {
      __builtin_prefetch(&parent[edges[i + kAhead].from], 1);
      __builtin_prefetch(&parent[edges[i + kAhead].to], 1);
    }
    unite_ends(parent, edges[i]);
  }
  return flattened(std::move(parent));
}

/// Compressed rows with every edge in both directions: of Boost's graphs the fastest to search.
using BoostGraph =
    boost::compressed_sparse_row_graph<boost::directedS, boost::no_property, boost::no_property,
                                       boost::no_property, Vertex, std::uint32_t>;

BoostGraph boost_graph_of(const Graph& graph) {
  std::vector<std::pair<Vertex, Vertex>> ends;
  ends.reserve(2 * graph.edges.size());
  for (const Edge& edge : graph.edges) {
    ends.emplace_back(edge.from, edge.to);
    ends.emplace_back(edge.to, edge.from);
  }
  return {boost::edges_are_unsorted_multi_pass, ends.begin(), ends.end(), graph.vertices};
}

/// Labels of any kind that are less than N, as those that have the least vertex of a component.
Labels min_vertices(Labels labels) {
  constexpr Vertex kNone = std::numeric_limits<Vertex>::max();
  Labels minimum(labels.size(), kNone);
  for (Vertex v = 0; v < labels.size(); ++v) {
    minimum[labels[v]] = std::min(minimum[labels[v]], v);
    labels[v] = minimum[labels[v]];
  }
  return labels;
}

/// One graph, and everything that labels it. The first two are Cleave, then union-finds.
class Contest {
 public:
  using MakeGraph = std::function<Graph(Slice)>;

  Contest(const Comm& comm, const MakeGraph& make)
      : comm_(comm),
        part_(make({.index = comm.rank(), .count = comm.size()})),
        whole_(make({})),
        expected_(by_union_find<unite_by_halving, 0>(whole_)) {
    add_cleave("cleave", RunsOn::all_ranks, MPI_COMM_WORLD, part_);
    add_cleave("cleave, 1 rank", RunsOn::rank_0, MPI_COMM_SELF, whole_);
    const std::size_t first = entrants_.size();
    add_union_find("union-find, link by index, path halving", by_union_find<unite_by_halving, 0>);
    add_union_find("union-find, link by index, path halving, parents fetched 16 ahead",
                   by_union_find<unite_by_halving, 16>);
    add_union_find("Rem's union-find", by_union_find<unite_by_rem, 0>);
    add_union_find("Rem's union-find, parents fetched 16 ahead", by_union_find<unite_by_rem, 16>);
    union_finds_ = {first, entrants_.size()};
    add_boost_graph();
  }

  nlohmann::ordered_json measure(int repetitions) {
    MemoryBandwidth bandwidth(comm_);
    entrants_.push_back({"memory", [&] {
                           bandwidth.measure();
                           return 0.0;
                         }});
    alternate(entrants_, repetitions);
    entrants_.pop_back();
    const auto& best = *std::min_element(
        entrants_.begin() + union_finds_.first, entrants_.begin() + union_finds_.second,
        [](const Entrant& a, const Entrant& b) { return median(a.samples) < median(b.samples); });
    nlohmann::ordered_json json = {{"N", whole_.vertices},
                                   {"M", whole_.edges.size()},
                                   {"best_sequential_union_find", best.name},
                                   {"memory", bandwidth.json()}};
    for (const Entrant& entrant : entrants_) {
      const double seconds = median(entrant.samples);
      json["programs"].push_back({{"name", entrant.name},
                                  {"median_seconds", seconds},
                                  {"times_faster", median(best.samples) / seconds},
                                  {"seconds", entrant.samples}});
    }
    return json;
  }

 private:
  template <class Input, class Run, class Check>
  void add(const std::string& name, RunsOn ranks, Input input, Run run, Check is_right) {
    entrants_.push_back({name, [=, this] {
                           return seconds_of(comm_, ranks, input, run, [&](const auto& found) {
                             if (!is_right(found)) {
                               throw Error(name + " labels a vertex wrongly");
                             }
                           });
                         }});
  }

  void add_cleave(const std::string& name, RunsOn ranks, MPI_Comm communicator,
                  const Graph& graph) {
    add(
        name, ranks, [&graph] { return graph; },
        [communicator](Graph part) {
          return DC_Call(DC_Type::hypercube, Components{}, std::move(part),
                         {.comm = communicator, .placement = Placement::distributed});
        },
        [this](const Labelling& found) { return std::ranges::equal(found.labels(), expected_); });
  }

  void add_union_find(const std::string& name, Labels (*label)(const Graph&)) {
    add(
        name, RunsOn::rank_0, [this] { return &whole_; },
        [label](const Graph* given) { return label(*given); },
        [this](const Labels& found) { return min_vertices(found) == expected_; });
  }

  void add_boost_graph() {
    add(
        "Boost compressed_sparse_row_graph, building", RunsOn::rank_0, [this] { return &whole_; },
        [this](const Graph* given) {
          boost_graph_ = boost_graph_of(*given);
          return true;
        },
        [](bool) { return true; });
    add(
        "Boost connected_components", RunsOn::rank_0, [this] { return Labels(whole_.vertices); },
        [this](Labels numbers) {
          boost::connected_components(*boost_graph_, numbers.data());
          return numbers;
        },
        [this](const Labels& numbers) {
          boost_graph_.reset();
          return min_vertices(numbers) == expected_;
        });
  }

  const Comm& comm_;
  Graph part_;
  Graph whole_;
  Labels expected_;
  std::optional<BoostGraph> boost_graph_;  ///< from its building to its search
  std::vector<Entrant> entrants_;
  std::pair<std::size_t, std::size_t> union_finds_;
};

/// The graph whose edge number i is `edge_number(i)`.
Contest::MakeGraph listed(std::int64_t edges, Edge (*edge_number)(Vertex i)) {
  return [edges, edge_number](Slice slice) {
    Edges of_slice;
    for (std::int64_t i = slice.begin(edges); i < slice.end(edges); ++i) {
      of_slice.push_back(edge_number(static_cast<Vertex>(i)));
    }
    return Graph{.vertices = kVertices, .edges = std::move(of_slice)};
  };
}

Edge edge_of_path(Vertex i) { return {i, i + 1}; }
Edge edge_of_star(Vertex i) { return {0, i + 1}; }

/// Cliques of 32 vertices, each linked to itself, too, and to each other one twice.
Edge edge_of_cliques(Vertex i) { return {i / 32, i / 1024 * 32 + i % 32}; }

/// Paths of four vertices.
Edge edge_of_small_paths(Vertex i) {
  const Vertex from = i / 3 * 4 + i % 3;
  return {from, from + 1};
}

Case graph_case(const std::string& name, const Contest::MakeGraph& make) {
  return {name, [make](const Comm& comm, int repetitions) {
            return Contest(comm, make).measure(repetitions);
          }};
}

Contest::MakeGraph random(std::int64_t edges) {
  return [edges](Slice slice) { return random_graph(kVertices, edges, 1, slice); };
}

}  // namespace
}  // namespace cleave::benchmarks

int main(int argc, char** argv) {
  using namespace cleave::benchmarks;
  cleave::detail::keep_freed_memory();
  return run_cases(
      argc, argv, "component_peers", 5,
      {graph_case("gnm-2M", random(2 << 20)), graph_case("gnm-16M", random(16 << 20)),
       graph_case("rmat-16M",
                  [](Slice slice) { return rmat_graph(kVertices, 16 << 20, 1, slice); }),
       graph_case("grid", [](Slice slice) { return grid_graph(kVertices, slice); }),
       graph_case("path", listed(kVertices - 1, edge_of_path)),
       graph_case("star", listed(kVertices - 1, edge_of_star)),
       graph_case("cliques", listed(std::int64_t{kVertices} * 32, edge_of_cliques)),
       graph_case("small paths", listed(kVertices / 4 * 3, edge_of_small_paths))});
}
