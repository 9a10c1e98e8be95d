// SPDX-License-Identifier: Apache-2.0
#include "models/theory/fit_law.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <Eigen/LU>
#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include <cleave/trace/median.hpp>

namespace cleave::models {

namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

// Chosen on runs of applications of which 30 and 50 % were disturbed (docs/explanation/model.md).
constexpr double kMeanDisturbance = 0.5;  ///< of a disturbed run, on the scale of logarithms
constexpr double kLeastWeight = 1e-3;     ///< of a disturbed row
constexpr int kSteps = 14;
constexpr double kFarBehind = 7;        ///< nats; such forms are left out
constexpr std::size_t kMostForms = 64;  ///< of a law

/// The observations as a fit needs them.
struct Rows {
  ArrayXd values;
  ArrayXd log_quiet;              ///< log of the chance that the row was not disturbed
  ArrayXd log_disturbed;          ///< of the chance that it was
  std::vector<std::size_t> host;  ///< index into `ranks_per_host`
  std::vector<int> ranks_per_host;
  double mean = 0;
  double floor = kFloor;
};

/// The best of a form.
struct FormFit {
  double log_evidence = 0;
  VectorXd coefficients;
  MatrixXd covariance;
  std::vector<double> factors;  ///< by Rows::ranks_per_host
  double variance = 0;
  double quiet_rows = 0;
};

double log_sum(double a, double b) {
  const double larger = std::max(a, b);
  return std::isinf(larger) ? larger : larger + std::log1p(std::exp(std::min(a, b) - larger));
}

/// EM for one form: coefficients with the least relative squares of the quiet rows, a factor for
/// each number of ranks per host, and the chance that each row is quiet.
class Em {
 public:
  Em(const Rows& rows, const MatrixXd& columns, Weights weights, bool is_prescribed)
      : rows_(rows), columns_(columns), weights_(weights), is_prescribed_(is_prescribed) {}

  /// A first look, by a few steps: the logarithm of the evidence, also where a coefficient is
  /// still negative.
  double glance() {
    constexpr int kFewSteps = 3;
    run(kFewSteps);
    return log_evidence();
  }

  /// Nothing where a coefficient is negative, or the rows determine none.
  std::optional<FormFit> fit() {
    run(kSteps);
    return is_sound_ ? std::optional(result()) : std::nullopt;
  }

 private:
  void run(int steps) {
    quiet_ = ArrayXd::Ones(rows_.values.size());
    factors_.assign(rows_.ranks_per_host.size(), 1.0);
    for (int step = 0; step < steps; ++step) {
      solve();
      set_factors();
      set_quiet();
    }
  }

  double log_evidence() const {
    const double ratio = variance_ / (rows_.floor * rows_.floor);
    return evidence_ - 0.5 * kFirmness * (std::log(ratio) + 1 / ratio - 1);
  }

  FormFit result() const {
    return {.log_evidence = log_evidence(),
            .coefficients = coefficients_.cwiseQuotient(lengths_),
            .covariance = lengths_.cwiseInverse().asDiagonal() * covariance_ *
                          lengths_.cwiseInverse().asDiagonal(),
            .factors = factors_,
            .variance = variance_,
            .quiet_rows = quiet_.sum()};
  }

  double factor_of(Index row) const { return factors_[rows_.host[static_cast<std::size_t>(row)]]; }

  /// Coefficients by the rows' weights, and what is left, on the scale of logarithms.
  void solve() {
    MatrixXd relative = columns_;
    for (Index i = 0; i < relative.rows(); ++i) {
      relative.row(i) *= factor_of(i) / rows_.values[i];
    }
    lengths_ = relative.colwise().norm().transpose().array() + 1e-300;
    relative *= lengths_.cwiseInverse().asDiagonal();
    const MatrixXd weighted = quiet_.matrix().asDiagonal() * relative;
    const Index count = relative.cols();
    covariance_ =
        (weighted.transpose() * relative + 1e-12 * MatrixXd::Identity(count, count)).inverse();
    if (is_prescribed_ || weights_ == Weights::ordinary) {
      solve_non_negative(relative);
    } else {
      coefficients_ = covariance_ * weighted.colwise().sum().transpose();
    }
    const VectorXd fitted = relative * coefficients_.cwiseMax(0);
    is_sound_ = coefficients_.minCoeff() > -1e-9 && fitted.minCoeff() > 1e-6 &&
                covariance_.cwiseAbs().maxCoeff() < 1e8;
    coefficients_ = coefficients_.cwiseMax(0);
    residuals_ = -fitted.array().max(1e-6).log();
  }

