// SPDX-License-Identifier: Apache-2.0
// A value as a function of sizes: the forms that explain what was measured, each with its weight,
// and what they say together, a median with a 95 % interval (docs/explanation/model.md, "The law").
// fit_law.hpp makes one.
#pragma once

#include <Eigen/Core>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "models/theory/basis.hpp"
#include "models/theory/observation.hpp"

namespace cleave::models {

/// One form of a law.
struct Hypothesis {
  Form form;
  double weight = 1;             ///< its probability; those of a law add up to 1
  Eigen::VectorXd coefficients;  ///< none negative
  /// What ranks that share a host are multiplied by, by their number; 1 for the least.
  std::map<int, double> factors;
  Eigen::MatrixXd covariance;  ///< of the coefficients, for a deviation of 1
  double deviation = 0;        ///< of an observation from the form, on the scale of logarithms
  double freedom = 1;          ///< degrees of freedom of that deviation
};

/// A value that is as likely above as below, and the range that holds it with 95 % probability.
struct Estimate {
  double median = 0;
  double low = 0;
  double high = 0;
};

/// Where Student's t has so much probability below. \pre  0 < probability < 1
double student_t_quantile(double freedom, double probability);

struct Law {
  std::vector<Hypothesis> hypotheses;  ///< the most likely first
  Ranges range;                        ///< of the sizes that were measured
  // Of the first form, at the observations.
  double r_squared = 0;
  double median_abs_relative_residual = 0;

  const Form& form() const { return hypotheses.front().form; }
  /// "N*log2(N)".
  std::string text() const { return text_of(form()); }
  /// That its forms are of.
  std::set<std::string> sizes() const;
  /// With the factor of the nearest number of ranks per host that was measured. \throws Error  if a
  /// size is missing
  Estimate at(const NamedValues& sizes, int ranks_per_host = kOneRankPerHost) const;
  /// The median of this alone.
  double median(const NamedValues& sizes, int ranks_per_host = kOneRankPerHost) const;
  /// Whether a size lies beyond those that were measured by more than 5 %.
  bool is_outside(const NamedValues& sizes) const;
  /// Multiplies the value, its interval with it. \pre  factor > 0
  void multiply(double factor);
};

}  // namespace cleave::models
