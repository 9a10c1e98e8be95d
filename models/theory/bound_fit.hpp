// SPDX-License-Identifier: Apache-2.0
// A fit whose sizes are looked up by position rather than by name: it is evaluated for every group
// of every draw.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "models/theory/form_fit.hpp"

namespace cleave::models {

class BoundFit {
 public:
  /// Of `fit`, which must outlive this, for `kind`. \throws Error  if it depends on a size that is
  /// not among `names`
  BoundFit(const Fit& fit, int kind, std::span<const std::string> names);

  /// At sizes in the order of the names, by the coefficients of the fit; at least 0.
  double operator()(std::span<const double> sizes) const;
  /// By those of a replicate.
  double of_replicate(std::size_t i, std::span<const double> sizes) const;

  /// Whether a size lies beyond those that were measured by more than 5 %.
  bool is_outside(std::span<const double> sizes) const;

 private:
  struct Factor {
    std::size_t size = 0;
    bool is_log = false;
    double power = 1;
    const Curve* curve = nullptr;
    std::size_t per = 0;
  };
  using Term = std::vector<Factor>;

  double value(const std::vector<Term>& form, const Eigen::VectorXd& coefficients,
               std::span<const double> sizes) const;

  const Fit& fit_;
  int kind_;
  std::vector<std::vector<Term>> forms_;
  std::vector<std::pair<double, double>> ranges_;
};

}  // namespace cleave::models
