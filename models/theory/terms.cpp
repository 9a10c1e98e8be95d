// SPDX-License-Identifier: Apache-2.0
#include "models/theory/terms.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace cleave::models {

Basis power(const std::string& size, double power, int logarithms) {
  std::vector<Basis::Factor> factors;
  if (power != 0) {
    factors.push_back({.size = size, .power = power});
  }
  if (logarithms > 0) {
    factors.push_back({.size = size, .is_log = true, .power = static_cast<double>(logarithms)});
  }
  return Basis(std::move(factors));
}

void FormList::add(Form form, double price) {
  std::vector<std::string> names = term_names(form);
  std::ranges::sort(names);
  const bool has_twice = std::ranges::adjacent_find(names) != names.end();
  if (!has_twice && known_.insert(std::move(names)).second) {
    forms_.push_back({std::move(form), price});
  }
}

void FormList::add_with_constant(const Form& form, double price) {
  add(form, price);
  Form with = form;
  with.insert(with.begin(), Basis());
  add(std::move(with), price + kConstantBeside);
}

std::vector<PricedForm> FormList::take() && {
  std::ranges::stable_sort(forms_, {}, [](const PricedForm& priced) { return priced.form.size(); });
  return std::move(forms_);
}

namespace {

struct Power {
  double value = 1;
  double price = 0;
  bool is_of_runs_only = false;
};

const std::array<Power, 22>& powers() {
  static const std::array<Power, 22> kPowers = {{{1.0 / 4, kRarePower},
                                                 {1.0 / 3, kRarePower},
                                                 {1.0 / 2, kCommonPower},
                                                 {2.0 / 3, kRarePower},
                                                 {3.0 / 4, kRarePower},
                                                 {4.0 / 5, kRarePower, true},
                                                 {0.9, kRarePower},
                                                 {1.1, kRarePower},
                                                 {5.0 / 4, kRarePower},
                                                 {4.0 / 3, kRarePower},
                                                 {3.0 / 2, kCommonPower},
                                                 {std::log2(3), kCommonPower},
                                                 {5.0 / 3, kRarePower},
                                                 {7.0 / 4, kRarePower, true},
                                                 {2, kCommonPower},
                                                 {9.0 / 4, kRarePower},
                                                 {7.0 / 3, kRarePower, true},
                                                 {5.0 / 2, kRarePower},
                                                 {8.0 / 3, kRarePower, true},
                                                 {11.0 / 4, kRarePower, true},
                                                 {std::log2(7), kCommonPower},
                                                 {3, kCommonPower}}};
  return kPowers;
}

}  // namespace

std::vector<Term> terms_of(const std::string& size, const Ranges& ranges, Of of) {
  constexpr double kEnough = 4;
  const auto range = ranges.find(size);
  const bool varies =
      range != ranges.end() && range->second.second >= kEnough * range->second.first;
  const int logarithms = of == Of::run ? 2 : 1;
  std::vector<Term> terms = {{power(size, 1), 0}, {power(size, 1, 1), 0}};
  for (int i = 1; i <= logarithms; ++i) {
    terms.push_back({power(size, 0, i), kLogarithm + (i - 1) * kTimesLogarithm});
  }
  if (of == Of::run) {
    terms.push_back({power(size, 1, 2), kRarePower});
  }
  for (const auto& [value, price, is_of_runs_only] : powers()) {
    if ((value <= 1 || varies) && (of == Of::run || !is_of_runs_only)) {
      for (int i = 0; i <= logarithms; ++i) {
        terms.push_back({power(size, value, i), price + i * kTimesLogarithm});
      }
    }
  }
  return terms;
}

std::vector<Term> with_log_of_other(const std::vector<std::string>& size_names) {
  std::vector<Term> terms;
  for (const std::string& size : size_names) {
    for (const std::string& other : size_names) {
      if (size != other) {
        terms.push_back({Basis({{.size = size}, {.size = other, .is_log = true}}), kOfTwoSizes});
      }
    }
  }
  return terms;
}

Basis product_of(const Form& form) {
  std::vector<Basis::Factor> factors;
  for (const Basis& term : form) {
    factors.insert(factors.end(), term.factors().begin(), term.factors().end());
  }
  return Basis(std::move(factors));
}

double price_of_product(const std::vector<Term>& terms) {
  double price = kOfTwoSizes * (static_cast<double>(terms.size()) - 1);
  for (const Term& term : terms) {
    const Basis::Factor& factor = term.basis.factors().front();
    const bool rises = factor.size == kRanksSize && !factor.is_log && factor.power > 0;
    price += term.price + (rises && terms.size() > 1 ? kCommonPower : 0);
  }
  return price;
}

}  // namespace cleave::models
