// The time of one block as a function of its sizes: fitting a given form, and choosing one.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "models/basis.hpp"
#include "models/forms.hpp"
#include "models/least_squares.hpp"
#include "skeleton/trace/trace_file.hpp"

namespace cleave {

/// One row of a fit: a value that was measured at some sizes.
struct Observation {
  NamedSizes
      run_sizes;      ///< of the run that it comes from; whole runs are left out when forms compete
  NamedValues sizes;  ///< that the value is a function of
  double value = 0;   ///< seconds, or bytes
};

struct BlockFit {
  Form form;
  LinearFit fit;
  std::map<std::string, std::pair<double, double>> fitted_range;  ///< least and most of each size
  /// Mean symmetric relative error at sizes that were left out of the fit in turn; none where the
  /// form was given.
  std::optional<double> left_out_smape;

  double operator()(const NamedValues& sizes) const;
  /// The values of the terms at `sizes`.
  Eigen::VectorXd row(const NamedValues& sizes) const;
};

/// Fits the form of `trial`. Mostly no coefficient is negative: an operation cannot give time back,
/// and a negative term turns into a negative time on more ranks than were measured.
/// Refused, beyond what least_squares refuses: runs at fewer than coefficients + 1 different sizes
/// (a constant alone needs but one), and coefficients of any sign that give no positive time
/// at some size that was measured.
std::variant<BlockFit, Refusal> fit_form(const std::vector<Observation>& observations,
                                         const TrialForm& trial, Weights weights);

/// Chooses among `forms` (fewer terms first) by leaving out the runs of one size after another: of
/// the forms whose SMAPE at the sizes left out exceeds that of the best by no more than one
/// standard error of their difference, the one with the least corrected Akaike criterion; on a tie
/// the one with fewer terms. Refused if every form is, with the reason of the last.
std::variant<BlockFit, Refusal> fit_best_form(const std::vector<Observation>& observations,
                                              const std::vector<TrialForm>& forms, Weights weights);

/// Sizes that are in every observation and take more than one value.
std::vector<std::string> varying_sizes(const std::vector<Observation>& observations);

}  // namespace cleave
