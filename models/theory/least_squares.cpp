// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <utility>

#include "models/theory/law.hpp"

namespace cleave::models {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

Eigen::Map<const VectorXd> map_of(std::span<const double> values) {
  return {values.data(), std::ssize(values)};
}

MatrixXd matrix_of(const Columns& columns) {
  MatrixXd all(std::ssize(columns.front()), std::ssize(columns));
  for (Index j = 0; j < all.cols(); ++j) {
    all.col(j) = map_of(columns[static_cast<std::size_t>(j)]);
  }
  return all;
}

/// Columns' * weights * columns, and columns' * weights * values.
std::pair<MatrixXd, VectorXd> normal_equations(std::span<const double> weights,
                                               const Columns& columns,
                                               std::span<const double> values) {
  const MatrixXd all = matrix_of(columns);
  const MatrixXd weighted = all.transpose() * map_of(weights).asDiagonal();
  return {weighted * all, weighted * map_of(values)};
}

}  // namespace

Solution solve(std::span<const double> weights, const Columns& columns,
               std::span<const double> values, double ridge) {
  auto [normal, right] = normal_equations(weights, columns, values);
  normal.diagonal().array() += ridge;
  const MatrixXd covariance = normal.inverse();
  const VectorXd coefficients = covariance * right;
  return {{coefficients.begin(), coefficients.end()},
          {covariance.reshaped().begin(), covariance.reshaped().end()}};
}

std::vector<double> solve_non_negative(std::span<const double> weights, const Columns& columns,
                                       std::span<const double> values) {
  auto [normal, right] = normal_equations(weights, columns, values);
  normal.diagonal().array() += 1e-12 * normal.trace();
  VectorXd best = VectorXd::Zero(right.size());
  double least = 0;
  for (unsigned chosen = 1; chosen < 1U << columns.size(); ++chosen) {
    VectorXd is_in = best;
    for (Index i = 0; i < is_in.size(); ++i) {
      is_in[i] = chosen >> i & 1U;
    }
    MatrixXd some = is_in.asDiagonal() * normal * is_in.asDiagonal();
    some.diagonal().array() += 1 - is_in.array();
    const VectorXd x = some.ldlt().solve(is_in.cwiseProduct(right));
    const double squares = x.dot(normal * x - 2 * right);
    if (x.minCoeff() >= 0 && squares < least) {
      least = squares;
      best = x;
    }
  }
  return {best.begin(), best.end()};
}

std::vector<double> solve_symmetric(const Columns& covariance, std::span<const double> values) {
  const VectorXd x = matrix_of(covariance).ldlt().solve(map_of(values));
  return {x.begin(), x.end()};
}

std::vector<std::size_t> dependent_columns(const Columns& columns, std::size_t wanted) {
  const auto rank_of = [](const MatrixXd& some) {
    return Eigen::ColPivHouseholderQR<MatrixXd>(some).setThreshold(1e-6).rank();
  };
  const MatrixXd all = matrix_of(columns).colwise().normalized();
  const Index rank = rank_of(all);
  std::vector<std::size_t> dependent;
  for (Index j = 0; j < all.cols() && rank < static_cast<Index>(wanted); ++j) {
    MatrixXd others = all;
    others.col(j).setZero();
    if (rank_of(others) == rank) {
      dependent.push_back(static_cast<std::size_t>(j));
    }
  }
  return dependent;
}

}  // namespace cleave::models
