// SPDX-License-Identifier: Apache-2.0
#include "models/selection.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "models/diagnosis.hpp"
#include "models/segmentation.hpp"
#include "tests/models/referee.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

TEST(Referee, FindsCoefficientsBasesAndIntervalsOfDisturbedRuns) {
  const RefereeCounts counts = referee(400, 1);
  EXPECT_GE(counts.within_3_percent, 0.97 * counts.draws);
  EXPECT_GE(counts.right_basis, 0.93 * counts.draws);  // 95 of 100 within the noise of 400 draws
  EXPECT_GE(counts.held_basis_given, 0.93 * counts.held_of);
  EXPECT_LE(counts.held_basis_given, 0.97 * counts.held_of);
  EXPECT_GE(counts.held_after_selection, 0.90 * counts.held_of);
}

std::vector<Observation> observations_at(const std::vector<double>& sizes, double (*time)(double)) {
  std::vector<Observation> observations;
  for (const double n : sizes) {
    observations.push_back({.run_sizes = {{"N", static_cast<std::int64_t>(n)}},
                            .sizes = {{"N", n}},
                            .value = time(n)});
  }
  return observations;
}

/// Of a graph: nodes, edges and the seconds that it takes.
Observation graph(double n, double m, double seconds) {
  return {.run_sizes = {{"N", static_cast<std::int64_t>(n)}, {"M", static_cast<std::int64_t>(m)}},
          .sizes = {{"N", n}, {"M", m}},
          .value = seconds};
}

const std::vector<double> kDoublings = {1e4,   2e4,   4e4,    8e4,    1.6e5,
                                        3.2e5, 6.4e5, 1.28e6, 2.56e6, 5.12e6};

TEST(Selection, FindsWhereACacheOverflows) {
  const auto observations = observations_at(
      kDoublings, [](double n) { return n < 3e5 ? 1e-9 * n : 1e-9 * 3e5 + 4e-9 * (n - 3e5); });
  const auto fit = std::get<SegmentedFit>(
      fit_segmented(observations, candidate_forms({"N"}), Weights::relative));
  ASSERT_EQ(fit.breaks.size(), 1U);
  EXPECT_GT(fit.breaks.front(), 1.6e5);
  EXPECT_LT(fit.breaks.front(), 6.4e5);
  EXPECT_NEAR(fit({{"N", 1e8}}), 1e-9 * 3e5 + 4e-9 * (1e8 - 3e5), 0.03 * 0.4);
  EXPECT_GT(fit.r_squared, 0.999);
}

TEST(Selection, SeesNoBreakInASmoothCurve) {
  const auto observations =
      observations_at(kDoublings, [](double n) { return 1e-9 * n * std::log2(n); });
  const auto fit = std::get<SegmentedFit>(
      fit_segmented(observations, candidate_forms({"N"}), Weights::relative));
  EXPECT_EQ(fit.text(), "N*log2(N)");
  EXPECT_TRUE(diagnose(fit, observations).empty());
}

TEST(Selection, FindsARootBesideALine) {
  const auto observations =
      observations_at(kDoublings, [](double n) { return 0.6e-6 * std::sqrt(n) + 1e-9 * n; });
  const auto fit = std::get<SegmentedFit>(
      fit_segmented(observations, candidate_forms({"N"}), Weights::relative));
  EXPECT_EQ(fit.text(), "N^0.5,N");
}

TEST(Selection, TellsAPowerWhereSizesSpanAFactorOfFour) {
  const auto square = [](double n) { return 1e-15 * n * n; };
  const auto chosen = [&](const std::vector<double>& sizes) {
    const auto observations = observations_at(sizes, square);
    return std::get<SegmentedFit>(
        fit_segmented(observations, candidate_forms({"N"}), Weights::relative));
  };
  EXPECT_EQ(chosen({1e6, 1.5e6, 2e6, 2.5e6, 3e6, 4e6}).text(), "N^2");
  const SegmentedFit of_close_sizes = chosen({1e6, 1.2e6, 1.4e6, 1.6e6, 1.8e6, 2e6, 2.2e6});
  EXPECT_EQ(of_close_sizes.text().find('^'), std::string::npos) << of_close_sizes.text();
}

