// SPDX-License-Identifier: Apache-2.0
// A value as a function of sizes: the forms that are plausible, with their coefficients, and how
// these differ where the runs are drawn anew.
#pragma once

#include <Eigen/Core>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "models/theory/basis.hpp"
#include "models/theory/least_squares.hpp"
#include "models/theory/mechanisms.hpp"
#include "models/theory/observation.hpp"

namespace cleave::models {

enum class Weights {
  relative,  ///< residuals count relative to what was measured, and the noisier a size the less
  ordinary,  ///< residuals count in their unit: the largest runs decide, as in the paper
};

/// Of a form, for each kind of observation.
using Coefficients = std::map<int, Eigen::VectorXd>;

/// A form whose coefficients come from runs that were drawn anew.
struct Replicate {
  std::size_t form = 0;  ///< index into Fit::forms
  Coefficients coefficients;
};

struct Fit {
  std::vector<Form> forms;    ///< that are plausible; the first, which is the simplest, speaks
  Coefficients coefficients;  ///< of the first
  std::vector<Replicate> replicates;
  Ranges range;  ///< of the sizes that were measured
  // At the observations.
  double r_squared = 0;
  double adjusted_r_squared = 0;
  double median_abs_relative_residual = 0;
  /// Mean |log(predicted / measured)| of sizes left out, larger ones mostly.
  double left_out_error = 0;

  const Form& form() const { return forms.front(); }
  /// The nearest kind that was measured.
  int kind_for(int kind) const;
  double operator()(const NamedValues& sizes, int kind) const;
  /// That of a replicate. \pre  i < replicates.size()
  double of_replicate(std::size_t i, const NamedValues& sizes, int kind) const;
  /// Of the coefficients of the first form, over the replicates that have it; 0 where fewer than
  /// two do.
  Eigen::VectorXd standard_errors(int kind) const;
  /// "N*log2(N)".
  std::string text() const { return text_of(form()); }
};

/// How many times the runs are drawn anew.
inline constexpr std::size_t kReplicates = 100;

/// Fits one of `forms`, the simplest first; where there is one only, it is prescribed. Those with
/// more than one growing term for two sizes are left out. The others are judged by fits to some of
/// the run sizes that predict the rest: the smaller ones the larger, and all the one left out.
/// Plausible is what errs more than the best by no more than one standard error of the difference
/// (docs/explanation/model.md, "Choosing").
///
/// Refused: no observation; a prescribed form with fewer run sizes than coefficients and one more,
/// or whose columns depend on each other.
std::variant<Fit, Refusal> fit_forms(const std::vector<Observation>& observations,
                                     const std::vector<Form>& forms, Weights weights,
                                     const Mechanisms& mechanisms);

/// How much a run of these sizes counts in replicate `i`: exponentially distributed with mean 1,
/// the same for all blocks (the Bayesian bootstrap; Rubin 1981).
double weight_of_run(const NamedSizes& run_sizes, std::size_t i);

/// Sizes that are in every observation and take more than one value.
std::vector<std::string> varying_sizes(const std::vector<Observation>& observations);

}  // namespace cleave::models
