// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <tuple>

#include <cleave/trace.hpp>

#include "models/theory/law.hpp"

namespace cleave::models {

Columns columns_of(const Form& form, const std::vector<Observation>& observations) {
  Columns columns;
  for (const Basis& term : form) {
    std::ranges::transform(observations, std::back_inserter(columns.emplace_back()), term,
                           &Observation::sizes);
  }
  return columns;
}

std::optional<Refusal> refuse_dependent(const Form& form,
                                        const std::vector<Observation>& observations,
                                        std::size_t wanted) {
  const std::vector<std::string> names = term_names(form);
  std::vector<std::string> dependent;
  for (const std::size_t column : dependent_columns(columns_of(form, observations), wanted)) {
    dependent.push_back(names[column]);
  }
  return dependent.empty()
             ? std::nullopt
             : std::optional(Refusal{fmt::format(
                   "columns {} are dependent: measure more sizes that vary independently",
                   fmt::join(dependent, " and "))});
}

namespace {

constexpr int kSteps = 14;
constexpr int kStepsOfGlance = 3;
constexpr double kFarBehind = 7;       ///< nats; such forms are left out
constexpr std::size_t kMaxForms = 64;  ///< of a law

/// An observation as a fit needs it.
struct Row {
  double value = 0;
  std::size_t host = 0;  ///< index into Rows::ranks_per_host
};

struct Rows {
  std::vector<Row> all;
  std::vector<int> ranks_per_host;
  double mean = 0;
};

/// The fit of one form: least relative squares and factors of ranks per host, in turns.
class FormFit {
 public:
  FormFit(const Rows& rows, Columns columns, Weights weights, bool is_prescribed, int steps)
      : rows_(rows),
        columns_(std::move(columns)),
        weights_(weights),
        is_prescribed_(is_prescribed),
        residuals_(rows.all.size()),
        ones_(rows.all.size(), 1),
        lengths_(columns_.size()),
        factors_(rows.ranks_per_host.size(), 1) {
    for (int step = 0; step < (factors_.size() > 1 ? steps : 1); ++step) {
      set_coefficients();
      set_factors();
    }
    double squares = kFirmness * kFloor * kFloor;
    for (const double r : residuals_) {
      squares += r * r;
    }
    variance_ = squares / (kFirmness + count());
  }

  /// But for what is the same of all forms.
  double log_evidence() const {
    return -0.5 * (kFirmness + count()) * std::log(variance_ / (kFloor * kFloor));
  }

  /// Nothing where a coefficient is negative, or the rows determine none.
  std::optional<Hypothesis> hypothesis(double parameters) const {
    if (!is_sound_) {
      return std::nullopt;
    }
    Hypothesis h{.coefficients = solution_.coefficients,
                 .covariance = solution_.covariance,
                 .deviation = std::sqrt(variance_),
                 .freedom = kFirmness + std::max(count() - parameters, 0.0)};
    for (std::size_t i = 0; i < lengths_.size(); ++i) {
      h.coefficients[i] /= lengths_[i];
      for (std::size_t j = 0; j < lengths_.size(); ++j) {
        h.covariance[i * lengths_.size() + j] /= lengths_[i] * lengths_[j];
      }
    }
    for (std::size_t host = 0; host < factors_.size(); ++host) {
      h.factors[rows_.ranks_per_host[host]] = factors_[host];
    }
    return h;
  }

 private:
  double count() const { return static_cast<double>(residuals_.size()); }

  /// Coefficients, and what is left, on the scale of logarithms.
  void set_coefficients() {
    Columns relative = columns_;
    for (std::size_t j = 0; j < relative.size(); ++j) {
      double squares = 0;
      for (std::size_t i = 0; i < rows_.all.size(); ++i) {
        relative[j][i] *= factors_[rows_.all[i].host] / rows_.all[i].value;
        squares += relative[j][i] * relative[j][i];
      }
      lengths_[j] = std::sqrt(squares) + 1e-300;
      for (double& x : relative[j]) {
        x /= lengths_[j];
      }
    }
    solution_ = solve(ones_, relative, ones_);
    if (is_prescribed_ || weights_ == Weights::ordinary) {
      std::vector<double> weights = ones_;
      for (std::size_t i = 0; weights_ == Weights::ordinary && i < weights.size(); ++i) {
        weights[i] *= std::pow(rows_.all[i].value / rows_.mean, 2);
      }
      solution_.coefficients = solve_non_negative(weights, relative, ones_);
    }
    double smallest = 0;
    for (double& coefficient : solution_.coefficients) {
      smallest = std::min(smallest, coefficient);
      coefficient = std::max(coefficient, 0.0);
    }
    double smallest_fitted = 1;
    for (std::size_t i = 0; i < residuals_.size(); ++i) {
      double fitted = 0;
      for (std::size_t j = 0; j < relative.size(); ++j) {
        fitted += relative[j][i] * solution_.coefficients[j];
      }
      smallest_fitted = std::min(smallest_fitted, fitted);
      residuals_[i] = -std::log(std::max(fitted, 1e-6));
    }
    is_sound_ =
        smallest > -1e-9 && smallest_fitted > 1e-6 &&
        std::ranges::all_of(solution_.covariance, [](double c) { return std::abs(c) < 1e8; });
  }

  void set_factors() {
    std::vector<double> shifts(factors_.size(), 0);
    std::vector<double> counts(factors_.size(), 0);
    for (std::size_t i = 0; i < residuals_.size(); ++i) {
      shifts[rows_.all[i].host] += residuals_[i];
      counts[rows_.all[i].host] += 1;
    }
    const double first = shifts[0] / counts[0];
    for (std::size_t host = 0; host < shifts.size(); ++host) {
      shifts[host] = shifts[host] / counts[host] - first;
      factors_[host] *= std::exp(shifts[host]);
    }
    for (std::size_t i = 0; i < residuals_.size(); ++i) {
      residuals_[i] -= shifts[rows_.all[i].host];
    }
  }

