// SPDX-License-Identifier: Apache-2.0
#include "models/least_squares.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/LU>
#include <Eigen/QR>
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <optional>
#include <set>

#include "models/statistics.hpp"

namespace cleave::models {

namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Columns of length 1 are dependent where one is this close to a combination of the others: their
/// coefficients would be a million times less certain than the times.
constexpr double kDependent = 1e-6;

/// A time counts as at least this long, the resolution of the clock, so that its weight is finite.
constexpr double kShortest = 1e-9;

Index count_distinct_rows(const MatrixXd& columns) {
  std::set<std::vector<double>> rows;
  for (Index i = 0; i < columns.rows(); ++i) {
    const Eigen::RowVectorXd row = columns.row(i);
    rows.insert({row.begin(), row.end()});
  }
  return static_cast<Index>(rows.size());
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

/// Says which columns depend on each other and how, from a vector that the columns map to zero.
std::string describe_dependence(const Design& design, const VectorXd& null_vector) {
  const double largest = null_vector.cwiseAbs().maxCoeff();
  std::vector<Index> involved;
  for (Index i = 0; i < null_vector.size(); ++i) {
    if (std::abs(null_vector[i]) > 1e-4 * largest) {
      involved.push_back(i);
    }
  }
  const auto name = [&](Index i) { return design.names[static_cast<std::size_t>(i)]; };
  const VectorXd lengths = design.columns.colwise().norm();
  std::vector<std::string> names;
  std::vector<std::string> terms;
  for (const Index i : involved) {
    names.push_back(name(i));
    if (i != involved.back()) {
      const double factor =
          -null_vector[i] / null_vector[involved.back()] * lengths[involved.back()] / lengths[i];
      terms.push_back(term_text(factor, name(i)));
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

/// Why there are too few samples to determine coefficients and their errors, if so.
std::optional<Refusal> refuse_starved(const Design& design) {
  const Index samples = design.columns.rows();
  const Index wanted = design.columns.cols();
  if (samples < wanted + 1) {
    return Refusal{fmt::format("{} {} for {} coefficients ({}): at least {} are needed", samples,
                               samples == 1 ? "sample" : "samples", wanted, list_of(design.names),
                               wanted + 1)};
  }
  return std::nullopt;
}

/// `matrix` with columns of length 1, and their lengths before; a column of zeros stays as it is.
struct UnitColumns {
  MatrixXd matrix;
  VectorXd lengths;
};

UnitColumns unit_columns(const MatrixXd& matrix) {
  VectorXd lengths = matrix.colwise().norm();
  lengths = (lengths.array() > 0).select(lengths, 1.0);
  return {matrix * lengths.cwiseInverse().asDiagonal(), lengths};
}

/// Why the columns determine no coefficients, if so.
std::optional<Refusal> refuse_dependent(const Design& design) {
  const Index wanted = design.columns.cols();
  Eigen::ColPivHouseholderQR<MatrixXd> qr(unit_columns(design.columns).matrix);
  qr.setThreshold(kDependent);
  const Index rank = qr.rank();
  if (rank == wanted) {
    return std::nullopt;
  }
  if (const Index distinct = count_distinct_rows(design.columns); distinct < wanted) {
    return Refusal{fmt::format("{} different {} for {} coefficients ({}): measure more sizes",
                               distinct, distinct == 1 ? "size" : "sizes", wanted,
                               list_of(design.names))};
  }
  // Column `rank` of the pivoted columns is a combination of those before it.
  VectorXd null_vector = VectorXd::Zero(wanted);
  null_vector[rank] = -1;
  null_vector.head(rank) = qr.matrixR()
                               .topLeftCorner(rank, rank)
                               .triangularView<Eigen::Upper>()
                               .solve(qr.matrixR().col(rank).head(rank));
  return Refusal{describe_dependence(design, qr.colsPermutation() * null_vector)};
}

MatrixXd columns_of(const MatrixXd& matrix, const std::vector<Index>& chosen) {
  return matrix(Eigen::all, chosen);
}

/// The columns whose coefficients are positive in the non-negative solution of a x = b.
/// C. L. Lawson and R. J. Hanson, Solving Least Squares Problems, 1974, chapter 23.
std::vector<Index> positive_columns(const MatrixXd& a, const VectorXd& b) {
  const double tolerance = 1e-12 * b.norm();
  VectorXd x = VectorXd::Zero(a.cols());
  std::vector<Index> positive;
  for (Index pass = 0; pass < 3 * a.cols(); ++pass) {  // more only where rounding goes in circles
    const VectorXd gradient = a.transpose() * (b - a * x);
    Index best = -1;
    for (Index i = 0; i < a.cols(); ++i) {
      const bool is_free = std::find(positive.begin(), positive.end(), i) != positive.end();
      if (!is_free && gradient[i] > tolerance && (best < 0 || gradient[i] > gradient[best])) {
        best = i;
      }
    }
    if (best < 0) {
      break;
    }
    positive.push_back(best);
    while (!positive.empty()) {
      const VectorXd z = columns_of(a, positive).colPivHouseholderQr().solve(b);
      if (z.minCoeff() > 0) {
        x.setZero();
        x(positive) = z;
        break;
      }
      // Go towards z until the first coefficient reaches 0, and hold that one there.
      double step = 1;
      for (Index k = 0; k < z.size(); ++k) {
        const double from = x[positive[static_cast<std::size_t>(k)]];
        if (z[k] <= 0) {
          step = std::min(step, from / (from - z[k]));
        }
      }
      x(positive) += (step * (z - x(positive))).eval();
      std::erase_if(positive, [&](Index i) { return x[i] <= tolerance / a.col(i).norm(); });
    }
  }
  return positive;
}

double total_variation(const VectorXd& values) {
  return (values.array() - values.mean()).square().sum();
}

VectorXd row_weights(const VectorXd& measured, Weights weights) {
  return weights == Weights::relative ? VectorXd(measured.cwiseMax(kShortest).cwiseInverse())
                                      : VectorXd(VectorXd::Ones(measured.size()));
}

/// The solution of a weighted design whose columns are independent.
struct Solution {
  VectorXd coefficients;
  std::vector<Index> used;  ///< columns whose coefficients are not held at 0
  MatrixXd inverse;         ///< of X' W X, of the used columns
};

Solution solve(const Design& design, const VectorXd& w, Sign sign) {
  const auto [a, lengths] = unit_columns(w.asDiagonal() * design.columns);
  const VectorXd b = w.cwiseProduct(design.measured);

  Solution solution;
  solution.used.resize(static_cast<std::size_t>(a.cols()));
  std::iota(solution.used.begin(), solution.used.end(), Index{0});
  VectorXd scaled = a.colPivHouseholderQr().solve(b);
  if (sign == Sign::non_negative && scaled.minCoeff() < 0) {
    solution.used = positive_columns(a, b);
    scaled = VectorXd(0);
    if (!solution.used.empty()) {
      scaled = columns_of(a, solution.used).colPivHouseholderQr().solve(b);
    }
  }
  solution.coefficients = VectorXd::Zero(a.cols());
  solution.coefficients(solution.used) = scaled.cwiseQuotient(lengths(solution.used));
  if (!solution.used.empty()) {
    const MatrixXd chosen = columns_of(a, solution.used);
    const VectorXd unscale = lengths(solution.used).cwiseInverse();
    solution.inverse = unscale.asDiagonal() * MatrixXd((chosen.transpose() * chosen).inverse()) *
                       unscale.asDiagonal();
  }
  return solution;
}

// Huber's k: 95 % as efficient as least squares where the noise is normal.
constexpr double kHuber = 1.345;
constexpr double kHuberEfficiency = 0.95;
constexpr double kOutlier = 3;
/// The variance of a normal distribution of variance 1 between -3 and 3.
constexpr double kVarianceWithinThree = 0.97334;

/// What residuals are divided by: the fitted value for relative weights, but no less than a third
/// of the measured one, so that a form that fits nothing does not divide by nothing.
VectorXd residual_scales(const Design& design, const VectorXd& fitted, Weights weights) {
  return weights == Weights::relative
             ? VectorXd(fitted.cwiseMax(design.measured / 3).cwiseMax(kShortest))
             : VectorXd(VectorXd::Ones(fitted.size()));
}

double robust_deviation(const VectorXd& residuals) {
  const VectorXd sizes = residuals.cwiseAbs();
  return kDeviationsPerMedian * median({sizes.begin(), sizes.end()});
}

/// By least squares with weights that follow from the residuals before.
Solution solve_huber(const Design& design, Weights weights, Sign sign) {
  constexpr int kMaxPasses = 30;
  constexpr double kConverged = 1e-9;
  Solution solution = solve(design, row_weights(design.measured, weights), sign);
  for (int pass = 0; pass < kMaxPasses; ++pass) {
    const VectorXd fitted = design.columns * solution.coefficients;
    const VectorXd scales = residual_scales(design, fitted, weights);
    const VectorXd residuals = (design.measured - fitted).cwiseQuotient(scales);
    const double threshold = kHuber * robust_deviation(residuals);
    VectorXd w = scales.cwiseInverse();
    for (Index i = 0; threshold > 0 && i < w.size(); ++i) {
      w[i] *= std::sqrt(std::min(1.0, threshold / std::abs(residuals[i])));
    }
    const VectorXd before = solution.coefficients;
    solution = solve(design, w, sign);
    const VectorXd change = design.columns * (solution.coefficients - before);
    if (change.cwiseQuotient(scales).cwiseAbs().maxCoeff() < kConverged) {
      break;
    }
  }
  return solution;
}

/// Residuals without outliers, and what is known of their deviation.
struct Noise {
  std::vector<Index> kept;
  VectorXd residuals;  ///< relative for relative weights; of all rows
  double variance = 0;
  double freedom = 1;
};

Noise noise_of(const Design& design, const Solution& solution, Weights weights) {
  const VectorXd fitted = design.columns * solution.coefficients;
  Noise noise;
  noise.residuals =
      (design.measured - fitted).cwiseQuotient(residual_scales(design, fitted, weights));
  const double limit = kOutlier * robust_deviation(noise.residuals);
  double squares = 0;
  for (Index i = 0; i < fitted.size(); ++i) {
    const double size = std::abs(noise.residuals[i]);
    if (limit == 0 || size <= limit) {
      noise.kept.push_back(i);
      squares += size * size;
    }
  }
  const auto rows = static_cast<double>(noise.kept.size());
  noise.freedom = std::max(1.0, rows - static_cast<double>(solution.used.size()));
  noise.variance = squares / noise.freedom / (limit > 0 ? kVarianceWithinThree : 1);
  return noise;
}

/// How much less certain coefficients are than if every row were wrong by itself: the mean square
/// between clusters over that of single rows, at least 1.
double design_effect(const Design& design, const Noise& noise, double clusters_freedom) {
  std::map<int, std::pair<double, double>> sums;  // residuals, and their number
  for (const Index i : noise.kept) {
    auto& [sum, count] = sums[design.clusters[static_cast<std::size_t>(i)]];
    sum += noise.residuals[i];
    count += 1;
  }
  double between = 0;
  for (const auto& [cluster, of_cluster] : sums) {
    between += of_cluster.first * of_cluster.first / of_cluster.second;
  }
  return noise.variance > 0 ? std::max(1.0, between / clusters_freedom / noise.variance) : 1;
}

void set_robust_errors(LinearFit& fit, const Design& design, const Solution& solution) {
  const Noise noise = noise_of(design, solution, fit.weights);
  const auto& used = solution.used;
  fit.outliers = static_cast<int>(design.measured.size() - std::ssize(noise.kept));
  fit.residual_deviation = std::sqrt(noise.variance);
  fit.degrees_of_freedom = static_cast<int>(noise.freedom);
  double factor = noise.variance / kHuberEfficiency;
  fit.coefficient_freedom = fit.degrees_of_freedom;
  if (!design.clusters.empty()) {
    const std::set<int> clusters(design.clusters.begin(), design.clusters.end());
    fit.coefficient_freedom =
        std::max(1, static_cast<int>(std::ssize(clusters) - std::ssize(used)));
    factor *= design_effect(design, noise, fit.coefficient_freedom);
  }
  fit.covariance(used, used) = factor * solution.inverse;
}

}  // namespace

VectorXd LinearFit::standard_errors() const { return covariance.diagonal().cwiseSqrt(); }

std::variant<LinearFit, Refusal> least_squares(const Design& design, Weights weights, Sign sign,
                                               Loss loss) {
  if (const auto refusal = refuse_starved(design)) {
    return *refusal;
  }
  if (const auto refusal = refuse_dependent(design)) {
    return *refusal;
  }
  const VectorXd& y = design.measured;
  const Solution solution = loss == Loss::huber ? solve_huber(design, weights, sign)
                                                : solve(design, row_weights(y, weights), sign);
  const auto& [coefficients, used, inverse] = solution;

  LinearFit fit{.coefficients = coefficients,
                .covariance = MatrixXd::Zero(coefficients.size(), coefficients.size()),
                .residuals = y - design.columns * coefficients,
                .weights = weights,
                .degrees_of_freedom = static_cast<int>(y.size() - std::ssize(used))};
  const double freedom = fit.degrees_of_freedom;
  fit.coefficient_freedom = fit.degrees_of_freedom;
  if (loss == Loss::huber) {
    set_robust_errors(fit, design, solution);
  } else {
    const double variance =
        row_weights(y, weights).cwiseProduct(fit.residuals).squaredNorm() / freedom;
    fit.residual_deviation = std::sqrt(variance);
    fit.covariance(used, used) = variance * inverse;
  }

  const double total = total_variation(y);
  const double unexplained = fit.residuals.squaredNorm();
  fit.r_squared = total > 0 ? 1 - unexplained / total : (unexplained > 0 ? 0 : 1);
  fit.adjusted_r_squared = 1 - (1 - fit.r_squared) * static_cast<double>(y.size() - 1) / freedom;
  std::vector<double> relative;
  for (Index i = 0; i < y.size(); ++i) {
    relative.push_back(std::abs(fit.residuals[i]) / std::max(y[i], kShortest));
  }
  fit.median_abs_relative_residual = median(std::move(relative));
  return fit;
}

std::variant<VectorXd, Refusal> least_squares_coefficients(const Design& design, Weights weights,
                                                           Sign sign) {
  if (const auto refusal = refuse_dependent(design)) {
    return *refusal;
  }
  return solve(design, row_weights(design.measured, weights), sign).coefficients;
}

}  // namespace cleave::models
