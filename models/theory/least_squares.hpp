// SPDX-License-Identifier: Apache-2.0
// Least squares: coefficients of a linear combination of columns. Nothing here knows what
// the columns mean.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <string>
#include <vector>

namespace cleave::models {

/// Why something cannot be fitted: one sentence for the person who measured.
struct Refusal {
  std::string reason;
};

enum class Sign {
  any,
  non_negative,  ///< a coefficient that would be negative is held at 0
};

/// The coefficients of `columns` that leave least of `measured`; at most four columns. Of columns
/// that depend on each other some get 0. Exact: every subset of the columns is tried. Cost: up to
/// 15 QR decompositions.
Eigen::VectorXd least_squares(const Eigen::MatrixXd& columns, const Eigen::VectorXd& measured,
                              Sign sign);

/// Standard errors of such coefficients where each row has this variance.
Eigen::VectorXd standard_errors(const Eigen::MatrixXd& columns, double variance);

/// Why the rows of `columns` determine no coefficients of all columns, if so: fewer different rows
/// than columns, or columns that depend on each other, which are named with their relation. Columns
/// of length 1 count as dependent where one is within 1e-6 of a combination of the others. `wanted`
/// independent columns are enough.
std::optional<Refusal> refuse_dependent(const std::vector<std::string>& names,
                                        const Eigen::MatrixXd& columns, std::size_t wanted);

}  // namespace cleave::models
