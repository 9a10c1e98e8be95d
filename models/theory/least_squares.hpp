// SPDX-License-Identifier: Apache-2.0
// Least squares: coefficients of a linear combination of columns. Nothing here knows what the
// columns mean.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace cleave::models {

/// Why something cannot be fitted: one sentence for the person who measured.
struct Refusal {
  std::string reason;
};

/// One column a coefficient, one number a row.
using Columns = std::vector<std::vector<double>>;

struct Solution {
  std::vector<double> coefficients;
  std::vector<double> covariance;  ///< where each row has a variance of 1; row by row
};

/// The coefficients with the least sum of weights * (values - columns * coefficients)^2. Columns
/// that depend on each other share. \pre  columns of length about 1; at most four
Solution solve(std::span<const double> weights, const Columns& columns,
               std::span<const double> values);

/// Least squares without a negative coefficient. Exact: every subset of the columns is tried, of
/// columns that depend on each other some get 0.
std::vector<double> solve_non_negative(std::span<const double> weights, const Columns& columns,
                                       std::span<const double> values);

/// Why the rows of `columns` determine no coefficients, if so: the names of columns that depend on
/// each other. Columns of length 1 count as dependent where one is within 1e-6 of a combination of
/// the others. `wanted` independent columns are enough.
std::optional<Refusal> refuse_dependent(const std::vector<std::string>& names,
                                        const Columns& columns, std::size_t wanted);

}  // namespace cleave::models