TEST(Selection, FitsATimeThatFallsWithTheDensityOfAGraph) {
  // As the merging of union-find forests: many trees below two edges a node, one above.
  std::vector<Observation> observations;
  const auto time = [](double n, double m) {
    return m < 3 * n ? 15e-9 * n - 4.5e-9 * m : 3e-9 * n - 0.1e-9 * m;
  };
  for (double n = 1 << 17; n <= 1 << 20; n *= 2) {
    for (double m = n; m <= 8 * n; m *= 2) {
      observations.push_back(graph(n, m, time(n, m)));
    }
  }
  const auto fit = std::get<SegmentedFit>(
      fit_segmented(observations, candidate_forms({"M", "N"}), Weights::relative));
  EXPECT_EQ(fit.over, "M/N");
  EXPECT_LT(fit.median_abs_relative_residual, 0.01);
  EXPECT_GT(fit.r_squared, 0.999);
  EXPECT_EQ(names_in(fit.over), (std::vector<std::string>{"M", "N"}));
}

TEST(Selection, DoesNotFollowTheLuckOfOneExtrapolation) {
  // Of four sizes only the largest can be predicted from the others, where a cache makes everything
  // slower: M*log2(N) alone comes closest there, with errors of a half elsewhere.
  std::vector<Observation> observations;
  for (const auto& [n, m, seconds] :
       {std::tuple(1 << 17, 1 << 17, 0.7e-3), std::tuple(1 << 18, 1 << 19, 0.63e-3),
        std::tuple(1 << 19, 1 << 19, 3.6e-3), std::tuple(1 << 20, 1 << 21, 3.6e-3)}) {
    for (const double of_rank : {0.98, 1.02}) {
      observations.push_back(graph(n, m, of_rank * seconds));
    }
  }
  const auto fit =
      std::get<BlockFit>(fit_best_form(observations, density_forms("N", "M"), Weights::relative));
  EXPECT_EQ(text_of(fit.form), "N*log2(N),M*log2(N)");
}

TEST(Selection, DropsNoFormThatErrsLessThanOneThatStays) {
  // Trees measured on one rank. What takes so much a node errs by 0.3 %, in every trial a little
  // more than the best of all forms; one with a logarithm by 5 % for once, which may be chance.
  std::vector<Observation> observations;
  for (const auto& [leaves, nodes, ns] :
       {std::tuple(50000, 773341, 16.99), std::tuple(100000, 1543469, 16.97),
        std::tuple(200000, 3167277, 16.90), std::tuple(400000, 6365533, 16.88)}) {
    observations.push_back({.run_sizes = {{"frontier", leaves}, {"nodes", nodes}},
                            .sizes = {{"frontier", leaves}, {"nodes", nodes}},
                            .value = 1e-9 * ns * nodes});
  }
  const auto fit = std::get<SegmentedFit>(
      fit_segmented(observations, candidate_forms({"frontier", "nodes"}), Weights::relative));
  EXPECT_EQ(fit.text(), "nodes");
}

TEST(Selection, TakesTheStretchThatSawTheDensity) {
  std::vector<Observation> few_edges;
  std::vector<Observation> many_edges;
  for (double n = 1e4; n <= 4e4; n *= 2) {
    few_edges.push_back(graph(n, n / 2, 8e-9 * n / 2));
    few_edges.push_back(graph(n, n, 8e-9 * n));
    many_edges.push_back(graph(n, 8 * n, 30e-9 * n));
    many_edges.push_back(graph(n, 16 * n, 30e-9 * n));
  }
  const auto fitted = [](const std::vector<Observation>& observations, const char* form) {
    return std::get<BlockFit>(
        fit_form(observations, {.form = parse_form(form)}, Weights::relative));
  };
  std::vector<Observation> all = few_edges;
  all.insert(all.end(), many_edges.begin(), many_edges.end());
  const SegmentedFit fit("M", {6e4}, {fitted(few_edges, "M"), fitted(many_edges, "N")}, all);
  EXPECT_NEAR(fit({{"N", 1e4}, {"M", 8e4}}), 30e-9 * 1e4, 1e-9);
  EXPECT_NEAR(fit({{"N", 16e4}, {"M", 128e4}}), 30e-9 * 16e4, 1e-9);
  // As many edges as beyond the break, as sparse as before it.
  EXPECT_NEAR(fit({{"N", 16e4}, {"M", 8e4}}), 8e-9 * 8e4, 1e-9);
  EXPECT_NEAR(fit({{"N", 2e3}, {"M", 3.2e4}}), 30e-9 * 2e3, 1e-9);
  // No segment saw these.
  EXPECT_NEAR(fit({{"N", 1e3}, {"M", 1e5}}), 30e-9 * 1e3, 1e-9);
  EXPECT_NEAR(fit({{"N", 1e5}, {"M", 1e4}}), 8e-9 * 1e4, 1e-9);
}

