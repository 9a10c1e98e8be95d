// SPDX-License-Identifier: Apache-2.0
// The terms of all forms on trial at all observations, summed up by run size. So any form is fitted
// to any part of the runs without a look at the observations.
#pragma once

#include <Eigen/Core>
#include <map>
#include <optional>
#include <vector>

#include "models/theory/form_fit.hpp"

namespace cleave::models {

class Terms {
 public:
  Terms(const std::vector<Observation>& observations, const std::vector<Form>& forms,
        Weights weights, bool by_precision);

  int runs() const { return static_cast<int>(run_sizes_.size()); }
  const NamedSizes& run_sizes(int run) const { return run_sizes_[static_cast<std::size_t>(run)]; }
  int forms() const { return static_cast<int>(columns_.size()); }

  /// The observations of the runs `in_use`, each run counting so many times.
  class Part {
   public:
    Part(const Terms& terms, const std::vector<double>& times_by_run);

    /// Coefficients of form number `form`, none negative. A kind with too few runs takes those of
    /// the kind with the most, times what they differ by.
    Coefficients fit(int form) const;

   private:
    struct Kind {
      NormalEquations sums;
      int runs = 0;
    };

    const Terms& terms_;
    const std::vector<double>& times_by_run_;
    std::map<int, Kind> kinds_;
  };

  /// Mean over the observations of the runs in `tested` of |log(fitted / measured)|, at most 2,
  /// each as far as it is known.
  double error(int form, const Coefficients& coefficients, const std::vector<double>& tested) const;

 private:
  struct Row {
    int run = 0;
    int kind = 1;
    double value = 0;
    double weight = 0;     ///< one over the variance
    double certainty = 1;  ///< at most 1
  };

  double at(std::size_t row, int form, const Eigen::VectorXd& coefficients) const;

  std::vector<NamedSizes> run_sizes_;      ///< ascending in the product of the sizes
  std::vector<std::vector<int>> columns_;  ///< of each form
  Eigen::MatrixXd values_;                 ///< terms x observations
  std::vector<Row> rows_;
  std::map<int, std::vector<NormalEquations>> sums_;  ///< by kind, of each run
  std::map<int, std::vector<bool>> is_there_;         ///< by kind, whether a run has any
};

}  // namespace cleave::models
