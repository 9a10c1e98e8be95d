// SPDX-License-Identifier: Apache-2.0
// Components of edges that lie distributed over any number of ranks are the whole graph's, on all.
#include <gtest/gtest.h>

#include <functional>
#include <utility>
#include <vector>

#include <cleave/dc_call.hpp>

#include "apps/components/check.hpp"
#include "apps/components/components.hpp"
#include "apps/components/generated_graphs.hpp"

namespace cleave::components {

using namespace cleave::detail;
namespace {

/// With a loop at either end of the vertices in every part.
Graph with_loops(const Graph& graph) {
  Edges edges(graph.edges.begin(), graph.edges.end());
  edges.push_back({0, 0});
  edges.push_back({graph.vertices - 1, graph.vertices - 1});
  return {.vertices = graph.vertices, .edges = std::move(edges)};
}

TEST(DistributedComponents, AreThoseOfTheWholeGraphOnEveryRank) {
  const Comm world(MPI_COMM_WORLD);
  const std::vector<std::function<Graph(Slice)>> graphs = {
      [](Slice slice) { return random_graph(1, 1, 1, slice); },
      [](Slice slice) { return random_graph(999, 700, 1, slice); },
      [](Slice slice) { return random_graph(1001, 60001, 2, slice); },
      [](Slice slice) { return rmat_graph(4096, 100003, 3, slice); },
      [](Slice slice) { return rmat_graph(1 << 15, 1 << 20, 4, slice); },
      [](Slice slice) { return grid_graph(3000, slice); }};
  for (const auto& make : graphs) {
    const Labels expected = search_components(make({}));
    for (const CombineForm form : {CombineForm::naive, CombineForm::flat}) {
      const Components app{.combine_form = form};
      const Labelling found = DC_Call(
          DC_Type::hypercube, app, with_loops(make({.index = world.rank(), .count = world.size()})),
          {.comm = MPI_COMM_WORLD, .placement = Placement::distributed});
      EXPECT_EQ(found.labels(), expected) << static_cast<int>(form);
    }
  }
}

}  // namespace
}  // namespace cleave::components