  const Rows& rows_;
  Columns columns_;
  Weights weights_;
  bool is_prescribed_;
  std::vector<double> residuals_;  ///< log(measured / fitted), by row
  std::vector<double> ones_;
  Solution solution_;  ///< of columns of length 1
  std::vector<double> lengths_;
  std::vector<double> factors_;  ///< by Rows::ranks_per_host
  double variance_ = 0;
  bool is_sound_ = false;
};

Rows rows_of(const std::vector<Observation>& observations) {
  std::set<int> hosts;
  for (const Observation& o : observations) {
    hosts.insert(o.ranks_per_host);
  }
  Rows rows{.ranks_per_host = {hosts.begin(), hosts.end()}};
  for (const Observation& o : observations) {
    const auto host = std::distance(hosts.begin(), hosts.find(o.ranks_per_host));
    rows.all.push_back({.value = o.value, .host = static_cast<std::size_t>(host)});
    rows.mean += o.value / static_cast<double>(observations.size());
  }
  return rows;
}

/// Why a prescribed form must not be fitted, if so.
std::optional<Refusal> refuse(const std::vector<Observation>& observations, const Form& form) {
  std::set<NamedSizes> runs;
  std::ranges::transform(observations, std::inserter(runs, runs.end()), &Observation::run_sizes);
  if (form != Form{Basis()} && runs.size() < form.size() + 1) {
    return Refusal{
        fmt::format("runs at {} different sizes for {} coefficients ({}): at least {} are needed",
                    runs.size(), form.size(), fmt::join(term_names(form), ", "), form.size() + 1)};
  }
  return refuse_dependent(form, observations, form.size());
}

/// Orders rows by what they are, so that a law does not depend on the order of files.
void sort(std::vector<Observation>& observations) {
  std::ranges::sort(observations, [](const Observation& a, const Observation& b) {
    return std::tie(a.ranks_per_host, a.sizes, a.value, a.run_sizes) <
           std::tie(b.ranks_per_host, b.sizes, b.value, b.run_sizes);
  });
}

/// Keeps the likely ones, and makes their weights add up to 1. \pre  weights are logarithms
void keep_likely(std::vector<Hypothesis>& hypotheses) {
  std::ranges::stable_sort(hypotheses, std::greater(), &Hypothesis::weight);
  const double top = hypotheses.front().weight;
  std::erase_if(hypotheses, [&](const Hypothesis& h) { return h.weight <= top - kFarBehind; });
  hypotheses.resize(std::min(hypotheses.size(), kMaxForms));
  double sum = 0;
  for (Hypothesis& h : hypotheses) {
    h.weight = std::exp(h.weight - top);
    sum += h.weight;
  }
  for (Hypothesis& h : hypotheses) {
    h.weight /= sum;
  }
}

/// The residuals of the first form.
void set_quality(Law& law, const std::vector<Observation>& observations, const Rows& rows) {
  const Hypothesis& first = law.hypotheses.front();
  const Columns columns = columns_of(first.form, observations);
  double total = 0;
  double unexplained = 0;
  std::vector<double> relative;
  for (std::size_t row = 0; row < observations.size(); ++row) {
    const Observation& o = observations[row];
    double residual = o.value;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      residual -= columns[i][row] * first.coefficients[i] * first.factors.at(o.ranks_per_host);
    }
    total += std::pow(o.value / rows.mean - 1, 2);
    unexplained += std::pow(residual / rows.mean, 2);
    relative.push_back(std::abs(residual) / o.value);
  }
  law.r_squared = total > 0 ? 1 - unexplained / total : (unexplained > 0 ? 0 : 1);
  law.median_abs_relative_residual = detail::median(std::move(relative));
}

}  // namespace

std::function<double(const Form&)> first_look(std::vector<Observation> observations) {
  sort(observations);
  Rows rows = rows_of(observations);
  return [rows = std::move(rows), observations = std::move(observations)](const Form& form) {
    return FormFit(rows, columns_of(form, observations), Weights::relative, false, kStepsOfGlance)
        .log_evidence();
  };
}

std::variant<Law, Refusal> fit_law(std::vector<Observation> observations,
                                   const std::vector<PricedForm>& forms, Weights weights) {
  if (observations.empty()) {
    return Refusal{"nothing was measured"};
  }
  const bool is_prescribed = forms.size() == 1;
  if (is_prescribed) {
    if (auto refusal = refuse(observations, forms.front().form)) {
      return *std::move(refusal);
    }
  }
  sort(observations);
  const Rows rows = rows_of(observations);
  const auto n = static_cast<double>(observations.size());
  Law law{.range = ranges_of(observations)};
  for (const auto& [form, price] : forms) {
    const auto parameters = static_cast<double>(form.size() + rows.ranks_per_host.size() - 1);
    if (parameters >= n && form.size() > 1 && !is_prescribed) {
      continue;
    }
    const FormFit fit(rows, columns_of(form, observations), weights, is_prescribed, kSteps);
    if (std::optional<Hypothesis> h = fit.hypothesis(parameters)) {
      h->form = form;
      h->weight = fit.log_evidence() - 0.5 * parameters * std::log(std::max(n, 2.0)) - price;
      law.hypotheses.push_back(*std::move(h));
    }
  }
  if (law.hypotheses.empty()) {
    return Refusal{"no form fits what was measured"};
  }
  keep_likely(law.hypotheses);
  set_quality(law, observations, rows);
  return law;
}

}  // namespace cleave::models
