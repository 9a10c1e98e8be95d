// SPDX-License-Identifier: Apache-2.0
#include "models/theory/bound_fit.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

namespace cleave::models {

BoundFit::BoundFit(const Fit& fit, int kind, std::span<const std::string> names)
    : fit_(fit), kind_(fit.kind_for(kind)) {
  const auto place_of = [&](const std::string& name) {
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) {
      throw Error(fmt::format("size {} is not known, but {} depends on it", name, fit.text()));
    }
    return static_cast<std::size_t>(found - names.begin());
  };
  for (const Form& form : fit.forms) {
    std::vector<Term>& terms = forms_.emplace_back();
    for (const Basis& basis : form) {
      Term& term = terms.emplace_back();
      for (const Basis::Factor& factor : basis.factors()) {
        const Curve* curve = factor.curve.get();
        term.push_back({.size = place_of(curve != nullptr ? curve->size : factor.size),
                        .is_log = factor.is_log,
                        .power = factor.power,
                        .curve = curve,
                        .per = curve != nullptr ? place_of(curve->per) : 0});
      }
    }
  }
  for (const std::string& name : names) {
    const auto range = fit.range.find(name);
    ranges_.push_back(range == fit.range.end()
                          ? std::pair(0.0, std::numeric_limits<double>::infinity())
                          : range->second);
  }
}

double BoundFit::operator()(std::span<const double> sizes) const {
  return value(forms_.front(), fit_.coefficients.at(kind_), sizes);
}

double BoundFit::of_replicate(std::size_t i, std::span<const double> sizes) const {
  const Replicate& replicate = fit_.replicates[i];
  return value(forms_[replicate.form], replicate.coefficients.at(kind_), sizes);
}

bool BoundFit::is_outside(std::span<const double> sizes) const {
  constexpr double kSlack = 0.05;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    if (sizes[i] < ranges_[i].first * (1 - kSlack) || sizes[i] > ranges_[i].second * (1 + kSlack)) {
      return true;
    }
  }
  return false;
}

double BoundFit::value(const std::vector<Term>& form, const Eigen::VectorXd& coefficients,
                       std::span<const double> sizes) const {
  double sum = 0;
  for (std::size_t i = 0; i < form.size(); ++i) {
    double product = coefficients[static_cast<Eigen::Index>(i)];
    for (const Factor& factor : form[i]) {
      double size = sizes[factor.size];
      if (factor.curve != nullptr) {
        size = (*factor.curve)(size / std::max(sizes[factor.per], 1e-300));
      } else if (factor.is_log) {
        size = size > 0 ? std::log2(size) : 0;
      }
      product *= factor.power == 1 ? size : std::pow(size, factor.power);
    }
    sum += product;
  }
  return std::max(0.0, sum);
}

}  // namespace cleave::models