TEST(Selection, TakesNoBreaksThatPredictLargerSizesWorse) {
  // No form of the catalogue grows like this. In three segments the sizes left out are predicted
  // with half of the error, larger ones with a tenth more.
  std::vector<double> sizes;
  for (int i = 0; i < 19; ++i) {
    sizes.push_back(1e4 * std::exp2(0.5 * i));
  }
  const auto fit = std::get<SegmentedFit>(
      fit_segmented(observations_at(sizes, [](double n) { return 1e-9 * std::pow(n, 1.15); }),
                    candidate_forms({"N"}), Weights::relative));
  EXPECT_TRUE(fit.breaks.empty()) << fit.text();
}

/// What graphs of 4K to 32K nodes took, ns an edge, at four densities that double; and four times
/// beyond.
struct MeasuredGraphs {
  double min_density = 0;
  std::array<std::array<double, 4>, 7> ns_an_edge;
  std::array<double, 4> of_128k_nodes;
};

void expect_predicted_four_times_beyond(const MeasuredGraphs& measured, double tolerance) {
  constexpr std::array<double, 7> kNodes = {4096, 6144, 8192, 12288, 16384, 24576, 32768};
  const auto edges = [&](double nodes, std::size_t j) {
    return std::ldexp(measured.min_density * nodes, static_cast<int>(j));
  };
  std::vector<Observation> observations;
  for (std::size_t i = 0; i < kNodes.size(); ++i) {
    for (std::size_t j = 0; j < measured.of_128k_nodes.size(); ++j) {
      const double m = edges(kNodes[i], j);
      observations.push_back(graph(kNodes[i], m, 1e-9 * m * measured.ns_an_edge[i][j]));
    }
  }
  const auto fit = std::get<SegmentedFit>(
      fit_segmented(observations, candidate_forms({"M", "N"}), Weights::relative));
  for (std::size_t j = 0; j < measured.of_128k_nodes.size(); ++j) {
    const double m = edges(1 << 17, j);
    const double predicted = fit({{"N", 1 << 17}, {"M", m}});
    EXPECT_NEAR(predicted / (1e-9 * m * measured.of_128k_nodes[j]), 1, tolerance)
        << j << ": " << fit.text();
  }
}

TEST(Selection, BreaksWhereThatWasSeenToPredictLargerSizes) {
  // Measured on one rank. Breaks at M come close, but the segment of the largest M cannot be fitted
  // to smaller ones; it is 7 % off four times beyond.
  expect_predicted_four_times_beyond({.min_density = 0.5,
                                      .ns_an_edge = {{{8.027, 9.714, 7.134, 4.395},
                                                      {7.969, 9.408, 6.799, 3.938},
                                                      {7.910, 9.320, 6.494, 3.730},
                                                      {7.909, 9.295, 6.151, 3.521},
                                                      {7.860, 9.333, 6.047, 3.437},
                                                      {7.945, 9.472, 5.994, 3.380},
                                                      {7.958, 9.385, 5.971, 3.371}}},
                                      .of_128k_nodes = {8.061, 9.451, 5.845, 3.296}},
                                     0.04);
}

