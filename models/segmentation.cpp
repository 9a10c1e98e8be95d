// SPDX-License-Identifier: Apache-2.0
#include "models/segmentation.hpp"

#include <Eigen/Cholesky>
#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "models/breaks.hpp"
#include "models/selection.hpp"
#include "models/spans.hpp"
#include "models/trials.hpp"

namespace cleave::models {

namespace {

/// Breaks stay where each lowers the error at sizes left out to this part.
constexpr double kWorthABreak = 0.9;

/// So many times as much breaks have to leave of the errors that others, which could not be tried
/// at larger sizes at all, are preferred to them.
constexpr double kUntried = 2;

/// One value of the quantity that breaks are sought in.
struct BreakPoint {
  double quantity = 0;
  std::vector<Observation> observations;
};

std::vector<BreakPoint> points_over(const std::string& over,
                                    const std::vector<Observation>& observations) {
  std::vector<std::pair<double, const Observation*>> ascending;
  for (const Observation& o : observations) {
    ascending.emplace_back(quantity_of(over, o.sizes), &o);
  }
  std::stable_sort(ascending.begin(), ascending.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  // Values within a hundredth are one: halves are never quite even. At most kMaxPoints remain, so
  // that many samples cost no more than few.
  constexpr double kSame = 1.01;
  constexpr std::size_t kMaxPoints = 48;
  const std::size_t minimum = ascending.size() / kMaxPoints;
  std::vector<BreakPoint> points;
  for (const auto& [quantity, observation] : ascending) {
    if (points.empty() || (quantity > kSame * points.back().quantity &&
                           points.back().observations.size() >= minimum)) {
      points.push_back({.quantity = quantity, .observations = {}});
    }
    points.back().observations.push_back(*observation);
  }
  return points;
}

/// Sums of products over the points before each one, so that any segment is fitted in no time.
class SegmentFits {
 public:
  SegmentFits(const std::vector<BreakPoint>& points, const std::vector<TrialForm>& forms,
              Weights weights)
      : forms_(forms) {
    products_.emplace_back();
    for (const BreakPoint& point : points) {
      spans_.emplace_back(point.observations);
      whole_.add(spans_.back());
      const BasisValues values(point.observations, forms);
      std::vector<Products> next = products_.back();
      next.resize(forms.size());
      for (std::size_t f = 0; f < forms.size(); ++f) {
        const Design design = values.design(forms[f].form, all_rows(point.observations));
        const Eigen::VectorXd scale =
            weights == Weights::relative
                ? Eigen::VectorXd(design.measured.cwiseMax(1e-9).cwiseInverse())
                : Eigen::VectorXd(Eigen::VectorXd::Ones(design.measured.size()));
        next[f].add(scale.asDiagonal() * design.columns, scale.cwiseProduct(design.measured));
      }
      products_.push_back(std::move(next));
    }
  }

  /// The least sum of squared residuals of any form on points [first, end).
  double residual_squares(int first, int end) const {
    Spans spans;
    for (int i = first; i < end; ++i) {
      spans.add(spans_[static_cast<std::size_t>(i)]);
    }
    double minimum = std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < forms_.size(); ++f) {
      if (!spans.tell(forms_[f].form, whole_)) {
        continue;
      }
      const Products& to = products_[static_cast<std::size_t>(end)][f];
      minimum = std::min(
          minimum,
          first == 0 ? to.residual_squares()
                     : to.minus(products_[static_cast<std::size_t>(first)][f]).residual_squares());
    }
    return minimum;
  }

 private:
  struct Products {
    Eigen::MatrixXd xx;
    Eigen::VectorXd xy;
    double yy = 0;

    void add(const Eigen::MatrixXd& x, const Eigen::VectorXd& y) {
      if (xx.size() == 0) {
        xx = Eigen::MatrixXd::Zero(x.cols(), x.cols());
        xy = Eigen::VectorXd::Zero(x.cols());
      }
      xx += x.transpose() * x;
      xy += x.transpose() * y;
      yy += y.squaredNorm();
    }
    Products minus(const Products& other) const {
      Products rest = *this;
      rest.xx -= other.xx;
      rest.xy -= other.xy;
      rest.yy -= other.yy;
      return rest;
    }
    double residual_squares() const {
      const Eigen::VectorXd scale = xx.diagonal().cwiseMax(1e-300).cwiseSqrt().cwiseInverse();
      const Eigen::MatrixXd scaled = scale.asDiagonal() * xx * scale.asDiagonal();
      const Eigen::VectorXd right = scale.cwiseProduct(xy);
      const Eigen::VectorXd solution = scaled.ldlt().solve(right);
      const double explained = solution.dot(right);
      return std::isfinite(explained) ? std::max(0.0, yy - explained)
                                      : std::numeric_limits<double>::infinity();
    }
  };

  const std::vector<TrialForm>& forms_;
  std::vector<std::vector<Products>> products_;
  std::vector<Spans> spans_;  ///< of each point
  Spans whole_;               ///< of all points
};

/// What breaks are looked for in, and the forms of a segment between them.
struct Quantity {
  std::string over;
  std::vector<TrialForm> forms;
};

std::vector<Quantity> quantities_of(const std::vector<std::string>& sizes,
                                    const std::vector<TrialForm>& forms) {
  std::vector<Quantity> quantities;
  for (const std::string& size : sizes) {
    quantities.push_back({size, forms});
    std::vector<TrialForm> beyond = forms_beyond_break(size, forms);
    std::move(beyond.begin(), beyond.end(), std::back_inserter(quantities.back().forms));
  }
  if (sizes.size() == 2) {
    quantities.push_back({sizes[0] + "/" + sizes[1], density_forms(sizes[1], sizes[0])});
    std::copy_if(forms.begin(), forms.end(), std::back_inserter(quantities.back().forms),
                 is_of_ends_at_a_node);
  }
  return quantities;
}

/// How many sizes of runs a segment of points has.
class RunSizes {
 public:
  explicit RunSizes(const std::vector<BreakPoint>& points) {
    std::map<NamedSizes, std::size_t> numbers;
    for (const BreakPoint& point : points) {
      std::set<std::size_t>& of_point = of_points_.emplace_back();
      for (const Observation& o : point.observations) {
        of_point.insert(numbers.try_emplace(o.run_sizes, numbers.size()).first->second);
      }
    }
  }

