// SPDX-License-Identifier: Apache-2.0
#include "models/regression/least_squares.hpp"

#include <gtest/gtest.h>

#include <random>

#include <cleave/error.hpp>

#include "models/network/latency_gap.hpp"

namespace cleave::models {
namespace {

Design line(const std::vector<double>& sizes, double constant, double slope) {
  const auto rows = static_cast<Eigen::Index>(sizes.size());
  Design design{.names = {"1", "N"}, .columns = {rows, 2}, .measured = Eigen::VectorXd(rows)};
  for (Eigen::Index i = 0; i < rows; ++i) {
    const double size = sizes[static_cast<std::size_t>(i)];
    design.columns.row(i) << 1, size;
    design.measured[i] = constant + slope * size;
  }
  return design;
}

Design graph_design(const std::vector<std::pair<double, double>>& sizes) {
  const auto rows = static_cast<Eigen::Index>(sizes.size());
  Design design{.names = {"1", "N", "M"}, .columns = {rows, 3}, .measured = Eigen::VectorXd(rows)};
  for (Eigen::Index i = 0; i < rows; ++i) {
    const auto [n, m] = sizes[static_cast<std::size_t>(i)];
    design.columns.row(i) << 1, n, m;
    design.measured[i] = 2e-3 + 1.35e-7 * n + 4.6e-7 * m;
  }
  return design;
}

std::string reason(const std::variant<LinearFit, Refusal>& result) {
  const auto* refusal = std::get_if<Refusal>(&result);
  return refusal != nullptr ? refusal->reason : "not refused";
}

TEST(LeastSquares, RecoversTheCoefficientsThatMadeTheData) {
  for (const Weights weights : {Weights::ordinary, Weights::relative}) {
    const auto fit =
        std::get<LinearFit>(least_squares(line({1e5, 1e6, 4e6, 3.2e7}, 2e-4, 3e-9), weights));
    EXPECT_NEAR(fit.coefficients[0], 2e-4, 1e-12);
    EXPECT_NEAR(fit.coefficients[1], 3e-9, 1e-17);
    EXPECT_NEAR(fit.r_squared, 1, 1e-12);
    EXPECT_EQ(fit.degrees_of_freedom, 2);
  }
}

TEST(LeastSquares, StandardErrorsAreThoseOfTheTextbook) {
  // Points (1,1) (2,3) (3,2) (4,5): slope 1.1, constant 0, residual variance 1.35.
  Design design = line({1, 2, 3, 4}, 0, 0);
  design.measured << 1, 3, 2, 5;
  const auto fit = std::get<LinearFit>(least_squares(design, Weights::ordinary));
  EXPECT_NEAR(fit.coefficients[0], 0, 1e-12);
  EXPECT_NEAR(fit.coefficients[1], 1.1, 1e-12);
  EXPECT_NEAR(fit.standard_errors()[0], std::sqrt(1.35 * 30 / 20), 1e-12);
  EXPECT_NEAR(fit.standard_errors()[1], std::sqrt(1.35 / 5), 1e-12);
  EXPECT_NEAR(fit.r_squared, 1 - 2.7 / 8.75, 1e-12);
  EXPECT_NEAR(fit.adjusted_r_squared, 1 - (2.7 / 8.75) * 3 / 2, 1e-12);
}

TEST(LeastSquares, RelativeWeightsKeepSmallRunsRightWhereOrdinaryOnesLoseThem) {
  Design design = line({1e3, 1e4, 1e5, 1e6, 1e7}, 0, 1e-8);
  design.measured[4] *= 1.05;
  const auto relative = std::get<LinearFit>(least_squares(design, Weights::relative));
  const auto ordinary = std::get<LinearFit>(least_squares(design, Weights::ordinary));
  EXPECT_LT(std::abs(relative.residuals[0]) / design.measured[0], 0.05);
  EXPECT_GT(std::abs(ordinary.residuals[0]) / design.measured[0], 1);
}

TEST(LeastSquares, RefusesThePapersDesignWithTwiceAsManyEdgesAsNodes) {
  const auto result =
      least_squares(graph_design({{1e3, 2e3}, {2e3, 4e3}, {4e3, 8e3}, {8e3, 16e3}, {16e3, 32e3}}));
  EXPECT_EQ(reason(result),
            "columns N and M are dependent: every sample has M = 2*N; vary them independently");
}

TEST(LeastSquares, NamesEveryColumnOfADependence) {
  const auto result =
      least_squares(graph_design({{1, 12}, {2, 14}, {4, 18}, {8, 26}, {16, 42}, {32, 74}}));
  EXPECT_EQ(reason(result),
            "columns 1, N and M are dependent: every sample has M = 10 + 2*N; measure more sizes");
}

TEST(LeastSquares, FitsWhereNodesAndEdgesVaryIndependently) {
  const auto fit = std::get<LinearFit>(
      least_squares(graph_design({{1e5, 1e5}, {1e5, 8e5}, {1e6, 1e6}, {1e6, 8e6}, {5e5, 1e6}})));
  EXPECT_NEAR(fit.coefficients[1], 1.35e-7, 1e-14);
  EXPECT_NEAR(fit.coefficients[2], 4.6e-7, 1e-14);
}

TEST(LeastSquares, RefusesFewerSamplesThanCoefficientsAndOneMore) {
  EXPECT_EQ(reason(least_squares(line({1, 2}, 1, 1))),
            "2 samples for 2 coefficients (1 and N): at least 3 are needed");
}

TEST(LeastSquares, RefusesOneSizeHoweverOftenItIsRepeated) {
  EXPECT_EQ(reason(least_squares(line({7, 7, 7, 7}, 1, 1))),
            "1 different size for 2 coefficients (1 and N): measure more sizes");
}

TEST(LeastSquares, RefusesAColumnOfZeros) {
  Design design = line({1, 2, 3, 4}, 1, 1);
  design.columns.col(1).setZero();
  design.columns(3, 1) = 1e-300;
  EXPECT_NE(reason(least_squares(design)), "not refused");
}

TEST(LeastSquares, HoldsACoefficientAtZeroRatherThanBelow) {
  const Design design = line({1e6, 2e6, 4e6, 8e6}, -1e-3, 1e-8);
  EXPECT_LT(std::get<LinearFit>(least_squares(design)).coefficients[0], 0);
  const auto fit =
      std::get<LinearFit>(least_squares(design, Weights::relative, Sign::non_negative));
  EXPECT_EQ(fit.coefficients[0], 0);
  EXPECT_EQ(fit.standard_errors()[0], 0);
  EXPECT_GT(fit.coefficients[1], 0);
  EXPECT_EQ(fit.degrees_of_freedom, 3);
}

TEST(LeastSquares, NonNegativeSolutionIsTheBestOfAllSupports) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 50; ++trial) {
    Design design{.names = {"a", "b", "c", "d"},
                  .columns = Eigen::MatrixXd(12, 4),
                  .measured = Eigen::VectorXd(12)};
    for (Eigen::Index i = 0; i < 12; ++i) {
      for (Eigen::Index j = 0; j < 4; ++j) {
        design.columns(i, j) = normal(random);
      }
      design.measured[i] = normal(random);
    }
    const auto fit =
        std::get<LinearFit>(least_squares(design, Weights::ordinary, Sign::non_negative));
    double best = design.measured.squaredNorm();
    for (unsigned support = 1; support < 16; ++support) {
      std::vector<Eigen::Index> used;
      for (Eigen::Index j = 0; j < 4; ++j) {
        if ((support >> j & 1U) != 0) {
          used.push_back(j);
        }
      }
      const Eigen::MatrixXd part = design.columns(Eigen::all, used);
      Design sub{.names = std::vector<std::string>(used.size(), "x"),
                 .columns = part,
                 .measured = design.measured};
      const auto candidate = std::get<LinearFit>(least_squares(sub, Weights::ordinary));
      if (candidate.coefficients.minCoeff() >= 0) {
        best = std::min(best, candidate.residuals.squaredNorm());
      }
    }
    EXPECT_NEAR(fit.residuals.squaredNorm(), best, 1e-9);
    EXPECT_GE(fit.coefficients.minCoeff(), 0);
  }
}