  void solve_non_negative(const MatrixXd& relative) {
    VectorXd roots = quiet_.sqrt();  // of the rows' weights
    if (weights_ == Weights::ordinary) {
      roots.array() *= rows_.values / rows_.mean;
    }
    coefficients_ = least_squares(roots.asDiagonal() * relative, roots, Sign::non_negative);
  }

  void set_factors() {
    std::vector<double> shifts(factors_.size(), 0);
    std::vector<double> weights(factors_.size(), 1e-12);
    for (Index i = 0; i < residuals_.size(); ++i) {
      const std::size_t host = rows_.host[static_cast<std::size_t>(i)];
      shifts[host] += quiet_[i] * residuals_[i];
      weights[host] += quiet_[i];
    }
    for (std::size_t host = 0; host < shifts.size(); ++host) {
      shifts[host] /= weights[host];
    }
    for (std::size_t host = 1; host < shifts.size(); ++host) {
      factors_[host] *= std::exp(shifts[host] - shifts[0]);
    }
    for (Index i = 0; i < residuals_.size(); ++i) {
      residuals_[i] -= shifts[rows_.host[static_cast<std::size_t>(i)]] - shifts[0];
    }
  }

  /// How likely each row is quiet: N(0, s^2) against an exponential disturbance.
  void set_quiet() {
    const double kHalfLogTwoPi = 0.919;
    variance_ = (kFirmness * rows_.floor * rows_.floor + (quiet_ * residuals_.square()).sum()) /
                (kFirmness + quiet_.sum());
    evidence_ = 0;
    for (Index i = 0; i < residuals_.size(); ++i) {
      const double r = residuals_[i];
      const double quiet =
          rows_.log_quiet[i] - 0.5 * r * r / variance_ - 0.5 * std::log(variance_) - kHalfLogTwoPi;
      const double disturbed = rows_.log_disturbed[i] +
                               (r > 0 ? -std::log(kMeanDisturbance) - r / kMeanDisturbance : -60.0);
      const double both = log_sum(quiet, disturbed);
      evidence_ += both;
      quiet_[i] = std::max(std::exp(quiet - both), kLeastWeight);
    }
  }

