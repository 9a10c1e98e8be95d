// SPDX-License-Identifier: Apache-2.0
#include "apps/components/components.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <random>
#include <string>

#include <cleave/check.hpp>
#include <cleave/row.hpp>

#include "apps/components/check.hpp"
#include "apps/components/generated_graphs.hpp"

namespace cleave::components {

using namespace cleave::detail;
namespace {

TEST(Components, KeepThePromisesOfAnApplication) {
  EXPECT_EQ(check(Components{}, {random_graph(100, 20, 1), random_graph(100, 300, 2)}),
            std::vector<std::string>{});
}

TEST(Components, OfNoEdgesAreTheVerticesAndLoopsAndRepeatedEdgesAreIgnored) {
  EXPECT_EQ(solve_sequential(Components{}, Graph{.vertices = 3, .edges = {}}).labels(),
            (Labels{0, 1, 2}));
  EXPECT_EQ(solve_sequential(Components{}, Graph{}).labels(), Labels{});
  const Graph graph{.vertices = 4, .edges = {{2, 2}, {3, 1}, {1, 3}, {3, 1}}};
  EXPECT_EQ(Components{}.sequential(graph).labels(), (Labels{0, 1, 2, 1}));
}

/// Edges whose ends are near those of the edge before: paths along, against and across their order,
/// a star and cliques of 8. Random ones move from `first` on; vertices around have no edge.
std::vector<Graph> near_graphs() {
  constexpr Vertex kVertices = 3000;
  constexpr Vertex kEdges = 2000;
  std::vector<Graph> graphs;
  for (const Vertex first : {0U, 1U, 63U, 500U, 999U}) {
    std::array<Edges, 6> edges;
    std::mt19937 random(first);
    for (Vertex i = 0; i < kEdges; ++i) {
      const Vertex v = first + i;
      edges[0].push_back({v, v + 1});
      edges[1].push_back({first + kEdges - i, first + kEdges - i - 1});
      edges[2].push_back({v, std::min(v + 2, first + kEdges)});
      edges[3].push_back({first, v + 1});
      edges[4].push_back({first + std::max<Vertex>(i, 30) - static_cast<Vertex>(random() % 30), v});
      for (Vertex w = i + 1; w % 8 != 0; ++w) {
        edges[5].push_back({v, first + w});
      }
    }
    for (Edges& some : edges) {
      graphs.push_back({.vertices = kVertices, .edges = std::move(some)});
    }
  }
  return graphs;
}

/// The greatest component gets its least vertices last, and most by way of other components; what
/// is left of it is whatever no edge reaches.
Graph graph_of_late_least_vertices(std::int64_t inner_edges) {
  constexpr Vertex kVertices = 5000;
  constexpr Vertex kLow = 300;
  Edges edges;
  for (const Edge& edge : random_graph(kVertices - kLow, inner_edges, 1).edges) {
    edges.push_back({edge.from + kLow, edge.to + kLow});
  }
  for (Vertex v = kLow - 1; v > 50; --v) {
    edges.push_back({v, v});
    edges.push_back(v % 2 == 0 ? Edge{v, v - 2} : Edge{v, kVertices - v});
  }
  edges.push_back({kVertices - 1, 100});
  edges.push_back({101, 4});
  return {.vertices = kVertices, .edges = std::move(edges)};
}

/// Graphs of every kind, small enough to be searched, large enough for the giant to be left out:
/// with many small components, a giant one, and one in all.
std::vector<Graph> many_graphs() {
  std::vector<Graph> graphs = near_graphs();
  for (const std::int64_t edges : {20000, 20001, 30063}) {
    graphs.push_back(graph_of_late_least_vertices(edges));
  }
  graphs.insert(graphs.end(),
                {grid_graph(1000), rmat_graph(1024, 10000, 1), rmat_graph(4096, 300, 2)});
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    for (const auto& [vertices, edges] :
         {std::pair(1U, 1), {2U, 1}, {100U, 10}, {1000U, 500}, {1000U, 1000}, {300U, 3000}}) {
      graphs.push_back(random_graph(vertices, edges, seed));
    }
  }
  for (const std::int64_t edges : {10000, 15001, 49999, 200000}) {
    graphs.push_back(random_graph(5000, edges, 3));
  }
  const Graph unsorted = random_graph(3000, 60000, 5);
  Edges sorted(unsorted.edges.begin(), unsorted.edges.end());
  std::sort(sorted.begin(), sorted.end(), [](const Edge& a, const Edge& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  graphs.push_back({.vertices = unsorted.vertices, .edges = std::move(sorted)});
  return graphs;
}

TEST(Components, OfGraphsOfEveryKindAndOfAnyTwoPartsEqualABreadthFirstSearch) {
  for (const Graph& graph : many_graphs()) {
    const Labels expected = search_components(graph);
    EXPECT_EQ(Components{}.sequential(graph).labels(), expected);
    if (graph.edges.size() <= 3000) {  // down to one edge
      EXPECT_EQ(solve_sequential(Components{}, graph).labels(), expected);
    }
    for (const CombineForm form : {CombineForm::naive, CombineForm::flat}) {
      const Components app{.combine_form = form};
      for (const Share share : {Share{1, 2}, Share{1, 5}, Share{7, 8}}) {
        const auto [left, right] = app.divide(graph, share);
        const Labelling both = app.combine(app.sequential(left), app.sequential(right));
        EXPECT_EQ(both.labels(), expected);
        EXPECT_EQ(both.edges(), std::ssize(graph.edges));
      }
    }
  }
}

/// Paths along ranges of vertices that are apart, next to each other, overlap or hold one another.
TEST(Components, OfTwoRangesAreTheirUnionWhicheverCrossed) {
  const auto path = [](Vertex first, Vertex last, Edges edges = {}) {
    for (Vertex v = first; v + 1 < last; v += 1 + v % 5 / 4) {
      edges.push_back({v, v + 1});
    }
    return Graph{.vertices = 300, .edges = std::move(edges)};
  };
  const Components app;
  const VertexRange ranges[] = {{0, 0},     {0, 90},    {0, 100},   {0, 101},  {0, 300},
                                {100, 200}, {150, 160}, {199, 300}, {250, 300}};
  for (const auto& [first, last] : ranges) {
    const Graph left = path(100, 200);
    const Labels expected =
        search_components(path(first, last, {left.edges.begin(), left.edges.end()}));
    const Labelling mine = app.sequential(left);
    const Labelling theirs = app.sequential(path(first, last));
    EXPECT_EQ(mine.held().size(), 100U);
    EXPECT_EQ(theirs.held().size(), last - first);
    EXPECT_EQ(app.combine(mine, over_the_wire(theirs)).labels(), expected);
    EXPECT_EQ(app.combine(over_the_wire(mine), theirs).labels(), expected);
    EXPECT_EQ(app.combine(over_the_wire(mine), over_the_wire(theirs)).labels(), expected);
  }
}

TEST(Labelling, ArrivesAsItWasSentAndIsRefusedIfDamaged) {
  for (const Graph& graph : {random_graph(1000, 2000, 1), Graph{.vertices = 9, .edges = {{3, 5}}},
                             Graph{.vertices = 3, .edges = {}}, Graph{}}) {
    const Labelling labelling = Components{}.sequential(graph);
    EXPECT_EQ(over_the_wire(labelling), labelling);
    const std::span<const Vertex> words = wire<Labelling>::view(labelling);
    EXPECT_THROW(wire<Labelling>::restore({words.begin() + 1, words.end()}), Error);
    EXPECT_THROW(wire<Labelling>::restore({words.begin(), words.end() - 1}), Error);
  }
}

TEST(GeneratedGraphs, InSlicesAreTheWhole) {
  const std::function<Graph(Slice)> makers[] = {
      [](Slice slice) { return random_graph(50, 101, 1, slice); },
      [](Slice slice) { return rmat_graph(64, 101, 1, slice); },
      [](Slice slice) { return grid_graph(50, slice); }};
  for (const auto& make : makers) {
    for (const int count : {1, 2, 3, 7}) {
      Edges all;
      for (int i = 0; i < count; ++i) {
        const Graph part = make({i, count});
        all.insert(all.end(), part.edges.begin(), part.edges.end());
      }
      EXPECT_EQ(SharedEdges(all), make({}).edges);
    }
  }
}

TEST(GeneratedGraphs, GridLinksNeighboursInRowsAndColumns) {
  // 0 1 2
  // 3 4
  EXPECT_EQ(grid_graph(5).edges, (SharedEdges{{0, 1}, {1, 2}, {3, 4}, {0, 3}, {1, 4}}));
  EXPECT_EQ(grid_edges(1), 0);
  EXPECT_EQ(Components{}.sequential(grid_graph(1000)).labels(), Labels(1000, 0));
}

TEST(Check, SaysWhichVertexIsWrong) {
  const Graph graph{.vertices = 3, .edges = {{1, 2}}};
  EXPECT_EQ(wrong_labels(graph, Labels{0, 1, 1}), std::nullopt);
  EXPECT_EQ(wrong_labels(graph, Labels{0, 1, 2}),
            "vertex 2 has label 2, breadth-first search gives 1");
  EXPECT_EQ(wrong_labels(graph, Labels{0, 1}), "2 labels for 3 vertices");
  EXPECT_EQ(count_components(Labels{0, 1, 1}), 2);
}

TEST(RandomGraph, HasAnEdgeForEveryIndexAndReachesEveryVertexAboutEquallyOften) {
  const Graph few = random_graph(1000, 10, 1);
  EXPECT_EQ(few.edges, random_graph(1000, 20, 1).edges.slice(0, 10));
  EXPECT_NE(few.edges, random_graph(1000, 10, 2).edges);
  std::array<int, 16> ends{};
  for (const Edge& edge : random_graph(16, 16000, 1).edges) {
    ++ends.at(edge.from);
    ++ends.at(edge.to);
  }
  for (const int count : ends) {
    EXPECT_NEAR(count, 2000, 250);  // 2000 and more than five standard deviations
  }
}

}  // namespace
}  // namespace cleave::components
