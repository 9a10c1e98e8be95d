// SPDX-License-Identifier: Apache-2.0
#include "models/theory/law.hpp"

#include <algorithm>
#include <cmath>

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

/// The factor of the number of ranks per host that is nearest, by ratio.
double nearest_factor(const std::map<int, double>& factors, int ranks_per_host) {
  const auto distance = [ranks_per_host](const auto& factor) {
    return std::abs(std::log2(static_cast<double>(factor.first) / ranks_per_host));
  };
  return factors.empty() ? 1 : std::ranges::min_element(factors, {}, distance)->second;
}

/// Student's t of one hypothesis at some sizes, on the logarithm of value / unit.
struct Said {
  double weight = 0;
  double freedom = 1;
  double log_beta = 0;
  double middle = 0;
  double scale = 0;
};

/// What the hypotheses of a law whose value is above 0 there say.
struct SaidByAll {
  double unit = 0;  ///< the value by the most likely of them
  std::vector<Said> all;
};

/// The median f and the scale s sqrt(1 + g' C g) with g = x / f, of each form. What its
/// coefficients add counts by its logarithm beyond 1: a value that may be 20 times as much is not
/// known within e^20.
SaidByAll said_by(const Law& law, const NamedValues& sizes, int ranks_per_host) {
  SaidByAll said;
  for (const Hypothesis& h : law.hypotheses) {
    Eigen::VectorXd x(std::ssize(h.form));
    for (Eigen::Index i = 0; i < x.size(); ++i) {
      x[i] = h.form[static_cast<std::size_t>(i)](sizes);
    }
    const double alone = x.dot(h.coefficients);
    if (!(alone > 0)) {
      continue;
    }
    x /= alone;
    const double value = alone * nearest_factor(h.factors, ranks_per_host);
    said.unit = said.unit > 0 ? said.unit : value;
    const double far = h.deviation * std::sqrt(std::max(0.0, x.dot(h.covariance * x)));
    said.all.push_back({.weight = h.weight,
                        .freedom = h.freedom,
                        .log_beta = log_beta_of(h.freedom),
                        .middle = std::log(value / said.unit),
                        .scale = std::hypot(h.deviation, far > 1 ? 1 + std::log(far) : far)});
  }
  return said;
}

/// Which value has so much probability below.
double quantile_of(const SaidByAll& said, double probability) {
  constexpr double kScales = 30;
  constexpr double kMostLogarithm = 200;  // of what is not known at all
  const bool is_median = probability == 0.5;
  if (is_median && said.all.size() == 1) {
    return said.unit;
  }
  // The median lies between those of the forms.
  const double scales = is_median ? 0 : kScales;
  double low = kMostLogarithm;
  double high = -kMostLogarithm;
  double weights = 0;
  for (const Said& one : said.all) {
    low = std::min(low, one.middle - scales * one.scale);
    high = std::max(high, one.middle + scales * one.scale);
    weights += one.weight;
  }
  low = std::max(low, -kMostLogarithm);
  high = std::min(high, kMostLogarithm);
  while (high - low > (is_median ? 1e-9 : 1e-7)) {
    const double middle = (low + high) / 2;
    double below = 0;
    for (const Said& one : said.all) {
      below += one.weight * student_t(one.freedom, one.log_beta, (middle - one.middle) / one.scale);
    }
    (below < probability * weights ? low : high) = middle;
  }
  return said.unit * std::exp(low);
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

std::set<std::string> Law::sizes() const {
  std::set<std::string> names;
  for (const Hypothesis& hypothesis : hypotheses) {
    names.merge(sizes_of(hypothesis.form));
  }
  return names;
}

Estimate Law::at(const NamedValues& sizes, int ranks_per_host) const {
  const SaidByAll said = said_by(*this, sizes, ranks_per_host);
  return said.all.empty() ? Estimate{}
                          : Estimate{.median = quantile_of(said, 0.5),
                                     .low = quantile_of(said, 0.025),
                                     .high = quantile_of(said, 0.975)};
}

double Law::median(const NamedValues& sizes, int ranks_per_host) const {
  const SaidByAll said = said_by(*this, sizes, ranks_per_host);
  return said.all.empty() ? 0 : quantile_of(said, 0.5);
}

bool Law::is_outside(const NamedValues& sizes) const {
  constexpr double kSlack = 0.05;
  return std::ranges::any_of(sizes, [&](const auto& size) {
    const auto found = range.find(size.first);
    return found != range.end() && (size.second < found->second.first * (1 - kSlack) ||
                                    size.second > found->second.second * (1 + kSlack));
  });
}

void Law::multiply(double factor) {
  for (Hypothesis& hypothesis : hypotheses) {
    hypothesis.coefficients *= factor;
    hypothesis.covariance *= factor * factor;
  }
}

}  // namespace cleave::models
