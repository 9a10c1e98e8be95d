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

/// Columns of length 1 count as dependent where one is within this of a combination of the others.
constexpr double kDependent = 1e-6;

/// Of each column; 1 where it is 0.
Eigen::VectorXd lengths_of(const Eigen::MatrixXd& columns) {
  const Eigen::VectorXd lengths = columns.colwise().norm();
  return (lengths.array() > 0).select(lengths, 1.0);
}

Eigen::MatrixXd scaled(const Eigen::MatrixXd& columns, const Eigen::VectorXd& lengths) {
  return columns * lengths.cwiseInverse().asDiagonal();
}

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

/// Says which columns depend on each other and how, from a vector that the columns, scaled to
/// length 1, map to zero.
std::string describe_dependence(const std::vector<std::string>& all_names,
                                const Eigen::VectorXd& lengths,
                                const Eigen::VectorXd& null_vector) {
  const double largest = null_vector.cwiseAbs().maxCoeff();
  std::vector<Index> involved;
  for (Index i = 0; i < null_vector.size(); ++i) {
    if (std::abs(null_vector[i]) > 1e-4 * largest) {
      involved.push_back(i);
    }
  }
  std::vector<std::string> names;
  std::vector<std::string> terms;
  for (const Index i : involved) {
    const std::string& name = all_names[static_cast<std::size_t>(i)];
    names.push_back(name);
    if (i != involved.back()) {
      const double factor =
          -null_vector[i] / null_vector[involved.back()] * lengths[involved.back()] / lengths[i];
      terms.push_back(term_text(factor, name));
    }
  }
  if (terms.empty()) {
    return fmt::format("column {} is 0 in every sample; leave it out or measure other sizes",
                       names.front());
  }
  return fmt::format("columns {} are dependent: every sample has {} = {}; {}", list_of(names),
                     names.back(), fmt::join(terms, " + "),
                     names.front() == "1" ? "measure more sizes" : "vary them independently");
}

Index count_distinct_rows(const Eigen::MatrixXd& columns) {
  std::set<std::vector<double>> rows;
  for (Index i = 0; i < columns.rows(); ++i) {
    const Eigen::RowVectorXd row = columns.row(i);
    rows.insert({row.begin(), row.end()});
  }
  return static_cast<Index>(rows.size());
}

}  // namespace

Eigen::VectorXd least_squares(const Eigen::MatrixXd& columns, const Eigen::VectorXd& measured,
                              Sign sign) {
  const Eigen::VectorXd lengths = lengths_of(columns);
  const Eigen::MatrixXd all = scaled(columns, lengths);
  Eigen::VectorXd best = Eigen::VectorXd::Zero(columns.cols());
  double least = measured.squaredNorm();
  const unsigned every = (1U << columns.cols()) - 1;
  for (unsigned mask = every; mask > 0; --mask) {
    std::vector<Index> chosen;
    for (Index i = 0; i < columns.cols(); ++i) {
      if ((mask >> i & 1U) != 0) {
        chosen.push_back(i);
      }
    }
    const Eigen::MatrixXd some = all(Eigen::all, chosen);
    Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(some);
    qr.setThreshold(kDependent);
    const Eigen::VectorXd x = qr.solve(measured);
    if (qr.rank() < some.cols() || (sign == Sign::non_negative && x.minCoeff() < 0)) {
      continue;
    }
    if (const double left = (measured - some * x).squaredNorm(); left < least) {
      best.setZero();
      best(chosen) = x;
      least = left;
    }
    if (mask == every) {
      break;
    }
  }
  return best.cwiseQuotient(lengths);
}

Eigen::VectorXd standard_errors(const Eigen::MatrixXd& columns, double variance) {
  const Eigen::VectorXd lengths = lengths_of(columns);
  const Eigen::MatrixXd all = scaled(columns, lengths);
  const Eigen::VectorXd diagonal = (all.transpose() * all).inverse().diagonal();
  return (variance * diagonal.cwiseMax(0)).cwiseSqrt().cwiseQuotient(lengths);
}

std::optional<Refusal> refuse_dependent(const std::vector<std::string>& names,
                                        const Eigen::MatrixXd& columns, std::size_t wanted) {
  const Eigen::VectorXd lengths = lengths_of(columns);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(scaled(columns, lengths));
  qr.setThreshold(kDependent);
  const Index rank = qr.rank();
  if (rank >= static_cast<Index>(wanted)) {
    return std::nullopt;
  }
  if (const Index distinct = count_distinct_rows(columns); distinct < columns.cols()) {
    return Refusal{fmt::format("{} different {} for {} coefficients ({}): measure more sizes",
                               distinct, distinct == 1 ? "size" : "sizes", columns.cols(),
                               list_of(names))};
  }
  // Column `rank` of the pivoted columns is a combination of those before it.
  Eigen::VectorXd null_vector = Eigen::VectorXd::Zero(columns.cols());
  null_vector[rank] = -1;
  null_vector.head(rank) = qr.matrixR()
                               .topLeftCorner(rank, rank)
                               .triangularView<Eigen::Upper>()
                               .solve(qr.matrixR().col(rank).head(rank));
  return Refusal{describe_dependence(names, lengths, qr.colsPermutation() * null_vector)};
}

}  // namespace cleave::models
