#include "models/block_fit.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>
#include <numeric>
#include <set>

#include "models/statistics.hpp"

namespace cleave {

namespace {

std::size_t count_run_sizes(const std::vector<Observation>& observations) {
  std::set<NamedSizes> sizes;
  for (const Observation& observation : observations) {
    sizes.insert(observation.run_sizes);
  }
  return sizes.size();
}

Design design_of(const std::vector<Observation>& observations, const Form& form) {
  const auto rows = static_cast<Eigen::Index>(observations.size());
  Design design{.names = term_names(form),
                .columns = {rows, static_cast<Eigen::Index>(form.size())},
                .measured = Eigen::VectorXd(rows)};
  for (Eigen::Index i = 0; i < rows; ++i) {
    const Observation& observation = observations[static_cast<std::size_t>(i)];
    for (std::size_t j = 0; j < form.size(); ++j) {
      design.columns(i, static_cast<Eigen::Index>(j)) = form[j](observation.sizes);
    }
    design.measured[i] = observation.value;
  }
  return design;
}

/// |a - b| relative to their mean.
double symmetric_error(double a, double b) {
  const double scale = (std::abs(a) + std::abs(b)) / 2;
  return scale == 0 ? 0 : std::abs(a - b) / scale;
}

/// Mean SMAPE of each size when it is left out; empty if the form cannot be fitted without it.
std::vector<double> left_out_errors(const std::vector<Observation>& observations,
                                    const TrialForm& trial, Weights weights) {
  std::map<NamedSizes, std::vector<Observation>> by_size;
  for (const Observation& observation : observations) {
    by_size[observation.run_sizes].push_back(observation);
  }
  std::vector<double> errors;
  for (const auto& [left_out, tests] : by_size) {
    std::vector<Observation> rest;
    for (const auto& [size, of_size] : by_size) {
      if (size != left_out) {
        rest.insert(rest.end(), of_size.begin(), of_size.end());
      }
    }
    const auto fitted =
        least_squares_coefficients(design_of(rest, trial.form), weights, trial.sign);
    const auto* coefficients = std::get_if<Eigen::VectorXd>(&fitted);
    if (coefficients == nullptr) {
      return {};
    }
    const Design test = design_of(tests, trial.form);
    const Eigen::VectorXd predicted = test.columns * *coefficients;
    double sum = 0;
    for (Eigen::Index i = 0; i < predicted.size(); ++i) {
      sum += symmetric_error(predicted[i], test.measured[i]);
    }
    errors.push_back(sum / static_cast<double>(tests.size()));
  }
  return errors;
}

double mean_of(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// A difference of relative errors that no measurement tells from nothing.
constexpr double kNegligible = 1e-3;

/// Whether errors `a` exceed errors `b` of the same sizes by no more than one standard error of
/// their mean difference, or by next to nothing.
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
  return mean <= std::max(kNegligible, std::sqrt(squares / (n - 1) / n));
}

/// Akaike's information criterion, corrected for few samples (Hurvich and Tsai, 1989): what is left
/// unexplained, and a price for every coefficient. Residuals below kNegligible count as that.
double corrected_akaike(const LinearFit& fit) {
  const auto n = static_cast<double>(fit.residuals.size());
  const double k = static_cast<double>(fit.coefficients.size()) + 1;  // and the deviation
  if (n - k - 1 <= 0) {
    return std::numeric_limits<double>::infinity();
  }
  const double variance =
      fit.residual_deviation * fit.residual_deviation * fit.degrees_of_freedom / n;
  const double least = fit.weights == Weights::relative ? kNegligible * kNegligible : 0;
  return n * std::log(std::max(variance, least)) + 2 * k + 2 * k * (k + 1) / (n - k - 1);
}

}  // namespace

Eigen::VectorXd BlockFit::row(const NamedValues& sizes) const {
  Eigen::VectorXd values(static_cast<Eigen::Index>(form.size()));
  for (std::size_t j = 0; j < form.size(); ++j) {
    values[static_cast<Eigen::Index>(j)] = form[j](sizes);
  }
  return values;
}

double BlockFit::operator()(const NamedValues& sizes) const {
  return row(sizes).dot(fit.coefficients);
}

std::variant<BlockFit, Refusal> fit_form(const std::vector<Observation>& observations,
                                         const TrialForm& trial, Weights weights) {
  const Form& form = trial.form;
  const bool is_constant = form.size() == 1 && form.front() == Basis();
  const std::size_t sizes = count_run_sizes(observations);
  if (!is_constant && sizes < form.size() + 1) {
    return Refusal{
        fmt::format("runs at {} different {} for {} coefficients ({}): at least {} are needed",
                    sizes, sizes == 1 ? "size" : "sizes", form.size(),
                    fmt::join(term_names(form), ", "), form.size() + 1)};
  }
  auto result = least_squares(design_of(observations, form), weights, trial.sign);
  if (auto* refusal = std::get_if<Refusal>(&result)) {
    return std::move(*refusal);
  }
  BlockFit fitted{.form = form, .fit = std::move(std::get<LinearFit>(result))};
  for (const Observation& observation : observations) {
    for (const auto& [name, value] : observation.sizes) {
      const auto [range, is_new] = fitted.fitted_range.try_emplace(name, value, value);
      range->second.first = std::min(range->second.first, value);
      range->second.second = std::max(range->second.second, value);
    }
  }
  const auto is_positive = [&](const Observation& observation) {
    return fitted(observation.sizes) > 0;
  };
  if (trial.sign == Sign::any &&
      !std::all_of(observations.begin(), observations.end(), is_positive)) {
    return Refusal{fmt::format("{} gives no positive time at some of the sizes measured",
                               fmt::join(term_names(form), ", "))};
  }
  return fitted;
}

std::variant<BlockFit, Refusal> fit_best_form(const std::vector<Observation>& observations,
                                              const std::vector<TrialForm>& forms,
                                              Weights weights) {
  assert(!forms.empty());
  struct Candidate {
    BlockFit fit;
    std::vector<double> errors;  ///< by size left out

    double error() const { return *fit.left_out_smape; }
  };
  std::vector<Candidate> candidates;
  Refusal last;
  for (const TrialForm& form : forms) {
    auto result = fit_form(observations, form, weights);
    if (auto* refusal = std::get_if<Refusal>(&result)) {
      last = std::move(*refusal);
      continue;
    }
    std::vector<double> errors = left_out_errors(observations, form, weights);
    if (errors.size() > 1) {
      candidates.push_back({std::move(std::get<BlockFit>(result)), std::move(errors)});
      candidates.back().fit.left_out_smape = mean_of(candidates.back().errors);
    }
  }
  if (candidates.empty()) {
    // Nothing to compare, as with one size only: the first form that can be fitted at all.
    for (const TrialForm& form : forms) {
      auto result = fit_form(observations, form, weights);
      if (std::holds_alternative<BlockFit>(result)) {
        return result;
      }
    }
    return last;
  }
  const Candidate& least = *std::min_element(
      candidates.begin(), candidates.end(),
      [](const Candidate& a, const Candidate& b) { return a.error() < b.error(); });
  const std::vector<double> least_errors = least.errors;
  std::erase_if(candidates, [&](const Candidate& candidate) {
    return !is_as_good(candidate.errors, least_errors);
  });
  return std::min_element(candidates.begin(), candidates.end(),
                          [](const Candidate& a, const Candidate& b) {
                            return corrected_akaike(a.fit.fit) < corrected_akaike(b.fit.fit);
                          })
      ->fit;
}

std::vector<std::string> varying_sizes(const std::vector<Observation>& observations) {
  std::map<std::string, std::set<double>> values;
  std::map<std::string, std::size_t> count;
  for (const Observation& observation : observations) {
    for (const auto& [name, value] : observation.sizes) {
      values[name].insert(value);
      ++count[name];
    }
  }
  std::vector<std::string> names;
  for (const auto& [name, of_name] : values) {
    if (of_name.size() > 1 && count[name] == observations.size()) {
      names.push_back(name);
    }
  }
  return names;
}

}  // namespace cleave
