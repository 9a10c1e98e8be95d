// SPDX-License-Identifier: Apache-2.0
#include "models/theory/least_squares.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>

namespace cleave::models {

using Eigen::Index;

Solution solve(std::span<const double> weights, const Columns& columns,
               std::span<const double> values) {
  constexpr double kRidge = 1e-12;
  const auto count = static_cast<Index>(columns.size());
  Eigen::MatrixXd normal = kRidge * Eigen::MatrixXd::Identity(count, count);
  Eigen::VectorXd right = Eigen::VectorXd::Zero(count);
  for (std::size_t i = 0; i < columns.size(); ++i) {
    for (std::size_t row = 0; row < weights.size(); ++row) {
      const double weighted = weights[row] * columns[i][row];
      right[static_cast<Index>(i)] += weighted * values[row];
      for (std::size_t j = 0; j <= i; ++j) {
        normal(static_cast<Index>(i), static_cast<Index>(j)) += weighted * columns[j][row];
      }
    }
  }
  const Eigen::MatrixXd covariance =
      Eigen::MatrixXd(normal.selfadjointView<Eigen::Lower>()).inverse();
  const Eigen::VectorXd coefficients = covariance * right;
  return {{coefficients.begin(), coefficients.end()},
          {covariance.reshaped().begin(), covariance.reshaped().end()}};
}

std::vector<double> solve_non_negative(std::span<const double> weights, const Columns& columns,
                                       std::span<const double> values) {
  constexpr double kDependent = 1e10;  // a variance of a coefficient
  const auto squares_left = [&](const Columns& some, const std::vector<double>& x) {
    double squares = 0;
    for (std::size_t row = 0; row < weights.size(); ++row) {
      double left = values[row];
      for (std::size_t i = 0; i < x.size(); ++i) {
        left -= some[i][row] * x[i];
      }
      squares += weights[row] * left * left;
    }
    return squares;
  };
  std::vector<double> best(columns.size(), 0);
  double least = squares_left({}, {});
  for (unsigned mask = (1U << columns.size()) - 1; mask > 0; --mask) {
    Columns some;
    std::vector<std::size_t> chosen;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      if ((mask >> i & 1U) != 0) {
        some.push_back(columns[i]);
        chosen.push_back(i);
      }
    }
    const auto [x, covariance] = solve(weights, some, values);
    if (std::ranges::min(x) < 0 || !(std::ranges::max(covariance) < kDependent)) {
      continue;
    }
    if (const double left = squares_left(some, x); left < least) {
      least = left;
      best.assign(columns.size(), 0);
      for (std::size_t i = 0; i < chosen.size(); ++i) {
        best[chosen[i]] = x[i];
      }
    }
    if (some.size() == columns.size()) {
      break;
    }
  }
  return best;
}

std::optional<Refusal> refuse_dependent(const std::vector<std::string>& names,
                                        const Columns& columns, std::size_t wanted) {
  constexpr double kDependent = 1e-6;
  constexpr double kHasPart = 1e-4;
  const Index rows = std::ssize(columns.front());
  Eigen::MatrixXd scaled(rows, std::ssize(columns));
  for (Index j = 0; j < scaled.cols(); ++j) {
    const auto& column = columns[static_cast<std::size_t>(j)];
    scaled.col(j) = Eigen::Map<const Eigen::VectorXd>(column.data(), rows).normalized();
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(scaled);
  qr.setThreshold(kDependent);
  const Index rank = qr.rank();
  if (rank >= static_cast<Index>(wanted)) {
    return std::nullopt;
  }
  // Column `rank` of the pivoted columns is a combination of those before it.
  Eigen::VectorXd factors = Eigen::VectorXd::Zero(scaled.cols());
  factors[rank] = -1;
  factors.head(rank) = qr.matrixR()
                           .topLeftCorner(rank, rank)
                           .triangularView<Eigen::Upper>()
                           .solve(qr.matrixR().col(rank).head(rank));
  factors = qr.colsPermutation() * factors;
  std::vector<std::string> dependent;
  for (Index j = 0; j < factors.size(); ++j) {
    if (std::abs(factors[j]) > kHasPart * factors.cwiseAbs().maxCoeff()) {
      dependent.push_back(names[static_cast<std::size_t>(j)]);
    }
  }
  return Refusal{fmt::format("columns {} are dependent: measure more sizes that vary independently",
                             fmt::join(dependent, " and "))};
}

}  // namespace cleave::models
