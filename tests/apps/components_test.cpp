#include "apps/components/components.hpp"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "apps/components/check.hpp"
#include "apps/components/input.hpp"
#include "skeleton/check.hpp"

namespace cleave {
namespace {

/// Sizes at which there are many small components, a giant one, and one in all.
struct GraphSize {
  Vertex vertices;
  std::int64_t edges;
};
constexpr std::array kSizes = {GraphSize{1, 1},      GraphSize{2, 1},       GraphSize{100, 10},
                               GraphSize{1000, 500}, GraphSize{1000, 1000}, GraphSize{300, 3000}};

TEST(Components, EqualABreadthFirstSearch) {
  for (const auto& [vertices, edges] : kSizes) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
      const Graph graph = random_graph(vertices, edges, seed);
      EXPECT_EQ(Components{}.sequential(graph), search_components(graph));
    }
  }
}

TEST(Components, DownToOneEdgeEqualABreadthFirstSearch) {
  for (const auto& [vertices, edges] : kSizes) {
    const Graph graph = random_graph(vertices, edges, 1);
    EXPECT_EQ(solve_sequential(Components{}, graph), search_components(graph));
  }
}

TEST(Components, KeepThePromisesOfAnApplication) {
  EXPECT_EQ(check(Components{}, {random_graph(100, 20, 1), random_graph(100, 300, 2)}),
            std::vector<std::string>{});
}

TEST(Components, OfAPathThatIsGivenBackwardsAreOne) {
  Graph path{.vertices = 100000, .edges = {}};
  for (Vertex v = path.vertices - 1; v > 0; --v) {
    path.edges.push_back({v, v - 1});
  }
  EXPECT_EQ(Components{}.sequential(path), Labels(path.vertices, 0));
  EXPECT_EQ(search_components(path), Labels(path.vertices, 0));
}

TEST(Components, OfNoEdgesAreTheVertices) {
  EXPECT_EQ(solve_sequential(Components{}, Graph{.vertices = 3, .edges = {}}), (Labels{0, 1, 2}));
  EXPECT_EQ(solve_sequential(Components{}, Graph{}), Labels{});
}

TEST(Components, IgnoreLoopsAndRepeatedEdges) {
  const Graph graph{.vertices = 4, .edges = {{2, 2}, {3, 1}, {1, 3}, {3, 1}}};
  EXPECT_EQ(Components{}.sequential(graph), (Labels{0, 1, 2, 1}));
}

TEST(Divide, KeepsEveryEdgeOnce) {
  const Graph graph = random_graph(50, 101, 1);
  const auto [left, right] = Components{}.divide(graph, Share{.left = 2, .total = 5});
  EXPECT_EQ(left.edges.size(), 40U);
  EXPECT_EQ(left.vertices, 50U);
  EXPECT_EQ(right.vertices, 50U);
  std::vector<Edge> edges = left.edges;
  edges.insert(edges.end(), right.edges.begin(), right.edges.end());
  EXPECT_EQ(edges, graph.edges);
}

TEST(Combine, UnitesWhatEitherSideFoundConnected) {
  EXPECT_EQ(Components{}.combine({0, 0, 2, 2, 4}, {0, 1, 1, 3, 4}), (Labels{0, 0, 0, 0, 4}));
}

TEST(Check, SaysWhichVertexIsWrong) {
  const Graph graph{.vertices = 3, .edges = {{1, 2}}};
  EXPECT_EQ(wrong_labels(graph, {0, 1, 1}), std::nullopt);
  EXPECT_EQ(wrong_labels(graph, {0, 1, 2}), "vertex 2 has label 2, breadth-first search gives 1");
  EXPECT_EQ(wrong_labels(graph, {0, 1}), "2 labels for 3 vertices");
  EXPECT_EQ(count_components({0, 1, 1}), 2);
}

TEST(RandomGraph, HasAnEdgeForEveryIndexWhateverTheirNumber) {
  const Graph few = random_graph(1000, 10, 1);
  Graph many = random_graph(1000, 20, 1);
  many.edges.resize(10);
  EXPECT_EQ(few.edges, many.edges);
  EXPECT_NE(few.edges, random_graph(1000, 10, 2).edges);
}

TEST(RandomGraph, ReachesEveryVertexAboutEquallyOften) {
  const Graph graph = random_graph(16, 16000, 1);
  std::array<int, 16> ends{};
  for (const Edge& edge : graph.edges) {
    ++ends.at(edge.from);
    ++ends.at(edge.to);
  }
  for (const int count : ends) {
    EXPECT_NEAR(count, 2000, 250);  // 2000 and more than five standard deviations
  }
}

}  // namespace
}  // namespace cleave
