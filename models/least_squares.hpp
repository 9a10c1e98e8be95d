// SPDX-License-Identifier: Apache-2.0
// Least squares: coefficients of a linear combination of columns, with what is needed to trust
// them. Nothing here knows what the columns mean.
#pragma once

#include <Eigen/Core>
#include <string>
#include <variant>
#include <vector>

namespace cleave::models {

/// Rows of samples: `measured` is to be explained as `columns * coefficients`.
struct Design {
  std::vector<std::string> names;  ///< of the columns; "1" is the constant one
  Eigen::MatrixXd columns;         ///< samples x names
  Eigen::VectorXd measured;        ///< seconds, > 0 for relative weights
  /// Which rows were measured together and may be wrong together; empty: each row by itself.
  std::vector<int> clusters;
};

enum class Weights {
  ordinary,  ///< minimises the sum of (y - x b)^2: the largest runs decide
  relative,  ///< minimises the sum of ((y - x b) / y)^2: every run counts alike
};

enum class Sign {
  any,
  non_negative,  ///< a coefficient that would be negative is held at 0
};

/// What a large residual counts.
enum class Loss {
  squares,
  /// Its square up to 1.345 deviations, in proportion beyond (Huber, 1964): a run that something
  /// disturbed does not pull the rest. Relative residuals are then of the fitted value.
  huber,
};

struct LinearFit {
  Eigen::VectorXd coefficients;
  Eigen::MatrixXd covariance;  ///< of the coefficients; 0 for those that are held at 0
  Eigen::VectorXd residuals;   ///< measured - fitted, in the unit of `measured`
  Weights weights = Weights::relative;
  /// Standard deviation of the residuals; relative to the fitted value for relative weights.
  double residual_deviation = 0;
  int degrees_of_freedom = 0;  ///< samples - coefficients
  /// Of the covariance: clusters - coefficients where rows are wrong together, at least 1.
  int coefficient_freedom = 1;
  int outliers = 0;      ///< of Loss::huber: rows left out or beyond three deviations
  double r_squared = 0;  ///< of the unweighted residuals; 1 - residual / total variation
  double adjusted_r_squared = 0;
  double median_abs_relative_residual = 0;

  Eigen::VectorXd standard_errors() const;
};

/// Why a design determines no coefficients: one sentence for the person who measured.
struct Refusal {
  std::string reason;
};

/// Fits by rank-revealing QR (Eigen's ColPivHouseholderQR) of the columns scaled to length 1, and
/// by Lawson and Hanson's active sets where `sign` asks and a coefficient would be negative.
///
/// Refused are fewer samples than coefficients + 1, fewer different rows than coefficients, and
/// columns that depend on each other, which are then named with their relation.
///
/// With Loss::huber `residual_deviation` is that of the rows within three robust deviations
/// (1.4826 median |r|), and the covariance grows where the rows of a cluster are further off
/// together than by themselves (docs/model.md, eq. 13).
std::variant<LinearFit, Refusal> least_squares(const Design& design,
                                               Weights weights = Weights::relative,
                                               Sign sign = Sign::any, Loss loss = Loss::squares);

/// The coefficients alone, of as few samples as there are coefficients: nothing is then known of
/// their errors. Refused are dependent columns.
std::variant<Eigen::VectorXd, Refusal> least_squares_coefficients(const Design& design,
                                                                  Weights weights, Sign sign);

}  // namespace cleave::models
