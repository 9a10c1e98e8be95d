// SPDX-License-Identifier: Apache-2.0
#include "models/theory/form_search.hpp"

#include <algorithm>
#include <limits>

namespace cleave::models {

namespace {

/// The products of `terms`, which are at `slots`. The price has that of more factors and products.
std::pair<Form, double> form_of(const std::vector<Term>& terms, const std::vector<Slot>& slots) {
  std::map<std::size_t, std::vector<Term>> products;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i] != Term()) {
      products[slots[i].product].push_back(terms[i]);
    }
  }
  Form form;
  double price = kFurtherTerm * std::max(0.0, static_cast<double>(products.size()) - 1);
  for (const auto& [product, of_product] : products) {
    Form factors;
    for (const Term& term : of_product) {
      factors.push_back(term.basis);
    }
    form.push_back(product_of(factors));
    price += price_of_product(of_product);
  }
  return {form, price};
}

}  // namespace

FormSearch::Found FormSearch::improve(const std::vector<Slot>& slots, std::vector<Term> terms) {
  constexpr int kMostRounds = 6;
  std::vector<Term> before;
  for (int round = 0; round < kMostRounds && terms != before; ++round) {
    before = terms;
    for (std::size_t i = 0; i < slots.size(); ++i) {
      terms[i] = best_at(i, slots, terms);
    }
  }
  return {terms, distance_of(terms, slots)};
}

Term FormSearch::best_at(std::size_t slot, const std::vector<Slot>& slots,
                         std::vector<Term> terms) {
  Term best;
  double least = std::numeric_limits<double>::infinity();
  const auto consider = [&](const Term& term) {
    terms[slot] = term;
    if (const double distance = distance_of(terms, slots); distance < least) {
      least = distance;
      best = term;
    }
  };
  consider({});
  std::ranges::for_each(slots[slot].terms, consider);
  return best;
}

double FormSearch::distance_of(const std::vector<Term>& terms, const std::vector<Slot>& slots) {
  auto [form, price] = form_of(terms, slots);
  std::vector<std::string> names = term_names(form);
  std::ranges::sort(names);
  const auto [at, is_new] = seen_.try_emplace(std::move(names));
  if (is_new) {
    Form with_constant = form;
    with_constant.insert(with_constant.begin(), Basis());
    at->second = {price - look_(with_constant), {std::move(form), price}};
  }
  return at->second.distance;
}

std::vector<PricedForm> FormSearch::likeliest(std::size_t most) const {
  std::vector<Seen> all;
  for (const auto& [names, seen] : seen_) {
    if (!seen.form.form.empty()) {
      all.push_back(seen);
    }
  }
  std::ranges::stable_sort(all, {}, &Seen::distance);
  all.resize(std::min(most, all.size()));
  std::vector<PricedForm> forms;
  for (Seen& seen : all) {
    forms.push_back(std::move(seen.form));
  }
  return forms;
}

}  // namespace cleave::models
