// SPDX-License-Identifier: Apache-2.0
#include "apps/components/random_graph.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <random>
#include <vector>

namespace cleave::components {
namespace {

/// Of every node the least of its component in a graph of edges between ends drawn by `random`.
std::vector<std::size_t> labels_of_graph(std::size_t nodes, std::size_t edges,
                                         std::mt19937& random) {
  std::vector<std::size_t> parent(nodes);
  std::iota(parent.begin(), parent.end(), 0);
  const auto root_of = [&](std::size_t v) {
    while (parent[v] != v) {
      v = parent[v] = parent[parent[v]];
    }
    return v;
  };
  for (std::size_t i = 0; i < edges; ++i) {
    const auto [minimum, other] =
        std::minmax({root_of(random() % nodes), root_of(random() % nodes)});
    parent[other] = minimum;
  }
  for (std::size_t v = 0; v < nodes; ++v) {
    parent[v] = root_of(v);
  }
  return parent;
}

std::size_t most_frequent(const std::vector<std::size_t>& labels) {
  std::vector<std::size_t> counts(labels.size());
  for (const std::size_t label : labels) {
    ++counts[label];
  }
  return static_cast<std::size_t>(std::ranges::max_element(counts) - counts.begin());
}

TEST(RandomGraph, GiantIsItsGreatestComponent) {
  constexpr std::size_t kNodes = 200000;
  for (const double density : {0.25, 0.75, 1.0, 1.5, 2.0, 3.0}) {
    const auto edges = static_cast<std::size_t>(density * kNodes);
    std::mt19937 random(1);
    const std::vector<std::size_t> labels = labels_of_graph(kNodes, edges, random);
    const auto measured = static_cast<double>(std::ranges::count(labels, most_frequent(labels)));
    EXPECT_NEAR(kNodes * (1 - outside_giant(2 * density)), measured, 0.01 * measured + 200)
        << density;
  }
}

TEST(RandomGraph, LeavingAreTheEdgesThatFindWorkInARandomGraph) {
  constexpr std::size_t kNodes = 200000;
  constexpr std::size_t kStep = kNodes / 20;  // of edges, in which the giant hardly grows
  std::mt19937 random(1);
  double leaving = 0;
  for (std::size_t edges = kStep; edges <= 3 * kNodes; edges += kStep) {
    std::mt19937 same_graph(2);
    const auto labels = labels_of_graph(kNodes, edges - kStep / 2, same_graph);
    const std::size_t giant = most_frequent(labels);
    for (std::size_t i = 0; i < kStep; ++i) {
      leaving += labels[random() % kNodes] != giant || labels[random() % kNodes] != giant;
    }
    const double ends = 2 * static_cast<double>(edges) / kNodes;
    EXPECT_NEAR(kNodes * components::leaving(ends), leaving, 0.02 * leaving) << edges;
  }
}

TEST(RandomGraph, JoinedAreTheLabelsToBeUnitedOfTwoHalvesOfARandomGraph) {
  constexpr std::size_t kNodes = 200000;
  for (const double density : {0.25, 0.5, 0.8, 1.5, 2.0, 4.0}) {
    const auto edges = static_cast<std::size_t>(density * kNodes);
    std::mt19937 random(1);
    const std::vector<std::size_t> mine = labels_of_graph(kNodes, edges / 2, random);
    const std::vector<std::size_t> theirs = labels_of_graph(kNodes, edges / 2, random);
    const std::size_t my_giant = most_frequent(mine);
    const std::size_t their_giant = most_frequent(theirs);
    double outside = 0;
    double joined = 0;
    for (std::size_t v = 0; v < kNodes; ++v) {
      const bool in_both = mine[v] == my_giant && theirs[v] == their_giant;
      outside += mine[v] != my_giant;
      joined += mine[v] != v && theirs[v] != v && !in_both;
    }
    EXPECT_NEAR(kNodes * outside_giant(density), outside, 0.02 * outside + 100) << density;
    EXPECT_NEAR(kNodes * components::joined(density), joined, 0.02 * joined + 100) << density;
  }
}

TEST(RandomGraph, JoinedIsContinuousWhereGraphsAreSparse) {
  EXPECT_NEAR(joined(1.000001e-3) / joined(0.999999e-3), 1, 0.001);
}

TEST(RandomGraph, CurvesAreThoseFunctionsOfTheDensity) {
  const Costs costs = costs_on_random_graphs();
  ASSERT_EQ(costs.curves.size(), 3U);
  for (const double density : {0.01, 0.4, 0.5, 0.6, 1.0, 3.3, 20.0}) {
    EXPECT_NEAR(costs.curves[0](density), leaving(2 * density), 0.01) << density;
    EXPECT_NEAR(costs.curves[1](density), outside_giant(density), 0.02) << density;
    EXPECT_NEAR(costs.curves[2](density), joined(density), 0.01) << density;
  }
}

}  // namespace
}  // namespace cleave::components
