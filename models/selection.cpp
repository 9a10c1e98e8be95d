#include "models/selection.hpp"

#include <fmt/format.h>

#include <Eigen/Cholesky>
#include <algorithm>
#include <cassert>
#include <cmath>
#include <iterator>
#include <limits>
#include <numeric>
#include <optional>
#include <set>

#include "models/breaks.hpp"
#include "models/interval.hpp"

namespace cleave {

namespace {

using Rows = std::vector<Eigen::Index>;

/// A difference of relative errors that no measurement tells from nothing.
constexpr double kNegligible = 1e-3;

/// Breaks stay where each lowers the error at sizes left out to this part.
constexpr double kWorthABreak = 0.9;

/// Runs are left out one size after another, or in so many groups of sizes where there are more.
constexpr int kMostFolds = 10;

/// The largest value of each size relative to the smallest.
class Spans {
 public:
  explicit Spans(const std::vector<Observation>& observations = {}) {
    for (const Observation& o : observations) {
      for (const auto& [name, value] : o.sizes) {
        extend(name, value);
      }
    }
  }

  void add(const Spans& other) {
    for (const auto& [name, range] : other.ranges_) {
      extend(name, range.first);
      extend(name, range.second);
    }
  }

  /// Whether no term of `form` is steeper than S log2 S in a size that varies too little to tell:
  /// a power found between sizes close to each other is wrong by far beyond them.
  bool tell(const Form& form) const {
    constexpr double kEnough = 4;
    return std::all_of(form.begin(), form.end(), [&](const Basis& term) {
      return std::all_of(ranges_.begin(), ranges_.end(), [&](const auto& size) {
        const auto& [least, most] = size.second;
        return most >= kEnough * least || power_of(term, size.first) <= 1;
      });
    });
  }

 private:
  void extend(const std::string& name, double value) {
    auto& [least, most] = ranges_.try_emplace(name, value, value).first->second;
    least = std::min(least, value);
    most = std::max(most, value);
  }

  /// Of `size` in `term`; log2 counts from its square on.
  static double power_of(const Basis& term, const std::string& size) {
    double sum = 0;
    for (const Basis::Factor& factor : term.factors()) {
      if (factor.size == size && factor.function == Basis::Function::identity) {
        sum += factor.power;
      } else if (factor.size == size && factor.function == Basis::Function::log2) {
        sum += factor.power - 1;
      }
    }
    return sum;
  }

  std::map<std::string, std::pair<double, double>> ranges_;  ///< least and most of each size
};

/// One part of the rows is fitted and predicts another.
struct Trial {
  Rows fitted;
  Rows tested;
};

/// The values of every basis function of a list of forms, computed once.
class Table {
 public:
  Table(const std::vector<Observation>& observations, const std::vector<TrialForm>& forms)
      : values_(Eigen::VectorXd(std::ssize(observations))) {
    for (const TrialForm& trial : forms) {
      for (const Basis& basis : trial.form) {
        if (std::find(bases_.begin(), bases_.end(), basis) == bases_.end()) {
          bases_.push_back(basis);
        }
      }
    }
    columns_.resize(values_.size(), std::ssize(bases_));
    for (Eigen::Index i = 0; i < values_.size(); ++i) {
      const Observation& observation = observations[static_cast<std::size_t>(i)];
      values_[i] = observation.value;
      for (Eigen::Index j = 0; j < columns_.cols(); ++j) {
        columns_(i, j) = bases_[static_cast<std::size_t>(j)](observation.sizes);
      }
    }
  }

  Design design(const Form& form, const Rows& rows) const {
    std::vector<Eigen::Index> columns;
    for (const Basis& basis : form) {
      columns.push_back(std::find(bases_.begin(), bases_.end(), basis) - bases_.begin());
    }
    return {
        .names = term_names(form), .columns = columns_(rows, columns), .measured = values_(rows)};
  }