TEST(LeastSquares, StatedErrorsHoldTheTruthAsOftenAsTheySay) {
  std::mt19937 random(5);
  std::normal_distribution<double> noise(0, 0.02);
  int inside = 0;
  constexpr int kTrials = 400;
  for (int trial = 0; trial < kTrials; ++trial) {
    Design design = line({1e5, 2e5, 4e5, 8e5, 1.6e6, 3.2e6, 6.4e6, 1.3e7}, 1e-3, 5e-9);
    for (double& y : design.measured) {
      y *= 1 + noise(random);
    }
    const auto fit = std::get<LinearFit>(least_squares(design));
    inside += std::abs(fit.coefficients[1] - 5e-9) < 2.447 * fit.standard_errors()[1] ? 1 : 0;
  }
  EXPECT_NEAR(inside, 0.95 * kTrials, 0.03 * kTrials);
}

TEST(LatencyGap, IsHalfOfWhatAnExchangeOfOneMessageEachWayTakes) {
  std::vector<MessagePoint> points;
  for (double bytes = 8; bytes < 1e7; bytes *= 4) {
    points.push_back({bytes, 2 * (5e-6 + bytes * 1e-10)});
  }
  const LatencyGap fit = fit_latency_gap(points);
  EXPECT_NEAR(fit.latency_s, 5e-6, 1e-12);
  EXPECT_NEAR(fit.gap_s_per_byte, 1e-10, 1e-16);
  EXPECT_NEAR(fit.r_squared, 1, 1e-9);
}

TEST(LatencyGap, IsNeverNegative) {
  const std::vector<MessagePoint> points = {{100, 1e-9}, {200, 3e-6}, {400, 8e-6}, {800, 2e-5}};
  EXPECT_GE(fit_latency_gap(points).latency_s, 0);
}

TEST(LatencyGap, SaysWhatIsMissingWhenOneMessageSizeWasMeasured) {
  const std::vector<MessagePoint> points(5, MessagePoint{1024, 1e-5});
  EXPECT_THROW(fit_latency_gap(points), Error);
  EXPECT_THROW(fit_latency_gap({}), Error);
}

}  // namespace
}  // namespace cleave::models
