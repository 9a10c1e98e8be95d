// SPDX-License-Identifier: Apache-2.0
#include "models/theory/law.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include <cleave/error.hpp>

namespace cleave::models {

namespace {

/// The continued fraction of the incomplete beta function I_x(a, b) (Lentz's method; Press et al.,
/// Numerical Recipes, 6.4).
double beta_fraction(double x, double a, double b) {
  constexpr double kTiny = 1e-30;
  constexpr int kMostSteps = 200;
  const auto inverse = [](double d) { return 1 / (std::abs(d) > kTiny ? d : kTiny); };
  double c = 1;
  double d = inverse(1 - (a + b) * x / (a + 1));
  double fraction = d;
  for (int m = 1; m < kMostSteps; ++m) {
    double n = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = inverse(1 + n * d);
    c = 1 + n / c;
    fraction *= c * d;
    n = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = inverse(1 + n * d);
    c = 1 + n / c;
    fraction *= c * d;
    if (std::abs(c * d - 1) < 1e-12) {
      break;
    }
  }
  return fraction;
}

double log_beta_of(double freedom) {
  return std::lgamma(freedom / 2 + 0.5) - std::lgamma(freedom / 2) - std::lgamma(0.5);
}

/// P(T <= t) of Student's t.
double student_t(double freedom, double log_beta, double t) {
  const double x = freedom / (freedom + t * t);
  const double a = freedom / 2;
  constexpr double b = 0.5;
  double outside = x >= 1 ? 1 : 0;
  if (x > 0 && x < 1) {
    const double front = std::exp(log_beta + a * std::log(x) + b * std::log1p(-x));
    outside = x < (a + 1) / (a + b + 2) ? front * beta_fraction(x, a, b) / a
                                        : 1 - front * beta_fraction(1 - x, b, a) / b;
  }
  return t > 0 ? 1 - outside / 2 : outside / 2;
}

struct Unzipped {
  explicit Unzipped(const NamedValues& sizes) {
    for (const auto& [name, value] : sizes) {
      names.push_back(name);
      values.push_back(value);
    }
  }
  std::vector<std::string> names;
  std::vector<double> values;
};

/// The factor of the number of ranks per host that is nearest, by ratio.
double nearest_factor(const std::map<int, double>& factors, int ranks_per_host) {
  const auto distance = [ranks_per_host](const auto& factor) {
    return std::abs(std::log2(static_cast<double>(factor.first) / ranks_per_host));
  };
  return factors.empty() ? 1 : std::ranges::min_element(factors, {}, distance)->second;
}

}  // namespace

double student_t_quantile(double freedom, double probability) {
  double low = -1e3;
  double high = 1e3;
  while (high - low > 1e-9) {
    const double middle = (low + high) / 2;
    (student_t(freedom, log_beta_of(freedom), middle) < probability ? low : high) = middle;
  }
  return low;
}

Estimate Law::at(const NamedValues& sizes, int ranks_per_host) const {
  const Unzipped all(sizes);
  return BoundLaw(*this, ranks_per_host, all.names).at(all.values);
}

double Law::median(const NamedValues& sizes, int ranks_per_host) const {
  const Unzipped all(sizes);
  return BoundLaw(*this, ranks_per_host, all.names).median(all.values);
}

void Law::multiply(double factor) {
  for (Hypothesis& hypothesis : hypotheses) {
    hypothesis.coefficients *= factor;
    hypothesis.covariance *= factor * factor;
  }
}

BoundLaw::BoundLaw(const Law& law, int ranks_per_host, std::span<const std::string> names) {
  const auto place_of = [&](const std::string& name) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      throw Error(fmt::format("size {} is not known, but {} depends on it", name, law.text()));
    }
    return static_cast<std::size_t>(found - names.begin());
  };
  for (const Hypothesis& hypothesis : law.hypotheses) {
    Part& part = parts_.emplace_back();
    part.hypothesis = &hypothesis;
    part.ranks_per_host_factor = nearest_factor(hypothesis.factors, ranks_per_host);
    part.log_beta = log_beta_of(hypothesis.freedom);
    for (const Basis& basis : hypothesis.form) {
      std::vector<Factor>& term = part.terms.emplace_back();
      for (const Basis::Factor& factor : basis.factors()) {
        term.push_back({.of = &factor,
                        .size = place_of(factor.curve ? factor.curve->size : factor.size),
                        .per = factor.curve ? place_of(factor.curve->per) : 0});
      }
    }
  }
  for (const std::string& name : names) {
    const auto range = law.range.find(name);
    ranges_.push_back(range == law.range.end()
                          ? std::pair(0.0, std::numeric_limits<double>::infinity())
                          : range->second);
  }
}