 private:
  std::vector<Basis> bases_;
  Eigen::MatrixXd columns_;
  Eigen::VectorXd values_;
};

/// Rows of each run size, ascending in the product of its sizes.
std::vector<Rows> rows_by_run_size(const std::vector<Observation>& observations) {
  std::map<NamedSizes, Rows> by_size;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    by_size[observations[i].run_sizes].push_back(static_cast<Eigen::Index>(i));
  }
  const auto volume = [](const NamedSizes& sizes) {
    double sum = 0;
    for (const auto& [name, value] : sizes) {
      sum += std::log(std::max<double>(1, static_cast<double>(value)));
    }
    return sum;
  };
  std::vector<std::pair<double, Rows>> ascending;
  for (auto& [sizes, rows] : by_size) {
    ascending.emplace_back(volume(sizes), std::move(rows));
  }
  std::stable_sort(ascending.begin(), ascending.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<Rows> result;
  for (auto& [of_size, rows] : ascending) {
    result.push_back(std::move(rows));
  }
  return result;
}

void append(Rows& rows, const Rows& more) { rows.insert(rows.end(), more.begin(), more.end()); }

std::vector<Trial> leave_out_trials(const std::vector<Rows>& by_size) {
  const auto folds = std::min<std::size_t>(kMostFolds, by_size.size());
  std::vector<Trial> trials(folds);
  for (std::size_t i = 0; i < by_size.size(); ++i) {
    for (std::size_t fold = 0; fold < folds; ++fold) {
      append(i % folds == fold ? trials[fold].tested : trials[fold].fitted, by_size[i]);
    }
  }
  return trials;
}

/// Fits to the smaller half of the sizes and more, up to all but the largest; each predicts all
/// that are larger.
std::vector<Trial> rolling_trials(const std::vector<Rows>& by_size) {
  constexpr std::size_t kLeastSizes = 3;
  std::vector<Trial> trials;
  const std::size_t least = std::max(kLeastSizes, (by_size.size() + 1) / 2);
  const std::size_t step =
      std::max<std::size_t>(1, (by_size.size() - std::min(least, by_size.size())) / kMostFolds);
  for (std::size_t fitted = least; fitted < by_size.size(); fitted += step) {
    Trial trial;
    for (std::size_t i = 0; i < by_size.size(); ++i) {
      append(i < fitted ? trial.fitted : trial.tested, by_size[i]);
    }
    trials.push_back(std::move(trial));
  }
  return trials;
}

/// |a - b| relative to their mean.
double symmetric_error(double a, double b) {
  const double scale = (std::abs(a) + std::abs(b)) / 2;
  return scale == 0 ? 0 : std::abs(a - b) / scale;
}

/// Mean symmetric error of each trial; empty if the form cannot be fitted in one of them.
std::vector<double> errors_of(const Table& table, const std::vector<Trial>& trials,
                              const TrialForm& form, Weights weights) {
  std::vector<double> errors;
  for (const Trial& trial : trials) {
    const auto fitted =
        least_squares_coefficients(table.design(form.form, trial.fitted), weights, form.sign);
    const auto* coefficients = std::get_if<Eigen::VectorXd>(&fitted);
    if (coefficients == nullptr) {
      return {};
    }
    const Design test = table.design(form.form, trial.tested);
    const Eigen::VectorXd predicted = test.columns * *coefficients;
    double sum = 0;
    for (Eigen::Index i = 0; i < predicted.size(); ++i) {
      sum += symmetric_error(predicted[i], test.measured[i]);
    }
    errors.push_back(sum / static_cast<double>(predicted.size()));
  }
  return errors;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// Whether errors `a` exceed errors `b` of the same trials by no more than chance explains (a
/// paired t test at 95 %), or by next to nothing.
bool is_as_good(const std::vector<double>& a, const std::vector<double>& b) {
  std::vector<double> differences;
  for (std::size_t i = 0; i < a.size(); ++i) {
    differences.push_back(a[i] - b[i]);
  }
  const double mean = mean_of(differences);
  double squares = 0;
  for (const double difference : differences) {
    squares += (difference - mean) * (difference - mean);
  }
  const auto n = static_cast<double>(differences.size());
  const double standard_error = n > 1 ? std::sqrt(squares / (n - 1) / n) : 0;
  return mean <= std::max(kNegligible, quantile_975(n - 1) * standard_error);
}

/// Akaike's information criterion, corrected for few samples (Hurvich and Tsai, 1989): what is left
/// unexplained, and a price for every coefficient. Residuals below kNegligible count as that.
double corrected_akaike(const Design& design, const Eigen::VectorXd& coefficients,
                        Weights weights) {
  const auto n = static_cast<double>(design.measured.size());
  const double k = static_cast<double>(coefficients.size()) + 1;  // and the deviation
  if (n - k - 1 <= 0) {
    return std::numeric_limits<double>::infinity();
  }
  Eigen::ArrayXd residuals = design.measured - design.columns * coefficients;
  double least = 0;
  if (weights == Weights::relative) {
    residuals /= design.measured.array().max(1e-9);
    least = kNegligible * kNegligible;
  }
  const double variance = residuals.square().sum() / n;
  return n * std::log(std::max(variance, least)) + 2 * k + 2 * k * (k + 1) / (n - k - 1);
}

struct Candidate {
  const TrialForm* form = nullptr;
  std::vector<double> extrapolated;  ///< errors of the rolling trials; empty if there are none
  std::vector<double> left_out;
  double akaike = 0;
};

/// Keeps those whose errors are as good as the least.
template <class Errors>
void keep_as_good(std::vector<Candidate>& candidates, Errors errors) {
  const auto least = std::min_element(candidates.begin(), candidates.end(),
                                      [&](const Candidate& a, const Candidate& b) {
                                        return mean_of(a.*errors) < mean_of(b.*errors);
                                      });
  const std::vector<double> of_least = (*least).*errors;
  std::erase_if(candidates, [&](const Candidate& candidate) {
    return !is_as_good(candidate.*errors, of_least);
  });
}

const Candidate& simplest_of_best(const std::vector<Candidate>& candidates) {
  constexpr double kAsGood = 2;  // of an information criterion (Burnham and Anderson, 2002)
  const auto terms = [](const Candidate& c) { return c.form->form.size(); };
  const Candidate* best = &candidates.front();
  for (const Candidate& c : candidates) {
    if (c.akaike < best->akaike) {
      best = &c;
    }
  }
  if (!std::isfinite(best->akaike)) {  // too few values for a criterion: what predicts best
    return *std::min_element(candidates.begin(), candidates.end(),
                             [](const Candidate& a, const Candidate& b) {
                               return mean_of(a.left_out) < mean_of(b.left_out);
                             });
  }
  const double limit = best->akaike + kAsGood;
  for (const Candidate& c : candidates) {
    const bool is_simpler = terms(c) < terms(*best);
    const bool is_better = terms(c) == terms(*best) && c.akaike < best->akaike;
    if (c.akaike <= limit && (is_simpler || is_better)) {
      best = &c;
    }
  }
  return *best;
}

Rows all_rows(const std::vector<Observation>& observations) {
  Rows rows(observations.size());
  std::iota(rows.begin(), rows.end(), Eigen::Index{0});
  return rows;
}

/// The candidates that can be fitted to the whole and to every part; forms that were refused say
/// why in `last`.
std::vector<Candidate> candidates_of(const std::vector<Observation>& observations,
                                     const std::vector<TrialForm>& forms, Weights weights) {
  const Table table(observations, forms);
  const Spans spans(observations);
  const std::vector<Rows> by_size = rows_by_run_size(observations);
  const std::vector<Trial> rolling = rolling_trials(by_size);
  const std::vector<Trial> leaving_out =
      by_size.size() > 1 ? leave_out_trials(by_size) : std::vector<Trial>{};
  std::vector<Candidate> candidates;
  for (const TrialForm& form : forms) {
    const bool is_constant = form.form.size() == 1 && form.form.front() == Basis();
    if ((!is_constant && by_size.size() < form.form.size() + 1) || !spans.tell(form.form)) {
      continue;
    }
    Candidate candidate{.form = &form,
                        .extrapolated = errors_of(table, rolling, form, weights),
                        .left_out = errors_of(table, leaving_out, form, weights)};
    const Design whole = table.design(form.form, all_rows(observations));
    const auto coefficients = least_squares_coefficients(whole, weights, form.sign);
    if (candidate.left_out.size() > 1 && std::holds_alternative<Eigen::VectorXd>(coefficients)) {
      candidate.akaike = corrected_akaike(whole, std::get<Eigen::VectorXd>(coefficients), weights);
      candidates.push_back(std::move(candidate));
    }
  }
  return candidates;
}

/// The first of `forms` that can be fitted at all, else why the last cannot.
std::variant<BlockFit, Refusal> fit_first_form(const std::vector<Observation>& observations,
                                               const std::vector<TrialForm>& forms,
                                               Weights weights) {
  std::variant<BlockFit, Refusal> result;
  for (const TrialForm& form : forms) {
    result = fit_form(observations, form, weights);
    if (std::holds_alternative<BlockFit>(result)) {
      break;
    }
  }
  return result;
}

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
  // Values within a hundredth are one: halves are never quite even. At most kMostPoints remain, so
  // that many samples cost no more than few.
  constexpr double kSame = 1.01;
  constexpr std::size_t kMostPoints = 48;
  const std::size_t least = ascending.size() / kMostPoints;
  std::vector<BreakPoint> points;
  for (const auto& [quantity, observation] : ascending) {
    if (points.empty() ||
        (quantity > kSame * points.back().quantity && points.back().observations.size() >= least)) {
      points.push_back({.quantity = quantity, .observations = {}});
    }
    points.back().observations.push_back(*observation);
  }
  return points;
}

/// Sums of products over the points before each one, so that any stretch is fitted in no time.
class StretchFits {
 public:
  StretchFits(const std::vector<BreakPoint>& points, const std::vector<TrialForm>& forms,
              Weights weights)
      : forms_(forms) {
    products_.emplace_back();
    for (const BreakPoint& point : points) {
      spans_.emplace_back(point.observations);
      const Table table(point.observations, forms);
      std::vector<Products> next = products_.back();
      next.resize(forms.size());
      for (std::size_t f = 0; f < forms.size(); ++f) {
        const Design design = table.design(forms[f].form, all_rows(point.observations));
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
    double least = std::numeric_limits<double>::infinity();
    for (std::size_t f = 0; f < forms_.size(); ++f) {
      if (!spans.tell(forms_[f].form)) {
        continue;
      }
      const Products& to = products_[static_cast<std::size_t>(end)][f];
      least = std::min(
          least, first == 0
                     ? to.residual_squares()
                     : to.minus(products_[static_cast<std::size_t>(first)][f]).residual_squares());
    }
    return least;
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
};

/// What breaks are looked for in, and the forms of a stretch between them.
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

/// How many sizes of runs a stretch of points has.
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
  constexpr int kLeastRunSizes = 4;
  constexpr std::size_t kMostTerms = 2;
  std::erase_if(forms, [](const TrialForm& trial) { return trial.form.size() > kMostTerms; });
  const std::vector<BreakPoint> points = points_over(over, observations);
  const StretchFits fits(points, forms, weights);
  const RunSizes run_sizes(points);
  const auto last = static_cast<int>(points.size());
  const auto rows = static_cast<double>(observations.size());
  const Breaks breaks =
      best_breaks({.points = last,
                   .least_points = 2,
                   .parameters = 2,
                   // The runs of one size count once, however many ranks and levels they have.
                   .samples = static_cast<double>(run_sizes.count(0, last)),
                   .negligible = weights == Weights::relative ? kNegligible * kNegligible : 0,
                   .residual = [&](int first, int end) {
                     return run_sizes.count(first, end) < kLeastRunSizes
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
std::vector<std::vector<Observation>> stretches_of(const std::string& over,
                                                   const std::vector<double>& breaks,
                                                   const std::vector<Observation>& observations) {
  std::vector<std::vector<Observation>> stretches(breaks.size() + 1);
  for (const Observation& o : observations) {
    const double quantity = quantity_of(over, o.sizes);
    const auto stretch = std::upper_bound(breaks.begin(), breaks.end(), quantity) - breaks.begin();
    stretches[static_cast<std::size_t>(stretch)].push_back(o);
  }
  return stretches;
}

std::variant<SegmentedFit, Refusal> fit_stretches(const Quantity& quantity,
                                                  const std::vector<double>& breaks,
                                                  const std::vector<Observation>& observations,
                                                  Weights weights) {
  std::vector<BlockFit> fits;
  for (const auto& stretch : stretches_of(quantity.over, breaks, observations)) {
    std::vector<TrialForm> forms = quantity.forms;
    std::erase_if(forms, [&](const TrialForm& form) { return form.beyond_break && fits.empty(); });
    auto fitted = fit_best_form(stretch, forms, weights);
    if (auto* refusal = std::get_if<Refusal>(&fitted)) {
      return std::move(*refusal);
    }
    fits.push_back(std::move(std::get<BlockFit>(fitted)));
  }
  return SegmentedFit(quantity.over, breaks, std::move(fits), observations);
}

/// The errors of `fit` at the sizes that are left out, its breaks and forms kept; empty if a
/// stretch cannot be fitted without one.
std::vector<double> left_out_errors(const SegmentedFit& fit,
                                    const std::vector<Observation>& observations, Weights weights) {
  std::vector<double> errors;
  for (const Trial& trial : leave_out_trials(rows_by_run_size(observations))) {
    std::vector<Observation> fitted;
    for (const Eigen::Index i : trial.fitted) {
      fitted.push_back(observations[static_cast<std::size_t>(i)]);
    }
    const auto stretches = fit.breaks.empty() ? std::vector<std::vector<Observation>>{fitted}
                                              : stretches_of(fit.over, fit.breaks, fitted);
    SegmentedFit without = fit;
    for (std::size_t s = 0; s < stretches.size(); ++s) {
      BlockFit& segment = without.segments[s];
      const std::vector<TrialForm> form = {{segment.form, Sign::any}};
      const auto coefficients = least_squares_coefficients(
          Table(stretches[s], form).design(segment.form, all_rows(stretches[s])), weights,
          segment.fit.coefficients.minCoeff() < 0 ? Sign::any : Sign::non_negative);
      if (!std::holds_alternative<Eigen::VectorXd>(coefficients)) {
        return {};
      }
      segment.fit.coefficients = std::get<Eigen::VectorXd>(coefficients);
    }
    double sum = 0;
    for (const Eigen::Index i : trial.tested) {
      const Observation& o = observations[static_cast<std::size_t>(i)];
      sum += symmetric_error(without(o.sizes), o.value);
    }
    errors.push_back(sum / static_cast<double>(trial.tested.size()));
  }
  return errors;
}

}  // namespace

std::variant<BlockFit, Refusal> fit_best_form(const std::vector<Observation>& observations,
                                              const std::vector<TrialForm>& forms,
                                              Weights weights) {
  assert(!forms.empty());
  std::vector<Candidate> candidates = candidates_of(observations, forms, weights);
  while (!candidates.empty()) {
    std::vector<Candidate> remaining = candidates;
    // A single trial does not tell a good form from a lucky one.
    if (std::any_of(remaining.begin(), remaining.end(),
                    [](const Candidate& c) { return c.extrapolated.size() > 1; })) {
      std::erase_if(remaining, [](const Candidate& c) { return c.extrapolated.empty(); });
      keep_as_good(remaining, &Candidate::extrapolated);
    }
    keep_as_good(remaining, &Candidate::left_out);
    const Candidate& best = simplest_of_best(remaining);
    auto result = fit_form(observations, *best.form, weights);
    if (auto* fit = std::get_if<BlockFit>(&result)) {
      fit->left_out_smape = mean_of(best.left_out);
      if (!best.extrapolated.empty()) {
        fit->extrapolated_smape = mean_of(best.extrapolated);
      }
      return result;
    }
    std::erase_if(candidates, [&](const Candidate& c) { return c.form == best.form; });
  }
  // Nothing to compare, as with one size only.
  return fit_first_form(observations, forms, weights);
}

std::variant<SegmentedFit, Refusal> fit_segmented(const std::vector<Observation>& observations,
                                                  const std::vector<TrialForm>& forms,
                                                  Weights weights) {
  auto one = fit_best_form(observations, forms, weights);
  if (auto* refusal = std::get_if<Refusal>(&one)) {
    return std::move(*refusal);
  }
  SegmentedFit best("", {}, {std::move(std::get<BlockFit>(one))}, observations);
  std::vector<double> best_errors = left_out_errors(best, observations, weights);
  for (const Quantity& quantity : quantities_of(varying_sizes(observations), forms)) {
    const std::vector<double> breaks =
        find_breaks(quantity.over, observations, quantity.forms, weights);
    if (breaks.empty() || best_errors.empty()) {
      continue;
    }
    auto fitted = fit_stretches(quantity, breaks, observations, weights);
    if (auto* segmented = std::get_if<SegmentedFit>(&fitted)) {
      std::vector<double> errors = left_out_errors(*segmented, observations, weights);
      const auto more_breaks = static_cast<double>(std::ssize(breaks) - std::ssize(best.breaks));
      if (!errors.empty() &&
          mean_of(errors) < std::pow(kWorthABreak, more_breaks) * mean_of(best_errors)) {
        best = std::move(*segmented);
        best_errors = std::move(errors);
      }
    }
  }
  return best;
}

}  // namespace cleave
