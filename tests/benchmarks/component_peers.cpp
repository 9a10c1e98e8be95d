// SPDX-License-Identifier: Apache-2.0
// Connected components against union-finds on the same list of edges and against Boost Graph,
// alternating in one run. Prints median times, their ratios to the fastest of the sequential
// union-finds, and the memory's bandwidth. On 2 ranks the edges lie distributed, and every rank
// gets all labels. Every peer ends with the least vertex of each vertex's component; the graph that
// Boost searches is built apart.
//
//   mpiexec -bind-to core -n 2 component_peers [REPETITIONS] [CASE...] > component_peers.json
#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <boost/graph/compressed_sparse_row_graph.hpp>
#include <boost/graph/connected_components.hpp>
#include <boost/pending/disjoint_sets.hpp>
#include <boost/property_map/property_map.hpp>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>

#include <cleave/command_line/options.hpp>
#include <cleave/dc_call.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/program/mpi_program.hpp>

#include "apps/components/components.hpp"
#include "apps/components/generated_graphs.hpp"
#include "tests/benchmarks/side_by_side.hpp"

namespace cleave::benchmarks {

using namespace components;

using namespace cleave::detail;
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

/// Links by rank, compresses whole paths.
Labels by_boost_disjoint_sets(const Graph& graph) {
  std::vector<Vertex> rank(graph.vertices, 0);
  Labels parent = separate_labels(graph.vertices);
  const boost::typed_identity_property_map<Vertex> by_vertex;
  auto sets = boost::disjoint_sets(boost::make_iterator_property_map(rank.begin(), by_vertex),
                                   boost::make_iterator_property_map(parent.begin(), by_vertex));
  for (const Edge& edge : graph.edges) {
    sets.union_set(edge.from, edge.to);
  }
  for (Vertex v = 0; v < graph.vertices; ++v) {
    sets.find_set(v);
  }
  return parent;
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

struct Peer {
  std::string name;
  RunsOn ranks;
  bool is_plain_union_find;
  std::function<double()> seconds;
  std::vector<double> samples = {};
};

/// One graph, and everything that labels it.
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
    add_union_find("union-find, link by index, path halving", by_union_find<unite_by_halving, 0>);
    add_union_find("union-find, link by index, path halving, parents fetched 16 ahead",
                   by_union_find<unite_by_halving, 16>);
    add_union_find("Rem's union-find", by_union_find<unite_by_rem, 0>);
    add_union_find("Rem's union-find, parents fetched 16 ahead", by_union_find<unite_by_rem, 16>);
    add_union_find("Boost disjoint_sets", by_boost_disjoint_sets);
    add_boost_graph();
  }

  void measure(bool is_warm_up) {
    for (Peer& peer : peers_) {
      const double seconds = peer.seconds();
      if (!is_warm_up) {
        peer.samples.push_back(seconds);
      }
    }
  }

  nlohmann::ordered_json json(const std::string& name) const {
    const Peer* best = nullptr;
    for (const Peer& peer : peers_) {
      const bool is_better = best == nullptr || median(peer.samples) < median(best->samples);
      best = peer.is_plain_union_find && is_better ? &peer : best;
    }
    nlohmann::ordered_json json = {{"name", name},
                                   {"N", whole_.vertices},
                                   {"M", whole_.edges.size()},
                                   {"best_sequential_union_find", best->name}};
    for (const Peer& peer : peers_) {
      const double seconds = median(peer.samples);
      const int ranks = peer.ranks == RunsOn::all_ranks ? comm_.size() : 1;
      json["programs"].push_back({{"name", peer.name},
                                  {"ranks", ranks},
                                  {"median_seconds", seconds},
                                  {"over_best_union_find", seconds / median(best->samples)},
                                  {"times_faster", median(best->samples) / seconds},
                                  {"seconds", peer.samples}});
    }
    return json;
  }

 private:
  void add_cleave(const std::string& name, RunsOn ranks, MPI_Comm communicator,
                  const Graph& graph) {
    const auto solve = [communicator](Graph part) {
      return DC_Call(DC_Type::hypercube, Components{}, std::move(part),
                     {.comm = communicator, .placement = Placement::distributed});
    };
    const auto check = [this, name](const Labelling& found) {
      require_right(name, std::ranges::equal(found.labels(), expected_));
    };
    const auto copy = [&graph] { return graph; };
    peers_.push_back({name, ranks, false, [this, ranks, copy, solve, check] {
                        return seconds_of(comm_, ranks, copy, solve, check);
                      }});
  }

