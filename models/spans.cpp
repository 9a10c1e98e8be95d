// SPDX-License-Identifier: Apache-2.0
#include "models/spans.hpp"

#include <algorithm>

namespace cleave::models {

namespace {

/// The power of `size` in `term`; log2 counts from its square on.
double power_of(const Basis& term, const std::string& size) {
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

}  // namespace

Spans::Spans(const std::vector<Observation>& observations) : ranges_(ranges_of(observations)) {}

void Spans::add(const Spans& other) {
  for (const auto& [name, range] : other.ranges_) {
    extend(ranges_, name, range.first);
    extend(ranges_, name, range.second);
  }
}

bool Spans::tell(const Form& form, const Spans& whole) const {
  constexpr double kEnough = 4;         // for a power
  constexpr double kEnoughRatio = 1.5;  // for what depends on a ratio
  return std::all_of(form.begin(), form.end(), [&](const Basis& term) {
    const bool knows_ratios =
        std::all_of(term.factors().begin(), term.factors().end(), [&](const Basis::Factor& factor) {
          return factor.per.empty() || whole.vary(factor.size + "/" + factor.per, kEnoughRatio);
        });
    if (!knows_ratios) {
      return false;
    }
    double together = 0;
    for (const auto& [name, range] : ranges_) {
      together += power_of(term, name);
    }
    return std::all_of(ranges_.begin(), ranges_.end(), [&](const auto& size) {
      const double power = power_of(term, size.first);
      const bool is_steep =
          power > 1 || (power > 0 && together > 1 && whole.vary(size.first, kEnough));
      return !is_steep || vary(size.first, kEnough);
    });
  });
}

bool Spans::vary(const std::string& name, double enough) const {
  const auto range = ranges_.find(name);
  return range != ranges_.end() && range->second.second >= enough * range->second.first;
}

}  // namespace cleave::models
