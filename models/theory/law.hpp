// SPDX-License-Identifier: Apache-2.0
// A value as a function of sizes: the forms that explain what was measured, each with its weight,
// and what they say together, a median with a 95 % interval (docs/explanation/model.md, "The law").
// fit_law.hpp makes one.
#pragma once

#include <Eigen/Core>
#include <map>
#include <span>
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
  /// With the factor of the nearest number of ranks per host that was measured. \throws Error  if a
  /// size is missing
  Estimate at(const NamedValues& sizes, int ranks_per_host = kOneRankPerHost) const;
  /// The median of this alone.
  double median(const NamedValues& sizes, int ranks_per_host = kOneRankPerHost) const;
  /// Multiplies the value, its interval with it. \pre  factor > 0
  void multiply(double factor);
};

/// A law whose sizes are looked up by position rather than by name, for one number of ranks per
/// host. It is evaluated for every group of a run, of which many are alike.
class BoundLaw {
 public:
  /// Of `law`, which must outlive this. \throws Error  if it depends on a size that is not among
  /// `names`
  BoundLaw(const Law& law, int ranks_per_host, std::span<const std::string> names);

  /// At sizes in the order of the names.
  Estimate at(std::span<const double> sizes) const;
  double median(std::span<const double> sizes) const;

  /// Whether a size lies beyond those that were measured by more than 5 %.
  bool is_outside(std::span<const double> sizes) const;

 private:
  struct Factor {
    const Basis::Factor* of = nullptr;
    std::size_t size = 0;  ///< whose place it is
    std::size_t per = 0;
  };
  /// Of one hypothesis.
  struct Part {
    const Hypothesis* hypothesis = nullptr;
    std::vector<std::vector<Factor>> terms;
    double ranks_per_host_factor = 1;
    double log_beta = 0;  ///< that the distribution function of Student's t is divided by
  };
  /// Student's t of one hypothesis at some sizes, on the logarithm of value / unit.
  struct Said {
    double middle = 0;
    double scale = 0;
  };

  Said said_by(const Part& part, std::span<const double> sizes, double& unit) const;
  double below(const std::vector<Said>& all, double logarithm) const;
  double quantile(const std::vector<Said>& all, double probability) const;
  std::vector<Said> all_at(std::span<const double> sizes, double& unit) const;

  std::vector<Part> parts_;
  std::vector<std::pair<double, double>> ranges_;         ///< by name
  mutable std::map<std::vector<float>, double> medians_;  ///< relative to `unit`
};

}  // namespace cleave::models
