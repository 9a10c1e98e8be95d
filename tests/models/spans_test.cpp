// SPDX-License-Identifier: Apache-2.0
#include "models/spans.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace cleave::models {
namespace {

/// Of graphs with these nodes, in K, each at densities from 1/2 to 4, and edges between two bounds.
Spans graphs(const std::vector<double>& nodes_k, double min_edges_k, double max_edges_k) {
  std::vector<Observation> observations;
  for (const double n : nodes_k) {
    for (const double density : {0.5, 1.0, 2.0, 4.0}) {
      if (n * density >= min_edges_k && n * density <= max_edges_k) {
        observations.push_back({.sizes = {{"N", 1024 * n}, {"M", 1024 * n * density}}});
      }
    }
  }
  return Spans(observations);
}

TEST(Spans, TellNoSteepPowerOfASizeThatHardlyVaries) {
  const Spans close = graphs({16, 24, 32}, 0, 1e9);
  EXPECT_FALSE(close.tell(parse_form("N^1.5"), close));
  EXPECT_FALSE(close.tell(parse_form("1,N*log2(N)^2"), close));
  EXPECT_TRUE(close.tell(parse_form("1,N,N*log2(N)"), close));
  EXPECT_TRUE(close.tell(parse_form("M^1.5"), close));
  const Spans far = graphs({4, 16, 64}, 0, 1e9);
  EXPECT_TRUE(far.tell(parse_form("N^2,M^1.5"), far));
}

TEST(Spans, OfAPartTellNoGrowthOfAProductWhereOneOfItsSizesHardlyVaries) {
  const Spans whole = graphs({4, 8, 16, 32, 64}, 0, 1e9);
  const Spans part = graphs({4, 8, 16, 32, 64}, 16, 32);
  for (const std::string steep : {"M*N^0.5", "M*N", "1,N,M*N^0.5"}) {
    EXPECT_TRUE(whole.tell(parse_form(steep), whole)) << steep;
    EXPECT_FALSE(part.tell(parse_form(steep), whole)) << steep;
  }
  EXPECT_TRUE(part.tell(parse_form("M*log2(N),N*giant(M/N)"), whole));
}

TEST(Spans, TellNothingThatDependsOnARatioThatHardlyVariesAnywhere) {
  std::vector<Observation> trees;
  for (const double nodes : {0.8e6, 1.6e6, 3.1e6, 6.4e6}) {
    for (const double leaves : {0.063, 0.065}) {
      trees.push_back({.sizes = {{"frontier", leaves * nodes}, {"nodes", nodes}}});
    }
  }
  const Spans spans(trees);
  EXPECT_FALSE(spans.tell(parse_form("nodes*twice(frontier/nodes)"), spans));
  EXPECT_TRUE(spans.tell(parse_form("frontier,nodes*log2(nodes)"), spans));
  const Spans graphs_of_all = graphs({4, 8, 16}, 0, 1e9);
  const Spans graphs_of_one_density = graphs({4, 8, 16}, 8, 8);
  EXPECT_TRUE(graphs_of_one_density.tell(parse_form("N*giant(M/N)"), graphs_of_all));
}

TEST(Spans, TellAProductOfASizeThatHardlyVariesAnywhere) {
  const Spans close = graphs({16, 24, 32}, 0, 1e9);
  EXPECT_TRUE(close.tell(parse_form("N*M"), close));
}

}  // namespace
}  // namespace cleave::models
