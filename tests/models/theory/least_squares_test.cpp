// SPDX-License-Identifier: Apache-2.0
#include "models/theory/least_squares.hpp"

#include <gtest/gtest.h>

#include <Eigen/QR>
#include <limits>
#include <random>

#include <cleave/error.hpp>

namespace cleave::models {
namespace {

TEST(LeastSquares, RecoversTheCoefficientsThatMadeTheData) {
  Eigen::MatrixXd columns(4, 2);
  columns << 1, 1e5, 1, 1e6, 1, 4e6, 1, 3.2e7;
  const Eigen::VectorXd seconds = columns * Eigen::Vector2d(2e-4, 3e-9);
  for (const Sign sign : {Sign::any, Sign::non_negative}) {
    const Eigen::VectorXd found = least_squares(columns, seconds, sign);
    EXPECT_NEAR(found[0], 2e-4, 1e-12);
    EXPECT_NEAR(found[1], 3e-9, 1e-17);
  }
}

TEST(LeastSquares, StandardErrorsAreThoseOfTheTextbook) {
  // Points (1,1) (2,3) (3,2) (4,5): slope 1.1, constant 0, residual variance 1.35.
  Eigen::MatrixXd columns(4, 2);
  columns << 1, 1, 1, 2, 1, 3, 1, 4;
  const Eigen::VectorXd found = least_squares(columns, Eigen::Vector4d(1, 3, 2, 5), Sign::any);
  EXPECT_NEAR(found[0], 0, 1e-9);
  EXPECT_NEAR(found[1], 1.1, 1e-9);
  const Eigen::VectorXd errors = standard_errors(columns, 1.35);
  EXPECT_NEAR(errors[0], std::sqrt(1.35 * 30 / 20), 1e-9);
  EXPECT_NEAR(errors[1], std::sqrt(1.35 / 5), 1e-9);
}

/// The least sum of squares over all supports without a negative coefficient, by QR.
double least_of_all_supports(const Eigen::MatrixXd& columns, const Eigen::VectorXd& measured) {
  double least = measured.squaredNorm();
  for (unsigned mask = 1; mask < 1U << columns.cols(); ++mask) {
    std::vector<int> chosen;
    for (int i = 0; i < columns.cols(); ++i) {
      if ((mask >> i & 1U) != 0) {
        chosen.push_back(i);
      }
    }
    const Eigen::MatrixXd some = columns(Eigen::all, chosen);
    const Eigen::VectorXd x = some.colPivHouseholderQr().solve(measured);
    if (x.minCoeff() >= 0) {
      least = std::min(least, (measured - some * x).squaredNorm());
    }
  }
  return least;
}

TEST(LeastSquares, NonNegativeSolutionIsTheBestOfAllSupports) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  for (int trial = 0; trial < 300; ++trial) {
    const Eigen::Index count = 1 + trial % 4;
    Eigen::MatrixXd columns(9, count);
    Eigen::VectorXd measured(9);
    for (Eigen::Index row = 0; row < 9; ++row) {
      for (Eigen::Index j = 0; j < count; ++j) {
        columns(row, j) = normal(random) * std::pow(10.0, static_cast<double>(j));
      }
      measured[row] = normal(random);
    }
    const Eigen::VectorXd found = least_squares(columns, measured, Sign::non_negative);
    EXPECT_GE(found.minCoeff(), 0);
    EXPECT_NEAR((measured - columns * found).squaredNorm(),
                least_of_all_supports(columns, measured), 1e-9);
  }
}

TEST(LeastSquares, OfDependentColumnsOneIsEnough) {
  Eigen::MatrixXd columns(3, 2);
  columns << 1, 2, 2, 4, 3, 6;
  const Eigen::VectorXd found =
      least_squares(columns, Eigen::Vector3d(4, 8, 12), Sign::non_negative);
  EXPECT_NEAR(found[0] + 2 * found[1], 4, 1e-9);
}

TEST(LeastSquares, AColumnThatIsNotFiniteGetsNothing) {
  Eigen::MatrixXd columns(1, 2);
  columns << 1, std::numeric_limits<double>::infinity();
  EXPECT_EQ(least_squares(columns, Eigen::VectorXd::Ones(1), Sign::non_negative),
            Eigen::VectorXd(Eigen::Vector2d(1, 0)));
}

std::string reason(const std::vector<std::string>& names, const Eigen::MatrixXd& columns) {
  const std::optional<Refusal> refusal = refuse_dependent(names, columns, names.size());
  return refusal ? refusal->reason : "not refused";
}

TEST(LeastSquares, RefusesThePapersDesignWithTwiceAsManyEdgesAsNodes) {
  Eigen::MatrixXd columns(4, 3);
  columns << 1, 1e5, 2e5, 1, 2e5, 4e5, 1, 4e5, 8e5, 1, 9e5, 18e5;
  EXPECT_EQ(reason({"1", "N", "M"}, columns),
            "columns N and M are dependent: every sample has M = 2*N; vary them independently");
  columns(0, 2) = 7e5;
  EXPECT_EQ(reason({"1", "N", "M"}, columns), "not refused");
}

TEST(LeastSquares, NamesEveryColumnOfADependence) {
  Eigen::MatrixXd columns(4, 3);
  columns << 1, 1, 5, 1, 2, 7, 1, 3, 9, 1, 9, 21;
  EXPECT_EQ(reason({"1", "N", "M"}, columns),
            "columns 1, N and M are dependent: every sample has M = 3 + 2*N; measure more sizes");
}

TEST(LeastSquares, RefusesOneSizeHoweverOftenItIsRepeated) {
  Eigen::MatrixXd columns(3, 2);
  columns << 1, 5, 1, 5, 1, 5;
  EXPECT_EQ(reason({"1", "N"}, columns),
            "1 different size for 2 coefficients (1 and N): measure more sizes");
}

TEST(LeastSquares, RefusesAColumnOfZeros) {
  Eigen::MatrixXd columns(3, 2);
  columns << 1, 0, 2, 0, 3, 0;
  EXPECT_EQ(reason({"N", "M"}, columns),
            "column M is 0 in every sample; leave it out or measure other sizes");
}

}  // namespace
}  // namespace cleave::models
