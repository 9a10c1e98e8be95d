// SPDX-License-Identifier: Apache-2.0
#include "models/regression/basis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <vector>

#include <cleave/error.hpp>

#include "models/regression/catalogue.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

std::string mistake(const std::string& text) {
  try {
    parse_form(text);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "none";
}

TEST(Basis, IsEvaluatedAsWritten) {
  const NamedValues sizes = {{"N", 8}, {"M", 3}};
  EXPECT_EQ(Basis::parse("1")(sizes), 1);
  EXPECT_EQ(Basis::parse("N")(sizes), 8);
  EXPECT_EQ(Basis::parse("N*log2(N)")(sizes), 24);
  EXPECT_EQ(Basis::parse("N*log2(N)^2")(sizes), 72);
  EXPECT_EQ(Basis::parse("N^2")(sizes), 64);
  EXPECT_DOUBLE_EQ(Basis::parse("N^1.5")(sizes), 8 * std::sqrt(8.0));
  EXPECT_EQ(Basis::parse("N*M")(sizes), 24);
  EXPECT_EQ(Basis::parse("M*log2(N)")(sizes), 9);
  const double ends = 2 * 3 / 8.0;  // of edges at a node
  EXPECT_DOUBLE_EQ(Basis::parse("N*none(M/N)")(sizes), 8 * std::exp(-ends));
  EXPECT_DOUBLE_EQ(Basis::parse("N*hit(M/N)")(sizes), 8 * (1 - std::exp(-ends)));
  EXPECT_DOUBLE_EQ(Basis::parse("N*once(M/N)")(sizes), 8 * ends * std::exp(-ends));
  EXPECT_DOUBLE_EQ(Basis::parse("N*twice(M/N)")(sizes), 8 * (1 - (1 + ends) * std::exp(-ends)));
  // Up to a mean of one end a node there is no giant.
  EXPECT_DOUBLE_EQ(Basis::parse("N*outside(M/N)")(sizes), 8);
  EXPECT_DOUBLE_EQ(Basis::parse("N*giant(M/N)")(sizes), 0);
  EXPECT_DOUBLE_EQ(Basis::parse("N*outside_half(M/N)")(sizes), 8);
  const double half = ends / 2;
  EXPECT_NEAR(Basis::parse("N*joined(M/N)")(sizes),
              8 * (half - 2 + 2 / half * (1 - std::exp(-half))), 1e-12);
}

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

TEST(Basis, GiantIsTheGreatestComponentOfARandomGraph) {
  constexpr std::size_t kNodes = 200000;
  for (const double density : {0.25, 0.75, 1.0, 1.5, 2.0, 3.0}) {
    const auto edges = static_cast<std::size_t>(density * kNodes);
    const NamedValues sizes = {{"N", kNodes}, {"M", edges}};
    std::mt19937 random(1);
    const std::vector<std::size_t> labels = labels_of_graph(kNodes, edges, random);
    const auto measured = static_cast<double>(std::ranges::count(labels, most_frequent(labels)));
    const double giant = Basis::parse("N*giant(M/N)")(sizes);
    EXPECT_NEAR(giant, measured, 0.01 * measured + 200) << density;
    EXPECT_DOUBLE_EQ(giant + Basis::parse("N*outside(M/N)")(sizes), kNodes);
  }
}

TEST(Basis, LeavingAreTheEdgesThatFindWorkInARandomGraph) {
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
    const NamedValues sizes = {{"N", kNodes}, {"M", edges}};
    EXPECT_NEAR(Basis::parse("N*leaving(M/N)")(sizes), leaving, 0.02 * leaving) << edges;
  }
}

TEST(Basis, JoinedAreTheLabelsToBeUnitedOfTwoHalvesOfARandomGraph) {
  constexpr std::size_t kNodes = 200000;
  for (const double density : {0.25, 0.5, 0.8, 1.5, 2.0, 4.0}) {
    const auto edges = static_cast<std::size_t>(density * kNodes);
    const NamedValues sizes = {{"N", kNodes}, {"M", edges}};
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
    EXPECT_NEAR(Basis::parse("N*outside_half(M/N)")(sizes), outside, 0.02 * outside + 100)
        << density;
    EXPECT_NEAR(Basis::parse("N*joined(M/N)")(sizes), joined, 0.02 * joined + 100) << density;
  }
}

TEST(Basis, FunctionsOfNothingAreNothing) {
  EXPECT_EQ(Basis::parse("N*log2(N)")({{"N", 0}}), 0);
  EXPECT_EQ(Basis::parse("N*hit(M/N)")({{"N", 0}, {"M", 1}}), 0);
  EXPECT_EQ(Basis::parse("N*twice(M/N)")({{"N", 1}, {"M", 0}}), 0);
  EXPECT_EQ(Basis::parse("N*joined(M/N)")({{"N", 1}, {"M", 0}}), 0);
}

TEST(Basis, JoinedIsContinuousWhereGraphsAreSparse) {
  const double below = Basis::parse("joined(M/N)")({{"N", 1e9}, {"M", 0.999999e6}});
  const double above = Basis::parse("joined(M/N)")({{"N", 1e9}, {"M", 1.000001e6}});
  EXPECT_NEAR(above / below, 1, 0.001);
}

