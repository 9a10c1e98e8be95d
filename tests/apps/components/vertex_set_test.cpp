// SPDX-License-Identifier: Apache-2.0
#include "apps/components/vertex_set.hpp"

#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <algorithm>
#include <random>

namespace cleave::components {
namespace {

/// Every pass, by each of the instruction sets that this processor has and that are compiled in.
class VertexSets : public ::testing::TestWithParam<std::int64_t> {
 protected:
  void SetUp() override { hwy::SetSupportedTargetsForTest(GetParam()); }
  void TearDown() override { hwy::SetSupportedTargetsForTest(0); }

  std::mt19937 random_{1};

  /// Flat labels: every vertex is a root or has a root below it, often vertex 0 or 1.
  Labels some_labels(Vertex vertices) {
    Labels labels(vertices);
    for (Vertex v = 0; v < vertices; ++v) {
      const auto label = static_cast<Vertex>(random_() % 4 == 0 ? random_() % (v + 1) : v % 2);
      labels[v] = random_() % 3 == 0 || labels[label] != label ? v : label;
    }
    return labels;
  }
};

/// Around one word, several of them, and the edges that are taken at once.
constexpr Vertex kVertices[] = {1, 2, 7, 8, 31, 32, 33, 63, 64, 65, 100, 1000, 4096, 10001};

TEST_P(VertexSets, HoldLabelAndLeaveOutWhatTheyShould) {
  for (const Vertex vertices : kVertices) {
    const Labels labels = some_labels(vertices);
    const VertexSet roots = VertexSet::roots(labels);
    for (const Vertex label : {Vertex{0}, Vertex{1}, vertices - 1}) {
      SCOPED_TRACE(::testing::Message() << "label " << label << " of " << vertices);
      const VertexSet set = VertexSet::with_label(labels, label);
      for (Vertex v = 0; v < vertices; ++v) {
        EXPECT_EQ(set.contains(v), labels[v] == label) << v;
        EXPECT_EQ(roots.contains(v), labels[v] == v) << v;
      }
      Labels expected = labels;
      std::replace(expected.begin(), expected.end(), label, Vertex{12345});
      Labels labelled = labels;
      set.label_members(labelled, 12345);
      EXPECT_EQ(labelled, expected);
    }
  }
}

/// Loops and the first and the last vertex are among the edges.
TEST_P(VertexSets, KeepTheEdgesThatHaveAnEndOutside) {
  for (const Vertex vertices : kVertices) {
    const Labels labels = some_labels(vertices);
    const VertexSet set = VertexSet::with_label(labels, 0);
    for (const std::size_t count : {0, 1, 31, 63, 64, 65, 127, 128, 4095, 4096, 4097, 9000}) {
      std::vector<Edge> edges(count);
      for (Edge& edge : edges) {
        edge = {static_cast<Vertex>(random_() % vertices),
                static_cast<Vertex>(random_() % vertices)};
        edge.to = random_() % 8 == 0 ? edge.from : edge.to;
        edge.from = random_() % 8 == 0 ? vertices - 1 : edge.from;
      }
      std::vector<Edge> expected;
      std::copy_if(edges.begin(), edges.end(), std::back_inserter(expected), [&](const Edge& edge) {
        return labels[edge.from] != 0 || labels[edge.to] != 0;
      });
      std::vector<Edge> leaving(count);
      leaving.resize(set.copy_leaving(edges, leaving.data()));
      const auto by_ends = [](const Edge& a, const Edge& b) {
        return std::pair(a.from, a.to) < std::pair(b.from, b.to);
      };
      std::sort(expected.begin(), expected.end(), by_ends);
      std::sort(leaving.begin(), leaving.end(), by_ends);
      EXPECT_EQ(leaving, expected) << count << " edges, " << vertices << " vertices";
    }
  }
}

TEST_P(VertexSets, TakeLabelsWhereTheVertexIsARoot) {
  for (const Vertex vertices : kVertices) {
    Labels labels = some_labels(vertices);
    Labels others = some_labels(vertices);
    for (Vertex v = 0; v < vertices && vertices % 2 == 0; ++v) {  // as in a grid
      labels[v] = v / 32 * 32;
      others[v] = v % 32;
    }
    const Giants giants{.mine = 2, .theirs = 1, .root = 0};
    for (const Vertex first : {Vertex{0}, vertices / 3, vertices - 1}) {
      const Vertex size = std::min(LabelPairs::kMax, vertices - first);
      Labels taken = labels;
      LabelPairs pairs;
      take_where_root(taken, std::span(others).subspan(first, size), first, giants, pairs);
      std::size_t next = 0;
      for (Vertex v = 0; v < vertices; ++v) {
        if (v < first || v - first >= size) {
          EXPECT_EQ(taken[v], labels[v]);
          continue;
        }
        const Vertex mine = labels[v] == giants.mine ? giants.root : labels[v];
        const Vertex theirs = others[v] == giants.theirs ? giants.root : others[v];
        EXPECT_EQ(taken[v], labels[v] == v ? theirs : mine);
        if (labels[v] != v && others[v] != v && mine != theirs) {
          const bool is_next =
              next < pairs.size && pairs.mine[next] == mine && pairs.theirs[next] == theirs;
          EXPECT_TRUE(is_next || taken[mine] == taken[theirs]) << v;
          next += is_next ? 1 : 0;
        }
      }
      EXPECT_EQ(next, pairs.size);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(OnEveryTarget, VertexSets,
                         ::testing::ValuesIn(hwy::SupportedAndGeneratedTargets()),
                         [](const auto& target) { return hwy::TargetName(target.param); });

}  // namespace
}  // namespace cleave::components