/// The median f and the scale s sqrt(1 + g' C g) with g = x / f, of one form. The first form's
/// value is the unit of all. What its coefficients add counts by its logarithm beyond 1: a value
/// that may be 20 times as much is not known within e^20.
BoundLaw::Said BoundLaw::said_by(const Part& part, std::span<const double> sizes,
                                 double& unit) const {
  const Hypothesis& hypothesis = *part.hypothesis;
  Eigen::VectorXd x(std::ssize(part.terms));
  for (std::size_t i = 0; i < part.terms.size(); ++i) {
    double product = 1;
    for (const Factor& factor : part.terms[i]) {
      product *= (*factor.of)(sizes[factor.size], sizes[factor.per]);
    }
    x[static_cast<Eigen::Index>(i)] = product;
  }
  const double value = x.dot(hypothesis.coefficients);
  if (!(value > 0)) {
    return {.middle = 0, .scale = 0};
  }
  if (unit == 0) {
    unit = value * part.ranks_per_host_factor;
  }
  x /= value;
  const double far =
      hypothesis.deviation * std::sqrt(std::max(0.0, x.dot(hypothesis.covariance * x)));
  return {.middle = std::log(value * part.ranks_per_host_factor / unit),
          .scale = std::hypot(hypothesis.deviation, far > 1 ? 1 + std::log(far) : far)};
}

/// Of hypotheses whose value is above 0 there; a scale of 0 marks the others.
std::vector<BoundLaw::Said> BoundLaw::all_at(std::span<const double> sizes, double& unit) const {
  unit = 0;
  std::vector<Said> all;
  all.reserve(parts_.size());
  for (const Part& part : parts_) {
    all.push_back(said_by(part, sizes, unit));
  }
  return all;
}

/// The probability that the value is below unit * exp(logarithm).
double BoundLaw::below(const std::vector<Said>& all, double logarithm) const {
  double sum = 0;
  double weights = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (all[i].scale > 0) {
      const Hypothesis& hypothesis = *parts_[i].hypothesis;
      weights += hypothesis.weight;
      sum += hypothesis.weight * student_t(hypothesis.freedom, parts_[i].log_beta,
                                           (logarithm - all[i].middle) / all[i].scale);
    }
  }
  return sum / weights;
}

double BoundLaw::quantile(const std::vector<Said>& all, double probability) const {
  constexpr double kScales = 30;
  constexpr double kMostLogarithm = 200;  // of what is not known at all
  const double kExact = probability == 0.5 ? 1e-9 : 1e-7;
  // The median lies between those of the forms.
  const double scales = probability == 0.5 ? 0 : kScales;
  double low = std::numeric_limits<double>::infinity();
  double high = -low;
  for (const Said& said : all) {
    if (said.scale > 0) {
      low = std::min(low, said.middle - scales * said.scale);
      high = std::max(high, said.middle + scales * said.scale);
    }
  }
  low = std::max(low, -kMostLogarithm);
  high = std::min(high, kMostLogarithm);
  while (high - low > kExact) {
    const double middle = (low + high) / 2;
    (below(all, middle) < probability ? low : high) = middle;
  }
  return low;
}

Estimate BoundLaw::at(std::span<const double> sizes) const {
  double unit = 0;
  const std::vector<Said> all = all_at(sizes, unit);
  if (unit == 0) {
    return {};
  }
  return {.median = unit * std::exp(quantile(all, 0.5)),
          .low = unit * std::exp(quantile(all, 0.025)),
          .high = unit * std::exp(quantile(all, 0.975))};
}

double BoundLaw::median(std::span<const double> sizes) const {
  double unit = 0;
  const std::vector<Said> all = all_at(sizes, unit);
  if (unit == 0 || all.size() == 1) {
    return unit;
  }
  // Groups that were divided alike differ in the last digits only.
  std::vector<float> key(sizes.begin(), sizes.end());
  const auto known = medians_.find(key);
  if (known != medians_.end()) {
    return unit * known->second;
  }
  const double relative = std::exp(quantile(all, 0.5));
  medians_.emplace(std::move(key), relative);
  return unit * relative;
}

bool BoundLaw::is_outside(std::span<const double> sizes) const {
  constexpr double kSlack = 0.05;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < ranges_[i].first * (1 - kSlack) || sizes[i] > ranges_[i].second * (1 + kSlack)) {
      return true;
    }
  }
  return false;
}

}  // namespace cleave::models
