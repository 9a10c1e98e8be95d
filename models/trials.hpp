// SPDX-License-Identifier: Apache-2.0
// Forms on trial: fits to one part of the runs that predict the other.
#pragma once

#include <vector>

#include "models/block_fit.hpp"
#include "models/forms.hpp"

namespace cleave::models {

using Rows = std::vector<Eigen::Index>;

/// A difference of relative errors that no measurement tells from nothing.
constexpr double kNegligible = 1e-3;

/// The values of every basis function of a list of forms, computed once.
class BasisValues {
 public:
  BasisValues(const std::vector<Observation>& observations, const std::vector<TrialForm>& forms);

  /// \pre  every term of `form` is one of the list's
  Design design(const Form& form, const Rows& rows) const;

 private:
  std::vector<Basis> bases_;
  Eigen::MatrixXd columns_;  ///< observations x bases
  Eigen::VectorXd values_;
};

Rows all_rows(const std::vector<Observation>& observations);

/// Rows of each run size, ascending in the product of its sizes.
std::vector<Rows> rows_by_run_size(const std::vector<Observation>& observations);

/// One part of the rows is fitted and predicts another.
struct Trial {
  Rows fitted;
  Rows tested;
};

/// Each leaves out the runs of one size, or of a tenth of the sizes where there are more than ten.
std::vector<Trial> leave_out_trials(const std::vector<Rows>& by_size);

/// Fits to the smaller half of the sizes and more, up to all but the largest; each predicts all
/// that are larger.
std::vector<Trial> rolling_trials(const std::vector<Rows>& by_size);

/// |a - b| relative to their mean.
double symmetric_error(double a, double b);

double mean_of(const std::vector<double>& values);

}  // namespace cleave::models
