// SPDX-License-Identifier: Apache-2.0
// Weighted least squares: coefficients of a linear combination of columns. Nothing here knows what
// the columns mean.
#pragma once

#include <Eigen/Core>
#include <optional>
#include <span>
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

/// The sums over rows that least squares needs: of weight * column * column, weight * column *
/// measured, and weight * measured^2.
class NormalEquations {
 public:
  explicit NormalEquations(Eigen::Index columns = 0)
      : products_(Eigen::MatrixXd::Zero(columns, columns)),
        moments_(Eigen::VectorXd::Zero(columns)) {}

  void add_row(const Eigen::Ref<const Eigen::VectorXd>& columns, double measured, double weight);

  /// The coefficients of the chosen columns that leave least; at most four columns. Of columns that
  /// depend on each other some get 0. Exact: of every subset of the columns the solution is tried.
  /// Cost: up to 15 solutions of at most four equations.
  Eigen::VectorXd solve(std::span<const int> chosen, Sign sign) const;

  /// Standard errors of such coefficients where the weights are one over the variance of a row, or
  /// in proportion to it: then `variance` is the factor.
  Eigen::VectorXd standard_errors(std::span<const int> chosen, double variance) const;

 private:
  Eigen::MatrixXd products_;
  Eigen::VectorXd moments_;
};

/// Why the rows of `columns` determine no coefficients of all columns, if so: fewer different rows
/// than columns, or columns that depend on each other, which are named with their relation. Columns
/// of length 1 count as dependent where one is within 1e-6 of a combination of the others.
std::optional<Refusal> refuse_dependent(const std::vector<std::string>& names,
                                        const Eigen::MatrixXd& columns);

}  // namespace cleave::models