TEST(Basis, FunctionsOfTwoAreOfARandomGraph) {
  constexpr std::size_t kNodes = 100000;
  constexpr std::size_t kEdges = 80000;
  std::mt19937 random(1);
  std::vector<int> ends(kNodes);
  for (std::size_t i = 0; i < 2 * kEdges; ++i) {
    ++ends[random() % kNodes];
  }
  const NamedValues sizes = {{"N", kNodes}, {"M", kEdges}};
  const auto nodes_with = [&](auto number) {
    return static_cast<double>(std::ranges::count_if(ends, number));
  };
  constexpr double kFourDeviations = 4 * 160;  // of the number of nodes
  EXPECT_NEAR(Basis::parse("N*none(M/N)")(sizes), nodes_with([](int n) { return n == 0; }),
              kFourDeviations);
  EXPECT_NEAR(Basis::parse("N*hit(M/N)")(sizes), nodes_with([](int n) { return n > 0; }),
              kFourDeviations);
  EXPECT_NEAR(Basis::parse("N*once(M/N)")(sizes), nodes_with([](int n) { return n == 1; }),
              kFourDeviations);
  EXPECT_NEAR(Basis::parse("N*twice(M/N)")(sizes), nodes_with([](int n) { return n > 1; }),
              kFourDeviations);
}

TEST(Basis, SizesAreThoseOfAllFactors) {
  EXPECT_EQ(Basis::parse("N*log2(K)*hit(M/N)").sizes(), (std::set<std::string>{"K", "M", "N"}));
  EXPECT_TRUE(Basis().sizes().empty());
}

TEST(Basis, IsReadBackAsWritten) {
  for (const char* text :
       {"1", "N", "N*log2(N)", "N*log2(N)^2", "N^1.5", "N*M", "tree_nodes", "log2",
        "N*log2(N)*hit(M/N)", "none(M/N)", "once(M/N)^2", "twice(M/N)", "N*giant(M/N)",
        "N*outside(M/N)", "N*leaving(M/N)", "outside_half(M/N)", "N*joined(M/N)"}) {
    EXPECT_EQ(Basis::parse(text).text(), text);
    EXPECT_EQ(Basis::parse(Basis::parse(text).text()), Basis::parse(text));
  }
}

TEST(Basis, MistakesAreNamedWithTheirPosition) {
  EXPECT_EQ(mistake(""), "'' is not a basis function: expected a size such as N at position 1");
  EXPECT_EQ(mistake("N*"), "'N*' is not a basis function: expected a size such as N at position 3");
  EXPECT_EQ(mistake("N**M"),
            "'N**M' is not a basis function: expected a size such as N at position 3");
  EXPECT_EQ(mistake("log2(N"), "'log2(N' is not a basis function: expected ')' at position 7");
  EXPECT_EQ(mistake("hit(N)"), "'hit(N)' is not a basis function: expected '/' at position 6");
  EXPECT_EQ(mistake("hit(M/N"), "'hit(M/N' is not a basis function: expected ')' at position 8");
  EXPECT_EQ(mistake("exp(N)"),
            "'exp(N)' is not a basis function: expected '*', '^' or the end at position 4");
  EXPECT_EQ(mistake("N^x"),
            "'N^x' is not a basis function: expected a power above 0 and at most 10 at position 3");
  EXPECT_EQ(
      mistake("N^-1"),
      "'N^-1' is not a basis function: expected a power above 0 and at most 10 at position 3");
  EXPECT_EQ(mistake("2*N"),
            "'2*N' is not a basis function: expected a size such as N at position 1");
  EXPECT_EQ(mistake("N M"),
            "'N M' is not a basis function: expected '*', '^' or the end at position 2");
  EXPECT_EQ(mistake("1,N,N"), "term N is given twice");
  EXPECT_EQ(mistake("1,"), "'' is not a basis function: expected a size such as N at position 1");
}

TEST(Basis, SaysWhichSizeIsMissing) {
  try {
    Basis::parse("N*M")({{"N", 1}});
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "size M is not known, but N*M depends on it");
  }
}

TEST(Forms, ThePapersAreByApplicationSizes) {
  EXPECT_EQ(text_of(*paper_form(Block::divide, {"N"})), "1,N");
  EXPECT_EQ(text_of(*paper_form(Block::combine, {"N"})), "1,N");
  EXPECT_EQ(text_of(*paper_form(Block::sequential, {"N"})), "1,N");
  EXPECT_EQ(text_of(*paper_form(Block::divide, {"M", "N"})), "1,M");
  EXPECT_EQ(text_of(*paper_form(Block::combine, {"M", "N"})), "1,N");
  EXPECT_EQ(text_of(*paper_form(Block::sequential, {"M", "N"})), "1,N,M");
  EXPECT_FALSE(paper_form(Block::sequential, {"nodes"}));
  EXPECT_FALSE(paper_form(Block::skeleton, {"N"}));
}

TEST(Forms, CandidatesOfOneSizeAreTwelveAndShorterOnesComeFirst) {
  std::vector<std::string> texts;
  for (const TrialForm& trial : candidate_forms({"N"})) {
    texts.push_back(text_of(trial.form));
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"N", "N*log2(N)", "N*log2(N)^2", "N^1.5", "N^2", "1",
                                             "1,N", "1,N*log2(N)", "1,N*log2(N)^2", "1,N^1.5",
                                             "1,N^2", "N^0.5,N"}));
  EXPECT_EQ(candidate_forms({"N", "M"}).size(), 278U);
  EXPECT_EQ(candidate_forms({}).size(), 1U);
  EXPECT_EQ(linear_forms({"N"}).size(), 3U);
}

}  // namespace
}  // namespace cleave::models
