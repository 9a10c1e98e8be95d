// SPDX-License-Identifier: Apache-2.0
#include "models/selection.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <cstddef>
#include <limits>
#include <utility>

#include "models/interval.hpp"
#include "models/trials.hpp"

namespace cleave::models {

namespace {

/// Mean symmetric error of each trial; empty if the form cannot be fitted in one of them.
std::vector<double> errors_of(const BasisValues& values, const std::vector<Trial>& trials,
                              const TrialForm& form, Weights weights) {
  std::vector<double> errors;
  for (const Trial& trial : trials) {
    const auto fitted =
        least_squares_coefficients(values.design(form.form, trial.fitted), weights, form.sign);
    const auto* coefficients = std::get_if<Eigen::VectorXd>(&fitted);
    if (coefficients == nullptr) {
      return {};
    }
    const Design test = values.design(form.form, trial.tested);
    const Eigen::VectorXd predicted = test.columns * *coefficients;
    double sum = 0;
    for (Eigen::Index i = 0; i < predicted.size(); ++i) {
      sum += symmetric_error(predicted[i], test.measured[i]);
    }
    errors.push_back(sum / static_cast<double>(predicted.size()));
  }
  return errors;
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
  // Of every value with relative weights, else of their root mean square.
  const Eigen::ArrayXd scales =
      weights == Weights::relative
          ? Eigen::ArrayXd(design.measured.array().max(1e-9))
          : Eigen::ArrayXd::Constant(design.measured.size(), design.measured.norm() / std::sqrt(n));
  const Eigen::ArrayXd residuals =
      (design.measured - design.columns * coefficients).array() / scales.max(1e-300);
  const double variance = residuals.square().sum() / n;
  return n * std::log(std::max(variance, kNegligible * kNegligible)) + 2 * k +
         2 * k * (k + 1) / (n - k - 1);
}

struct Candidate {
  const TrialForm* form = nullptr;
  std::vector<double> extrapolated;  ///< errors of the rolling trials; empty if there are none
  std::vector<double> left_out;
  double akaike = 0;
};

/// Keeps those whose errors are as good as the least, and those that err less than one of these: a
/// small error that is always there is no chance, and all the same better than a large one that may
/// be.
template <class Errors>
void keep_as_good(std::vector<Candidate>& candidates, Errors errors) {
  const auto mean = [&](const Candidate& c) { return mean_of(c.*errors); };
  const auto minimum =
      std::min_element(candidates.begin(), candidates.end(),
                       [&](const Candidate& a, const Candidate& b) { return mean(a) < mean(b); });
  double maximum = mean(*minimum);
  for (const Candidate& candidate : candidates) {
    if (is_as_good(candidate.*errors, (*minimum).*errors)) {
      maximum = std::max(maximum, mean(candidate));
    }
  }
  std::erase_if(candidates, [&](const Candidate& candidate) { return mean(candidate) > maximum; });
}

/// Terms and, of what depends on the ends at a node, logarithms: N log2 N leaving(M/N) goes on
/// steeper than N leaving(M/N), and over few doublings a constant makes up for that.
std::pair<std::size_t, std::ptrdiff_t> complexity_of(const TrialForm& trial) {
  std::ptrdiff_t logarithms = 0;
  if (is_of_ends_at_a_node(trial)) {
    for (const Basis& basis : trial.form) {
      logarithms += std::count_if(
          basis.factors().begin(), basis.factors().end(),
          [](const Basis::Factor& factor) { return factor.function == Basis::Function::log2; });
    }
  }
  return {trial.form.size(), logarithms};
}

const Candidate& simplest_of_best(const std::vector<Candidate>& candidates) {
  constexpr double kAsGood = 2;  // of an information criterion (Burnham and Anderson, 2002)
  const auto complexity = [](const Candidate& c) { return complexity_of(*c.form); };
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
    const bool is_simpler = complexity(c) < complexity(*best);
    const bool is_better = complexity(c) == complexity(*best) && c.akaike < best->akaike;
    if (c.akaike <= limit && (is_simpler || is_better)) {
      best = &c;
    }
  }
  return *best;
}

/// The candidates that can be fitted to the whole and to every part.
std::vector<Candidate> candidates_of(const std::vector<Observation>& observations,
                                     const std::vector<TrialForm>& forms, Weights weights) {
  const BasisValues values(observations, forms);
  const std::vector<Rows> by_size = rows_by_run_size(observations);
  const std::vector<Trial> rolling = rolling_trials(by_size);
  const std::vector<Trial> leaving_out =
      by_size.size() > 1 ? leave_out_trials(by_size) : std::vector<Trial>{};
  std::vector<Candidate> candidates;
  for (const TrialForm& form : forms) {
    const bool is_constant = form.form.size() == 1 && form.form.front() == Basis();
    if (!is_constant && by_size.size() < form.form.size() + 1) {
      continue;
    }
    Candidate candidate{.form = &form,
                        .extrapolated = errors_of(values, rolling, form, weights),
                        .left_out = errors_of(values, leaving_out, form, weights)};
    const Design whole = values.design(form.form, all_rows(observations));
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

}  // namespace cleave::models