  int count(int first, int end) const {
    std::set<std::size_t> sizes;
    for (int i = first; i < end; ++i) {
      sizes.insert(of_points_[static_cast<std::size_t>(i)].begin(),
                   of_points_[static_cast<std::size_t>(i)].end());
    }
    return static_cast<int>(sizes.size());
  }

 private:
  std::vector<std::set<std::size_t>> of_points_;  ///< numbers of sizes
};

/// Breaks of one quantity; none where none is worth its price.
std::vector<double> find_breaks(const std::string& over,
                                const std::vector<Observation>& observations,
                                std::vector<TrialForm> forms, Weights weights) {
  constexpr int kMinRunSizes = 4;
  constexpr std::size_t kMaxTerms = 2;
  std::erase_if(forms, [](const TrialForm& trial) { return trial.form.size() > kMaxTerms; });
  const std::vector<BreakPoint> points = points_over(over, observations);
  const SegmentFits fits(points, forms, weights);
  const RunSizes run_sizes(points);
  const auto last = static_cast<int>(points.size());
  const auto rows = static_cast<double>(observations.size());
  const Breaks breaks =
      best_breaks({.points = last,
                   .min_points = 2,
                   .parameters = 2,
                   // The runs of one size count once, however many ranks and levels they have.
                   .samples = static_cast<double>(run_sizes.count(0, last)),
                   .negligible = weights == Weights::relative ? kNegligible * kNegligible : 0,
                   .residual = [&](int first, int end) {
                     return run_sizes.count(first, end) < kMinRunSizes
                                ? std::numeric_limits<double>::infinity()
                                : fits.residual_squares(first, end) / rows;
                   }});
  std::vector<double> found;
  for (const int start : breaks.starts) {
    found.push_back(std::sqrt(points[static_cast<std::size_t>(start - 1)].quantity *
                              points[static_cast<std::size_t>(start)].quantity));
  }
  return found;
}

/// The observations between breaks.
std::vector<std::vector<Observation>> segments_of(const std::string& over,
                                                  const std::vector<double>& breaks,
                                                  const std::vector<Observation>& observations) {
  std::vector<std::vector<Observation>> segments(breaks.size() + 1);
  for (const Observation& o : observations) {
    segments[segment_of(quantity_of(over, o.sizes), breaks)].push_back(o);
  }
  return segments;
}

/// fit_best_form of those `forms` that the sizes of the observations can tell, or of all if they
/// tell none. \param whole  of these and the observations of other segments
std::variant<BlockFit, Refusal> fit_told_form(const std::vector<Observation>& observations,
                                              const Spans& whole,
                                              const std::vector<TrialForm>& forms,
                                              Weights weights) {
  const Spans spans(observations);
  std::vector<TrialForm> told;
  std::copy_if(forms.begin(), forms.end(), std::back_inserter(told),
               [&](const TrialForm& trial) { return spans.tell(trial.form, whole); });
  return fit_best_form(observations, told.empty() ? forms : told, weights);
}

std::variant<SegmentedFit, Refusal> fit_segments(const Quantity& quantity,
                                                 const std::vector<double>& breaks,
                                                 const std::vector<Observation>& observations,
                                                 Weights weights) {
  std::vector<BlockFit> fits;
  const Spans whole(observations);
  for (const auto& segment : segments_of(quantity.over, breaks, observations)) {
    std::vector<TrialForm> forms = quantity.forms;
    std::erase_if(forms, [&](const TrialForm& form) { return form.beyond_break && fits.empty(); });
    auto fitted = fit_told_form(segment, whole, forms, weights);
    if (auto* refusal = std::get_if<Refusal>(&fitted)) {
      return std::move(*refusal);
    }
    fits.push_back(std::move(std::get<BlockFit>(fitted)));
  }
  return SegmentedFit(quantity.over, breaks, std::move(fits), observations);
}

/// `fit` with its breaks and forms kept and its coefficients those of `observations`; none if a
/// segment cannot be fitted to them.
std::optional<SegmentedFit> fitted_to(SegmentedFit fit,
                                      const std::vector<Observation>& observations,
                                      Weights weights) {
  const auto segments = fit.breaks.empty() ? std::vector<std::vector<Observation>>{observations}
                                           : segments_of(fit.over, fit.breaks, observations);
  for (std::size_t s = 0; s < segments.size(); ++s) {
    BlockFit& segment = fit.segments[s];
    const std::vector<TrialForm> form = {{segment.form, Sign::any}};
    const auto coefficients = least_squares_coefficients(
        BasisValues(segments[s], form).design(segment.form, all_rows(segments[s])), weights,
        segment.fit.coefficients.minCoeff() < 0 ? Sign::any : Sign::non_negative);
    if (!std::holds_alternative<Eigen::VectorXd>(coefficients)) {
      return std::nullopt;
    }
    segment.fit.coefficients = std::get<Eigen::VectorXd>(coefficients);
  }
  return fit;
}

/// The mean symmetric error of `fit` in each trial, none where it cannot be fitted.
std::vector<std::optional<double>> trial_errors(const SegmentedFit& fit,
                                                const std::vector<Trial>& trials,
                                                const std::vector<Observation>& observations,
                                                Weights weights) {
  std::vector<std::optional<double>> errors;
  for (const Trial& trial : trials) {
    std::vector<Observation> fitted;
    for (const Eigen::Index i : trial.fitted) {
      fitted.push_back(observations[static_cast<std::size_t>(i)]);
    }
    std::optional<double>& error = errors.emplace_back();
    if (const auto on_trial = fitted_to(fit, fitted, weights)) {
      double sum = 0;
      for (const Eigen::Index i : trial.tested) {
        const Observation& o = observations[static_cast<std::size_t>(i)];
        sum += symmetric_error((*on_trial)(o.sizes), o.value);
      }
      error = sum / static_cast<double>(trial.tested.size());
    }
  }
  return errors;
}

/// A fit and how it does on trial.
struct TriedFit {
  SegmentedFit fit;
  std::vector<std::optional<double>> left_out;      ///< errors at the sizes left out in turn
  std::vector<std::optional<double>> extrapolated;  ///< at sizes larger than those fitted
};

/// The errors `of` a fit as a part of those of the fit without breaks, the sums over the trials;
/// where this fit could not be fitted, it counts as no better.
double part_of(const std::vector<std::optional<double>>& of,
               const std::vector<std::optional<double>>& whole) {
  double sum = 0;
  double sum_of_whole = 0;
  for (std::size_t i = 0; i < of.size(); ++i) {
    if (whole[i]) {
      sum += of[i].value_or(*whole[i]);
      sum_of_whole += *whole[i];
    }
  }
  return sum_of_whole > 0 ? sum / sum_of_whole : 1;
}

/// What breaks leave of the errors of the fit without any: at sizes left out, times 1 /
/// kWorthABreak for each break, times at larger sizes; none if either is not lowered.
std::optional<double> left_by_breaks(const TriedFit& broken, const TriedFit& whole) {
  const double price = std::pow(kWorthABreak, static_cast<double>(broken.fit.breaks.size()));
  const double left_out = part_of(broken.left_out, whole.left_out) / price;
  const double beyond = part_of(broken.extrapolated, whole.extrapolated);
  return left_out < 1 && beyond <= 1 ? std::optional(left_out * beyond) : std::nullopt;
}

/// Whether the last segment has seen every ratio of two sizes that the others saw. Where it has
/// not, one of these takes its place (SegmentedFit::at), at sizes far beyond its own.
bool goes_on_at_every_ratio(const SegmentedFit& fit, const std::vector<Observation>& observations) {
  const std::string ratio = ratio_in(observations.front().sizes);
  if (fit.breaks.empty() || ratio.empty() || ratio == fit.over) {
    return true;
  }
  const BlockFit* last = &fit.segments.back();
  return std::all_of(observations.begin(), observations.end(), [&](const Observation& o) {
    NamedValues beyond = o.sizes;
    for (auto& [name, value] : beyond) {
      value *= 1024;
    }
    return &fit.at(beyond) == last;
  });
}

bool is_always_fitted(const std::vector<std::optional<double>>& errors) {
  return std::all_of(errors.begin(), errors.end(), [](const auto& e) { return e.has_value(); });
}

bool is_never_fitted(const std::vector<std::optional<double>>& errors) {
  return std::none_of(errors.begin(), errors.end(), [](const auto& e) { return e.has_value(); });
}

}  // namespace

std::variant<SegmentedFit, Refusal> fit_segmented(const std::vector<Observation>& observations,
                                                  const std::vector<TrialForm>& forms,
                                                  Weights weights) {
  auto one = fit_told_form(observations, Spans(observations), forms, weights);
  if (auto* refusal = std::get_if<Refusal>(&one)) {
    return std::move(*refusal);
  }
  const std::vector<Rows> by_size = rows_by_run_size(observations);
  const std::vector<Trial> leaving_out = leave_out_trials(by_size);
  const std::vector<Trial> rolling = rolling_trials(by_size);
  const auto tried = [&](SegmentedFit fit) {
    return TriedFit{.fit = fit,
                    .left_out = trial_errors(fit, leaving_out, observations, weights),
                    .extrapolated = goes_on_at_every_ratio(fit, observations)
                                        ? trial_errors(fit, rolling, observations, weights)
                                        : std::vector<std::optional<double>>(rolling.size())};
  };
  const TriedFit whole =
      tried(SegmentedFit("", {}, {std::move(std::get<BlockFit>(one))}, observations));
  if (!is_always_fitted(whole.left_out)) {
    return whole.fit;
  }
  SegmentedFit best = whole.fit;
  double minimum = std::numeric_limits<double>::infinity();
  for (const Quantity& quantity : quantities_of(varying_sizes(observations), forms)) {
    const std::vector<double> breaks =
        find_breaks(quantity.over, observations, quantity.forms, weights);
    if (breaks.empty()) {
      continue;
    }
    auto fitted = fit_segments(quantity, breaks, observations, weights);
    if (auto* segmented = std::get_if<SegmentedFit>(&fitted)) {
      const TriedFit broken = tried(std::move(*segmented));
      const auto left = left_by_breaks(broken, whole);
      if (is_always_fitted(broken.left_out) && left) {
        const double of_breaks = *left * (is_never_fitted(broken.extrapolated) ? kUntried : 1);
        if (of_breaks < minimum) {
          best = broken.fit;
          minimum = of_breaks;
        }
      }
    }
  }
  return best;
}

}  // namespace cleave::models