TEST(Selection, TakesNoLogarithmWhereAConstantExplainsAsMuch) {
  // On one rank. Dense graphs cost 15 us each and so much an edge; N*log2(N)*leaving(M/N) and 23 us
  // are as close to these, and 10 % off four times beyond.
  expect_predicted_four_times_beyond({.min_density = 0.5,
                                      .ns_an_edge = {{{8.198, 9.750, 7.304, 4.563},
                                                      {8.204, 9.769, 7.032, 4.017},
                                                      {8.120, 9.555, 6.651, 3.808},
                                                      {8.140, 9.549, 6.397, 3.629},
                                                      {8.214, 9.625, 6.253, 3.588},
                                                      {8.177, 9.732, 6.248, 3.533},
                                                      {8.286, 9.778, 6.223, 3.506}}},
                                      .of_128k_nodes = {8.503, 9.863, 6.056, 3.433}},
                                     0.06);
}

TEST(Selection, LeavesNoRatioToAStretchOfSmallSizes) {
  // On one of two ranks. Beyond a break at M = 10K no graph of 32K nodes has half as many edges, so
  // that the segment before it would predict those of 128K: 12 % too much.
  expect_predicted_four_times_beyond({.min_density = 0.25,
                                      .ns_an_edge = {{{9.037, 8.293, 10.011, 7.509},
                                                      {9.118, 8.279, 9.731, 7.011},
                                                      {8.934, 8.306, 9.702, 6.771},
                                                      {8.920, 8.288, 9.832, 6.498},
                                                      {8.964, 8.369, 9.731, 6.351},
                                                      {8.986, 8.353, 9.751, 6.250},
                                                      {8.998, 8.434, 9.751, 6.233}}},
                                      .of_128k_nodes = {9.113, 8.566, 9.875, 6.169}},
                                     0.08);
}

TEST(Selection, TriesBreaksAtLargerSizesWhereItCan) {
  // On one of two ranks. Breaks at M lower the error at sizes left out by more than breaks at M/N
  // do, but could not be tried at larger sizes at all: they are 14 % off four times beyond.
  expect_predicted_four_times_beyond({.min_density = 0.25,
                                      .ns_an_edge = {{{8.880, 8.328, 10.094, 7.737},
                                                      {8.812, 8.132, 9.863, 7.231},
                                                      {8.655, 8.089, 9.663, 6.875},
                                                      {8.651, 8.162, 9.646, 6.508},
                                                      {8.696, 8.114, 9.616, 6.391},
                                                      {8.668, 8.145, 9.572, 6.193},
                                                      {8.712, 8.075, 9.597, 6.133}}},
                                      .of_128k_nodes = {8.785, 8.135, 9.769, 5.909}},
                                     0.05);
}

TEST(Selection, KnowsThatASmallGraphCostsSomethingToo) {
  std::vector<Observation> observations;
  for (double n = 1 << 12; n <= 1 << 16; n *= 4) {
    for (double m = n; m <= 16 * n; m *= 2) {
      const double seconds = 40e-6 + 0.7e-9 * n * std::log2(n) + 0.1e-9 * m * std::log2(n);
      observations.push_back(graph(n, m, seconds));
    }
  }
  const auto fit =
      std::get<BlockFit>(fit_best_form(observations, density_forms("N", "M"), Weights::relative));
  EXPECT_EQ(text_of(fit.form), "1,N*log2(N),M*log2(N)");
}

TEST(Diagnosis, SaysWhatIsWrong) {
  const auto say = [](const std::vector<Observation>& observations, const char* form) {
    const SegmentedFit fit(
        "", {}, {std::get<BlockFit>(fit_form(observations, {parse_form(form)}, Weights::relative))},
        observations);
    std::string all;
    for (const std::string& said : diagnose(fit, observations)) {
      all += said + "\n";
    }
    return all;
  };
  const auto few = observations_at({1e5, 2e5, 4e5}, [](double n) { return 1e-9 * n; });
  EXPECT_NE(say(few, "N").find("3 sizes tell few forms apart"), std::string::npos);
  EXPECT_NE(say(few, "N").find("are close to each other"), std::string::npos);
  const auto step =
      observations_at(kDoublings, [](double n) { return (n < 3e5 ? 1e-9 : 1.3e-9) * n; });
  EXPECT_NE(say(step, "N").find("as where a cache overflows"), std::string::npos);
}

}  // namespace
}  // namespace cleave::models
