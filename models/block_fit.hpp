// SPDX-License-Identifier: Apache-2.0
// The time of one block as a function of its sizes, with the form given. selection.hpp chooses one.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "models/basis.hpp"
#include "models/files.hpp"
#include "models/forms.hpp"
#include "models/interval.hpp"
#include "models/least_squares.hpp"

namespace cleave::models {

/// A value that was measured at some sizes.
struct Observation {
  NamedSizes
      run_sizes;      ///< of the run that it comes from; whole runs are left out when forms compete
  NamedValues sizes;  ///< that the value is a function of
  double value = 0;   ///< seconds, or bytes; of repeated measurements the median
  std::vector<double> repetitions;  ///< all that were measured; empty where nothing was repeated
};

/// The least and the largest value of each size, and of the ratio of two: "M/N".
using Ranges = std::map<std::string, std::pair<double, double>>;

/// Makes the range of `name` hold `value`.
void extend(Ranges& ranges, const std::string& name, double value);

Ranges ranges_of(const std::vector<Observation>& observations);

/// A form with its coefficients, for one segment of sizes.
struct BlockFit {
  Form form;
  LinearFit fit;
  Ranges fitted_range;
  /// Mean symmetric relative error at sizes that were left out of the fit in turn; none where the
  /// form was given.
  std::optional<double> left_out_smape;
  /// The same at larger sizes than those fitted; none where there are too few.
  std::optional<double> extrapolated_smape;

  double operator()(const NamedValues& sizes) const;
  /// The values of the terms at `sizes`.
  Eigen::VectorXd row(const NamedValues& sizes) const;
  /// Of a new single measurement at `sizes`: its noise, and what the coefficients are not known to.
  std::array<Variance, 2> variances(const NamedValues& sizes) const;
  /// Holds a new single measurement at `sizes` with 95 % probability (docs/model.md, eq. 14).
  Interval interval(const NamedValues& sizes) const;
};

/// The time of a block as a function of its sizes: one form, or one for each segment between breaks
/// of one quantity. Beyond what was measured the first or last segment goes on. Where a segment saw
/// no such ratio of two sizes as is asked for and another did, the nearest of these takes its
/// place: twice the nodes and edges of a graph may lie beyond a break in the edges that only denser
/// graphs have passed.
struct SegmentedFit {
  SegmentedFit() = default;
  /// One form for all sizes; the quality is that of `only.fit`.
  SegmentedFit(BlockFit only);  // NOLINT(google-explicit-constructor): it is the same thing
  /// Segments between breaks; the quality is that at the values of `observations`.
  SegmentedFit(std::string over, std::vector<double> breaks, std::vector<BlockFit> segments,
               const std::vector<Observation>& observations);

  std::string over;                ///< that breaks are of: a size "N", a ratio "M/N", "" if none
  std::vector<double> breaks;      ///< ascending; a segment ends before its break
  std::vector<BlockFit> segments;  ///< one more than breaks

  // Of all segments together, at the values of the observations.
  double r_squared = 0;
  double adjusted_r_squared = 0;
  double median_abs_relative_residual = 0;

  const BlockFit& at(const NamedValues& sizes) const;
  double operator()(const NamedValues& sizes) const { return at(sizes)(sizes); }
  /// Terms of all segments: "N*log2(N)", "1,N below N = 1.5e+06, then N".
  std::string text() const;
};

/// The names in the quantity `over`: {"M", "N"} of "M/N"; none of "".
std::vector<std::string> names_in(const std::string& over);

/// The ratio of two sizes, "M/N"; "" where `sizes` are not two.
std::string ratio_in(const NamedValues& sizes);

/// The quantity `over`, a size or a ratio of two.
/// \throws Error  if `sizes` lacks one
double quantity_of(const std::string& over, const NamedValues& sizes);

/// Fits the form of `trial`. Mostly no coefficient is negative: an operation cannot give time back,
/// and a negative term turns into a negative time on more ranks than were measured. With relative
/// weights and repetitions every repetition is a row, without those that are far from the median of
/// their size, and the others count the less the worse they fit (Loss::huber).
/// Refused, beyond what least_squares refuses: runs at fewer than coefficients + 1 different sizes
/// (a constant alone needs but one), and coefficients of any sign that give no positive time
/// at some size that was measured, or 1024 times smaller or larger in the same proportion.
std::variant<BlockFit, Refusal> fit_form(const std::vector<Observation>& observations,
                                         const TrialForm& trial, Weights weights);

/// Sizes that are in every observation and take more than one value.
std::vector<std::string> varying_sizes(const std::vector<Observation>& observations);

}  // namespace cleave::models
