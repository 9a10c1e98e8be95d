// SPDX-License-Identifier: Apache-2.0
#include "models/theory/least_squares.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <set>

namespace cleave::models {

namespace {

using Eigen::Index;

constexpr int kMaxColumns = 4;
using SmallMatrix =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, kMaxColumns, kMaxColumns>;
using SmallVector = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, kMaxColumns, 1>;

/// Products of columns of length 1 whose determinant's smallest pivot is this small tell nothing
/// apart: what is left of a column beyond the others is rounding.
constexpr double kNoPivot = 1e-11;

/// The normal equations of some columns, scaled to length 1.
struct Scaled {
  SmallMatrix products;
  SmallVector moments;
  SmallVector lengths;
};

/// Of the columns in `mask`; nothing where they depend on each other.
std::optional<SmallVector> solved(const Scaled& all, unsigned mask) {
  int columns[kMaxColumns];
  Index count = 0;
  for (int i = 0; i < all.moments.size(); ++i) {
    if ((mask >> i & 1U) != 0) {
      columns[count++] = i;
    }
  }
  SmallMatrix products(count, count);
  SmallVector moments(count);
  for (Index i = 0; i < count; ++i) {
    moments[i] = all.moments[columns[i]];
    for (Index j = 0; j < count; ++j) {
      products(i, j) = all.products(columns[i], columns[j]);
    }
  }
  const Eigen::LDLT<SmallMatrix> ldlt(products);
  if (!(ldlt.vectorD().minCoeff() > kNoPivot)) {
    return std::nullopt;
  }
  const SmallVector of_chosen = ldlt.solve(moments);
  SmallVector x = SmallVector::Zero(all.moments.size());
  for (Index i = 0; i < count; ++i) {
    x[columns[i]] = of_chosen[i];
  }
  return x;
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

void NormalEquations::add_row(const Eigen::Ref<const Eigen::VectorXd>& columns, double measured,
                              double weight) {
  products_.noalias() += weight * columns * columns.transpose();
  moments_.noalias() += weight * measured * columns;
}

Eigen::VectorXd NormalEquations::solve(std::span<const int> chosen, Sign sign) const {
  const auto count = static_cast<Index>(chosen.size());
  Scaled scaled{SmallMatrix(count, count), SmallVector(count), SmallVector(count)};
  for (Index i = 0; i < count; ++i) {
    const double square =
        products_(chosen[static_cast<std::size_t>(i)], chosen[static_cast<std::size_t>(i)]);
    scaled.lengths[i] = square > 0 ? std::sqrt(square) : 1;
  }
  for (Index i = 0; i < count; ++i) {
    const int row = chosen[static_cast<std::size_t>(i)];
    scaled.moments[i] = moments_[row] / scaled.lengths[i];
    for (Index j = 0; j < count; ++j) {
      scaled.products(i, j) = products_(row, chosen[static_cast<std::size_t>(j)]) /
                              (scaled.lengths[i] * scaled.lengths[j]);
    }
  }
  const unsigned all = (1U << count) - 1;
  SmallVector best = SmallVector::Zero(count);
  double best_gain = 0;  // by how much the squares of the residuals are less
  for (unsigned mask = all; mask > 0; --mask) {
    const std::optional<SmallVector> x = solved(scaled, mask);
    if (!x || (sign == Sign::non_negative && x->minCoeff() < 0)) {
      continue;
    }
    const double gain = x->dot(scaled.moments);
    if (gain > best_gain) {
      best = *x;
      best_gain = gain;
    }
    if (mask == all) {
      break;
    }
  }
  return best.cwiseQuotient(scaled.lengths);
}

Eigen::VectorXd NormalEquations::standard_errors(std::span<const int> chosen,
                                                 double variance) const {
  const Eigen::MatrixXd products = products_(chosen, chosen);
  const Eigen::VectorXd lengths = products.diagonal().cwiseSqrt().cwiseMax(1e-300);
  const Eigen::MatrixXd scaled =
      lengths.cwiseInverse().asDiagonal() * products * lengths.cwiseInverse().asDiagonal();
  const Eigen::VectorXd diagonal = scaled.inverse().diagonal();
  return (variance * diagonal.cwiseMax(0)).cwiseSqrt().cwiseQuotient(lengths);
}

std::optional<Refusal> refuse_dependent(const std::vector<std::string>& names,
                                        const Eigen::MatrixXd& columns) {
  constexpr double kDependent = 1e-6;
  const Index wanted = columns.cols();
  Eigen::VectorXd lengths = columns.colwise().norm();
  lengths = (lengths.array() > 0).select(lengths, 1.0);
  Eigen::ColPivHouseholderQR<Eigen::MatrixXd> qr(columns * lengths.cwiseInverse().asDiagonal());
  qr.setThreshold(kDependent);
  const Index rank = qr.rank();
  if (rank == wanted) {
    return std::nullopt;
  }
  if (const Index distinct = count_distinct_rows(columns); distinct < wanted) {
    return Refusal{fmt::format("{} different {} for {} coefficients ({}): measure more sizes",
                               distinct, distinct == 1 ? "size" : "sizes", wanted, list_of(names))};
  }
  // Column `rank` of the pivoted columns is a combination of those before it.
  Eigen::VectorXd null_vector = Eigen::VectorXd::Zero(wanted);
  null_vector[rank] = -1;
  null_vector.head(rank) = qr.matrixR()
                               .topLeftCorner(rank, rank)
                               .triangularView<Eigen::Upper>()
                               .solve(qr.matrixR().col(rank).head(rank));
  return Refusal{describe_dependence(names, lengths, qr.colsPermutation() * null_vector)};
}

}  // namespace cleave::models
