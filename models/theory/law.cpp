// SPDX-License-Identifier: Apache-2.0
#include "models/theory/law.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

#include <cleave/error.hpp>

namespace cleave::models {

namespace {

std::string text_of_power(double power) {
  for (const int whole : {3, 7}) {
    if (power == std::log2(whole)) {
      return fmt::format("^log2({})", whole);
    }
  }
  const double thirds = 3 * power;
  const bool is_third = thirds == std::round(thirds) && power != std::round(power);
  return power == 1 ? "" : is_third ? fmt::format("^{}/3", thirds) : fmt::format("^{}", power);
}

/// Student's t of one hypothesis at some sizes, on the logarithm of value / unit.
struct Opinion {
  double weight = 0;
  double freedom = 1;
  double middle = 0;
  double scale = 0;

  double below(double logarithm) const {
    using Plain = boost::math::policies::policy<boost::math::policies::promote_double<false>>;
    const double t = (logarithm - middle) / scale;
    return std::isnan(t)
               ? 0.5
               : boost::math::cdf(boost::math::students_t_distribution<double, Plain>(freedom), t);
  }
};

/// The opinions of the hypotheses whose value is above 0.
struct Opinions {
  double unit = 0;  ///< the value by the most likely of them
  std::vector<Opinion> all;

  /// The value that has so much probability below; 0 of no opinions.
  double quantile(double probability) const {
    constexpr double kScales = 30;
    constexpr double kMaxLogarithm = 200;  // nothing is known beyond
    const bool is_median = probability == 0.5;
    // The median lies between the medians of the forms.
    const double scales = is_median ? 0 : kScales;
    double low = kMaxLogarithm;
    double high = -kMaxLogarithm;
    double weights = 0;
    for (const Opinion& one : all) {
      low = std::min(low, one.middle - scales * one.scale);
      high = std::max(high, one.middle + scales * one.scale);
      weights += one.weight;
    }
    low = std::max(low, -kMaxLogarithm);
    high = std::min(high, kMaxLogarithm);
    while (high - low > (is_median ? 1e-9 : 1e-7)) {
      const double middle = (low + high) / 2;
      double below = 0;
      for (const Opinion& one : all) {
        below += one.weight * one.below(middle);
      }
      (below < probability * weights ? low : high) = middle;
    }
    return unit * std::exp(low);
  }
};

/// The median f and the scale s sqrt(1 + b + g' C g) with g = x / f, of each form. What its
/// coefficients add counts by its logarithm beyond 1: a value that may be 20 times as much is not
/// known within e^20. What a form misses it misses again for each doubling beyond what was fitted.
Opinions opinions_of(const Law& law, const NamedValues& sizes, int ranks_per_host) {
  Opinions opinions;
  double beyond = 0;
  for (const auto& [name, range] : law.range) {
    const auto size = sizes.find(name);  // which may be no bytes
    const double at = size == sizes.end() ? range.first : std::max(size->second, 1.0);
    beyond += std::log2(std::max({1.0, at / std::max(range.second, 1.0), range.first / at}));
  }
  for (const Hypothesis& h : law.hypotheses) {
    const std::size_t terms = h.form.size();
    std::vector<double> x(terms);
    double alone = 0;
    for (std::size_t i = 0; i < terms; ++i) {
      x[i] = h.form[i](sizes);
      alone += x[i] * h.coefficients[i];
    }
    if (!(alone > 0)) {
      continue;
    }
    double variance = 0;
    for (std::size_t i = 0; i < terms; ++i) {
      for (std::size_t j = 0; j < terms; ++j) {
        variance += x[i] / alone * h.covariance[i * terms + j] * (x[j] / alone);
      }
    }
    const double value = alone * nearest_to(ranks_per_host, h.factors, 1.0);
    opinions.unit = opinions.unit > 0 ? opinions.unit : value;
    const double far = h.deviation * std::sqrt(std::max(0.0, variance));
    opinions.all.push_back({.weight = h.weight,
                            .freedom = h.freedom,
                            .middle = std::log(value / opinions.unit),
                            .scale = std::hypot(h.deviation, h.deviation * std::sqrt(beyond),
                                                far > 1 ? 1 + std::log(far) : far)});
  }
  return opinions;
}

}  // namespace

std::string Basis::text() const {
  std::string text;
  for (const Factor& factor : factors_) {
    text += text.empty() ? "" : "*";
    text += factor.is_log ? fmt::format("log2({})", factor.size) : factor.size;
    text += text_of_power(factor.power);
  }
  return text.empty() ? "1" : text;
}

double Basis::operator()(const NamedValues& sizes) const {
  double product = 1;
  for (const Factor& factor : factors_) {
    const auto found = sizes.find(factor.size);
    if (found == sizes.end()) {
      throw Error(fmt::format("size {} is not known, but {} depends on it", factor.size, text()));
    }
    const double value = factor.is_log ? std::log2(std::max(found->second, 1.0)) : found->second;
    product *= factor.power == 1 ? value : std::pow(value, factor.power);
  }
  return product;
}

std::set<std::string> Basis::sizes() const {
  std::set<std::string> names;
  std::ranges::transform(factors_, std::inserter(names, names.end()), &Factor::size);
  return names;
}

std::vector<std::string> term_names(const Form& form) {
  std::vector<std::string> names;
  std::ranges::transform(form, std::back_inserter(names), &Basis::text);
  return names;
}

std::string text_of(const Form& form) {
  return fmt::format("{}", fmt::join(term_names(form), ","));
}

Ranges ranges_of(const std::vector<Observation>& observations) {
  Ranges ranges;
  for (const Observation& observation : observations) {
    for (const auto& [name, value] : observation.sizes) {
      auto& [minimum, maximum] = ranges.try_emplace(name, value, value).first->second;
      minimum = std::min(minimum, value);
      maximum = std::max(maximum, value);
    }
  }
  return ranges;
}

std::vector<std::string> varying_sizes(const std::vector<Observation>& observations) {
  std::vector<std::string> names;
  for (const auto& [name, range] : ranges_of(observations)) {
    const bool is_in_all = std::ranges::all_of(
        observations, [&, &size = name](const auto& o) { return o.sizes.contains(size); });
    if (range.first < range.second && is_in_all) {
      names.push_back(name);
    }
  }
  return names;
}

std::set<std::string> Law::sizes() const {
  std::set<std::string> names;
  for (const Hypothesis& hypothesis : hypotheses) {
    for (const Basis& term : hypothesis.form) {
      names.merge(term.sizes());
    }
  }
  return names;
}

Estimate Law::at(const NamedValues& sizes, int ranks_per_host) const {
  const Opinions opinions = opinions_of(*this, sizes, ranks_per_host);
  return {opinions.quantile(0.5), opinions.quantile(0.025), opinions.quantile(0.975)};
}

double Law::median(const NamedValues& sizes, int ranks_per_host) const {
  return opinions_of(*this, sizes, ranks_per_host).quantile(0.5);
}

}  // namespace cleave::models