  const Rows& rows_;
  const MatrixXd& columns_;
  Weights weights_;
  bool is_prescribed_;
  ArrayXd quiet_;          ///< how likely, by row
  ArrayXd residuals_;      ///< log(measured / fitted)
  VectorXd coefficients_;  ///< of columns of length 1
  VectorXd lengths_;
  MatrixXd covariance_;
  std::vector<double> factors_;
  double variance_ = 0;
  double evidence_ = 0;
  bool is_sound_ = false;
};

Rows rows_of(const std::vector<Observation>& observations, Weights weights) {
  Rows rows;
  const auto count = std::ssize(observations);
  rows.values.resize(count);
  rows.log_quiet.resize(count);
  rows.log_disturbed.resize(count);
  std::set<int> hosts;
  for (const Observation& o : observations) {
    hosts.insert(o.ranks_per_host);
  }
  rows.ranks_per_host.assign(hosts.begin(), hosts.end());
  for (Index i = 0; i < count; ++i) {
    const Observation& o = observations[static_cast<std::size_t>(i)];
    const double disturbed = weights == Weights::ordinary ? 0 : o.disturbed;
    rows.values[i] = o.value;
    rows.log_quiet[i] = std::log1p(-disturbed);
    rows.log_disturbed[i] = std::log(disturbed);
    rows.host.push_back(
        static_cast<std::size_t>(std::distance(hosts.begin(), hosts.find(o.ranks_per_host))));
  }
  rows.mean = rows.values.mean();
  return rows;
}

MatrixXd columns_of(const Form& form, const std::vector<Observation>& observations) {
  MatrixXd columns(std::ssize(observations), std::ssize(form));
  for (Index i = 0; i < columns.rows(); ++i) {
    for (Index j = 0; j < columns.cols(); ++j) {
      columns(i, j) =
          form[static_cast<std::size_t>(j)](observations[static_cast<std::size_t>(i)].sizes);
    }
  }
  return columns;
}

/// Why a prescribed form must not be fitted, if so.
std::optional<Refusal> refuse(const std::vector<Observation>& observations, const Form& form) {
  std::set<NamedSizes> runs;
  for (const Observation& observation : observations) {
    runs.insert(observation.run_sizes);
  }
  if (!is_constant(form) && runs.size() < form.size() + 1) {
    return Refusal{
        fmt::format("runs at {} different {} for {} coefficients ({}): at least {} are needed",
                    runs.size(), runs.size() == 1 ? "size" : "sizes", form.size(),
                    fmt::join(term_names(form), ", "), form.size() + 1)};
  }
  return refuse_dependent(term_names(form), columns_of(form, observations), form.size());
}

/// Orders rows by what they are, so that a law does not depend on the order of files.
void sort(std::vector<Observation>& observations) {
  std::ranges::sort(observations, [](const Observation& a, const Observation& b) {
    return std::tie(a.ranks_per_host, a.sizes, a.value, a.disturbed, a.run_sizes) <
           std::tie(b.ranks_per_host, b.sizes, b.value, b.disturbed, b.run_sizes);
  });
}

/// Keeps the likely ones, and makes their weights add up to 1. \pre  weights are logarithms
void keep_likely(std::vector<Hypothesis>& hypotheses) {
  std::ranges::stable_sort(hypotheses, std::greater(), &Hypothesis::weight);
  const double top = hypotheses.front().weight;
  std::erase_if(hypotheses, [&](const Hypothesis& h) { return h.weight <= top - kFarBehind; });
  hypotheses.resize(std::min(hypotheses.size(), kMostForms));
  double sum = 0;
  for (Hypothesis& h : hypotheses) {
    h.weight = std::exp(h.weight - top);
    sum += h.weight;
  }
  for (Hypothesis& h : hypotheses) {
    h.weight /= sum;
  }
}

/// What the first form leaves.
void set_quality(Law& law, const std::vector<Observation>& observations) {
  const Hypothesis& first = law.hypotheses.front();
  const VectorXd fitted = columns_of(first.form, observations) * first.coefficients;
  double mean = 0;
  for (const Observation& o : observations) {
    mean += o.value / static_cast<double>(observations.size());
  }
  double total = 0;
  double unexplained = 0;
  std::vector<double> relative;
  for (std::size_t i = 0; i < observations.size(); ++i) {
    const Observation& o = observations[i];
    const double residual =
        o.value - fitted[static_cast<Index>(i)] * first.factors.at(o.ranks_per_host);
    total += std::pow(o.value / mean - 1, 2);
    unexplained += std::pow(residual / mean, 2);
    relative.push_back(std::abs(residual) / o.value);
  }
  law.r_squared = total > 0 ? 1 - unexplained / total : (unexplained > 0 ? 0 : 1);
  law.median_abs_relative_residual = detail::median(std::move(relative));
}

}  // namespace

std::function<double(const Form&)> first_look(std::vector<Observation> observations) {
  sort(observations);
  Rows rows = rows_of(observations, Weights::relative);
  return [rows = std::move(rows), observations = std::move(observations)](const Form& form) {
    return Em(rows, columns_of(form, observations), Weights::relative, false).glance();
  };
}

std::variant<Law, Refusal> fit_law(std::vector<Observation> observations,
                                   const std::vector<PricedForm>& forms, Weights weights,
                                   double floor) {
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
  Rows rows = rows_of(observations, weights);
  rows.floor = floor;
  const auto n = static_cast<double>(observations.size());
  Law law{.range = ranges_of(observations)};
  for (const auto& [form, price] : forms) {
    const auto parameters = static_cast<double>(form.size() + rows.ranks_per_host.size() - 1);
    if (parameters >= n && form.size() > 1 && !is_prescribed) {
      continue;
    }
    const MatrixXd columns = columns_of(form, observations);
    const std::optional<FormFit> fit = Em(rows, columns, weights, is_prescribed).fit();
    if (!fit) {
      continue;
    }
    const double log_weight =
        fit->log_evidence - 0.5 * parameters * std::log(std::max(n, 2.0)) - price;
    Hypothesis& hypothesis = law.hypotheses.emplace_back(
        Hypothesis{.form = form,
                   .weight = log_weight,
                   .coefficients = fit->coefficients,
                   .covariance = fit->covariance,
                   .deviation = std::sqrt(fit->variance),
                   .freedom = kFirmness + std::max(fit->quiet_rows - parameters, 0.0)});
    for (std::size_t host = 0; host < fit->factors.size(); ++host) {
      hypothesis.factors[rows.ranks_per_host[host]] = fit->factors[host];
    }
  }
  if (law.hypotheses.empty()) {
    return Refusal{"no form fits what was measured"};
  }
  keep_likely(law.hypotheses);
  set_quality(law, observations);
  return law;
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

}  // namespace cleave::models