  void add_union_find(const std::string& name, Labels (*label)(const Graph&)) {
    const auto graph = [this] { return &whole_; };
    const auto run = [label](const Graph* given) { return label(*given); };
    const auto check = [this, name](const Labels& found) {
      require_right(name, min_vertices(found) == expected_);
    };
    peers_.push_back({name, RunsOn::rank_0, true, [this, graph, run, check] {
                        return seconds_of(comm_, RunsOn::rank_0, graph, run, check);
                      }});
  }

  void add_boost_graph() {
    constexpr const char* kName = "Boost connected_components";
    peers_.push_back({"Boost compressed_sparse_row_graph, building", RunsOn::rank_0, false, [this] {
                        return seconds_of(
                            comm_, RunsOn::rank_0, [this] { return &whole_; },
                            [this](const Graph* given) {
                              boost_graph_ = boost_graph_of(*given);
                              return true;
                            },
                            [](bool) {});
                      }});
    peers_.push_back({kName, RunsOn::rank_0, false, [this] {
                        return seconds_of(
                            comm_, RunsOn::rank_0, [this] { return Labels(whole_.vertices); },
                            [this](Labels numbers) {
                              boost::connected_components(*boost_graph_, numbers.data());
                              return numbers;
                            },
                            [this](const Labels& numbers) {
                              require_right(kName, min_vertices(numbers) == expected_);
                              boost_graph_.reset();
                            });
                      }});
  }

  static void require_right(const std::string& name, bool is_right) {
    if (!is_right) {
      throw Error(name + " labels a vertex wrongly");
    }
  }

  const Comm& comm_;
  Graph part_;
  Graph whole_;
  Labels expected_;
  std::optional<BoostGraph> boost_graph_;  ///< from its building to its search
  std::vector<Peer> peers_;
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

/// Of cliques of 32 vertices, each linked to itself, too, and to each other one twice.
Edge edge_of_cliques(Vertex i) { return {i / 32, i / 1024 * 32 + i % 32}; }

/// Of paths of four vertices.
Edge edge_of_small_paths(Vertex i) {
  const Vertex from = i / 3 * 4 + i % 3;
  return {from, from + 1};
}

const std::vector<std::pair<std::string, Contest::MakeGraph>>& cases() {
  const auto random = [](std::int64_t edges) {
    return [edges](Slice slice) { return random_graph(kVertices, edges, 1, slice); };
  };
  static const std::vector<std::pair<std::string, Contest::MakeGraph>> all = {
      {"gnm-2M", random(2 << 20)},
      {"gnm-16M", random(16 << 20)},
      {"rmat-16M", [](Slice slice) { return rmat_graph(kVertices, 16 << 20, 1, slice); }},
      {"grid", [](Slice slice) { return grid_graph(kVertices, slice); }},
      {"path", listed(kVertices - 1, edge_of_path)},
      {"star", listed(kVertices - 1, edge_of_star)},
      {"cliques", listed(std::int64_t{kVertices} * 32, edge_of_cliques)},
      {"small paths", listed(kVertices / 4 * 3, edge_of_small_paths)}};
  return all;
}

void run(const Comm& comm, int repetitions, const std::vector<std::string>& chosen) {
  keep_freed_memory();
  MemoryBandwidth bandwidth(comm);
  nlohmann::ordered_json json = {{"ranks", comm.size()}, {"repetitions", repetitions}};
  for (const auto& [name, make] : cases()) {
    if (std::find(chosen.begin(), chosen.end(), name) == chosen.end()) {
      continue;
    }
    Contest contest(comm, make);
    for (int repetition = -1; repetition < repetitions; ++repetition) {
      contest.measure(repetition < 0);
      bandwidth.measure();
    }
    json["graphs"].push_back(contest.json(name));
  }
  json["memory"] = bandwidth.json();
  if (comm.rank() == 0) {
    fmt::print("{}\n", json.dump(2));
  }
}

}  // namespace
}  // namespace cleave::benchmarks

int main(int argc, char** argv) {
  return cleave::detail::run_mpi_program(
      argc, argv, "component_peers", [&](const cleave::Comm& comm) {
        int repetitions = 5;
        std::vector<std::string> chosen;
        for (const auto& [name, make] : cleave::benchmarks::cases()) {
          chosen.push_back(name);
        }
        CLI::App cli(
            "Connected components against union-finds and Boost Graph. Run it as:\n"
            "mpiexec -bind-to core -n 2 component_peers > component_peers.json",
            "component_peers");
        cli.add_option("repetitions", repetitions)
            ->check(CLI::PositiveNumber)
            ->capture_default_str();
        cli.add_option("cases", chosen, "Graphs, N = 1M")
            ->check(CLI::IsMember(chosen))
            ->capture_default_str();
        if (cleave::detail::parse_command_line(cli, argc, argv, comm.rank() == 0)) {
          cleave::benchmarks::run(comm, repetitions, chosen);
        }
      });
}
