// SPDX-License-Identifier: Apache-2.0
#include "models/theory/least_squares.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace cleave::models {
namespace {

const std::vector<double> kOnes(4, 1);

TEST(LeastSquares, HasTheLineAndErrorsOfTheTextbook) {
  // Points (1,1) (2,3) (3,2) (4,5): slope 1.1, constant 0.
  const Columns columns = {kOnes, {1, 2, 3, 4}};
  const Solution found = solve(kOnes, columns, std::vector<double>{1, 3, 2, 5});
  EXPECT_NEAR(found.coefficients[0], 0, 1e-9);
  EXPECT_NEAR(found.coefficients[1], 1.1, 1e-9);
  EXPECT_NEAR(found.covariance[0], 30.0 / 20, 1e-9);
  EXPECT_NEAR(found.covariance[3], 1.0 / 5, 1e-9);
  EXPECT_NEAR(found.covariance[1], -2.5 / 5, 1e-9);
  const std::vector<double> first_two = {1, 1, 0, 0};
  EXPECT_NEAR(solve(first_two, columns, std::vector<double>{1, 3, 2, 5}).coefficients[1], 2, 1e-6);
}

double squares(const Columns& columns, const std::vector<double>& x,
               const std::vector<double>& measured) {
  double sum = 0;
  for (std::size_t row = 0; row < measured.size(); ++row) {
    double left = measured[row];
    for (std::size_t j = 0; j < x.size(); ++j) {
      left -= columns[j][row] * x[j];
    }
    sum += left * left;
  }
  return sum;
}

/// No step along any coefficient, or two of them, that keeps them non-negative leaves less.
TEST(LeastSquares, NonNegativeSolutionIsTheBest) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const std::vector<double> weights(9, 1);
  for (int trial = 0; trial < 200; ++trial) {
    Columns columns(1 + trial % 4, std::vector<double>(9));
    std::vector<double> measured(9);
    std::ranges::generate(measured, [&] { return normal(random); });
    for (std::vector<double>& column : columns) {
      std::ranges::generate(column, [&] { return normal(random); });
    }
    const std::vector<double> found = solve_non_negative(weights, columns, measured);
    EXPECT_GE(std::ranges::min(found), 0);
    const double least = squares(columns, found, measured);
    for (int step = 0; step < 50; ++step) {
      std::vector<double> other = found;
      for (double& x : other) {
        x = std::max(0.0, x + 0.01 * normal(random));
      }
      EXPECT_GE(squares(columns, other, measured), least - 1e-9);
    }
  }
  const Columns dependent = {{1, 2, 3, 0}, {2, 4, 6, 0}};
  const std::vector<double> found =
      solve_non_negative(kOnes, dependent, std::vector<double>{4, 8, 12, 0});
  EXPECT_NEAR(found[0] + 2 * found[1], 4, 1e-6) << "one of dependent columns is enough";
}

TEST(LeastSquares, RefusesDependentColumnsByName) {
  const auto reason = [](const std::vector<std::string>& names, const Columns& columns) {
    const std::optional<Refusal> refusal = refuse_dependent(names, columns, names.size());
    return refusal ? refusal->reason.substr(0, refusal->reason.find(':')) : "not refused";
  };
  Columns columns = {kOnes, {1e5, 2e5, 4e5, 9e5}, {2e5, 4e5, 8e5, 18e5}};
  EXPECT_EQ(reason({"1", "N", "M"}, columns), "columns N and M are dependent");
  columns[2][0] = 7e5;
  EXPECT_EQ(reason({"1", "N", "M"}, columns), "not refused");
  EXPECT_EQ(reason({"1", "N", "M"}, {kOnes, {1, 2, 3, 9}, {5, 7, 9, 21}}),
            "columns 1 and N and M are dependent");
  EXPECT_EQ(reason({"1", "N"}, {kOnes, {5, 5, 5, 5}}), "columns 1 and N are dependent");
}

}  // namespace
}  // namespace cleave::models
