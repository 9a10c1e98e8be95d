// SPDX-License-Identifier: Apache-2.0
#include "models/theory/least_squares.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <set>

namespace cleave::models {

namespace {

using Eigen::Index;

std::string list_of(const std::vector<std::string>& names) {
  if (names.size() == 1) {
    return names.front();
  }
  return fmt::format("{} and {}", fmt::join(names.begin(), names.end() - 1, ", "), names.back());
}

std::string term_text(double factor, const std::string& name) {
  if (name == "1") {
    return fmt::format("{:.6g}", factor);
  }
  return std::abs(factor - 1) < 1e-9 ? name : fmt::format("{:.6g}*{}", factor, name);
}

/// Which columns depend on each other and how, from what the columns are multiplied by to give 0.
std::string describe_dependence(const std::vector<std::string>& all_names,
                                const Eigen::VectorXd& factors, const Eigen::VectorXd& lengths) {
  const double largest = factors.cwiseProduct(lengths).cwiseAbs().maxCoeff();
  std::vector<std::string> names;
  std::vector<double> of_names;
  for (Index i = 0; i < factors.size(); ++i) {
    if (std::abs(factors[i] * lengths[i]) > 1e-4 * largest) {
      names.push_back(all_names[static_cast<std::size_t>(i)]);
      of_names.push_back(factors[i]);
    }
  }
  if (names.size() == 1) {
    return fmt::format("column {} is 0 in every sample; leave it out or measure other sizes",
                       names.front());
  }
  std::vector<std::string> terms;
  for (std::size_t i = 0; i + 1 < names.size(); ++i) {
    terms.push_back(term_text(-of_names[i] / of_names.back(), names[i]));
  }
  return fmt::format("columns {} are dependent: every sample has {} = {}; {}", list_of(names),
                     names.back(), fmt::join(terms, " + "),
                     names.front() == "1" ? "measure more sizes" : "vary them independently");
}

}  // namespace

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
  const auto count = static_cast<Index>(columns.size());
  Eigen::MatrixXd scaled(std::ssize(columns.front()), count);
  Eigen::VectorXd lengths(count);
  std::set<std::vector<double>> rows;
  for (Index i = 0; i < scaled.rows(); ++i) {
    std::vector<double> row;
    for (Index j = 0; j < count; ++j) {
      row.push_back(columns[static_cast<std::size_t>(j)][static_cast<std::size_t>(i)]);
      scaled(i, j) = row.back();
    }
    rows.insert(std::move(row));
  }
  for (Index j = 0; j < count; ++j) {
    const double length = scaled.col(j).norm();
    lengths[j] = length > 0 ? length : 1;
    scaled.col(j) /= lengths[j];
  }
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(scaled);
  qr.setThreshold(kDependent);
  const Index rank = qr.rank();
  if (rank >= static_cast<Index>(wanted)) {
    return std::nullopt;
  }
  if (rows.size() < columns.size()) {
    return Refusal{fmt::format("{} different {} for {} coefficients ({}): measure more sizes",
                               rows.size(), rows.size() == 1 ? "size" : "sizes", columns.size(),
                               list_of(names))};
  }
  // Column `rank` of the pivoted columns is a combination of those before it.
  Eigen::VectorXd factors = Eigen::VectorXd::Zero(count);
  factors[rank] = -1;
  factors.head(rank) = qr.matrixR()
                           .topLeftCorner(rank, rank)
                           .triangularView<Eigen::Upper>()
                           .solve(qr.matrixR().col(rank).head(rank));
  const Eigen::VectorXd of_columns = qr.colsPermutation() * factors;
  return Refusal{describe_dependence(names, of_columns.cwiseQuotient(lengths), lengths)};
}

}  // namespace cleave::models
