// SPDX-License-Identifier: Apache-2.0
#include "models/theory/table_forms.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

#include "models/theory/fit_law.hpp"
#include "models/theory/terms.hpp"

namespace cleave::models {

namespace {

/// Terms of the number of ranks, which work falls with and messages rise with; the first is 1 / P.
std::vector<Term> terms_of_ranks() {
  std::vector<Term> terms = {{power(kRanksSize, -1), 0},
                             {power(kRanksSize, 0, 1), kOfRanks},
                             {power(kRanksSize, 1), kOfRanks},
                             {power(kRanksSize, -1, 1), kCommonPower},
                             {power(kRanksSize, 1, 1), kRarePower},
                             {power(kRanksSize, 0, 2), kRarePower}};
  for (const double value : {-1.0 / 2, 1.0 / 2, 2.0}) {
    terms.push_back({power(kRanksSize, value), kCommonPower});
  }
  for (const double value :
       {-3.0 / 4, -2.0 / 3, -1.0 / 3, -1.0 / 4, 1.0 / 4, 1.0 / 3, 2.0 / 3, 3.0 / 4, 3.0 / 2}) {
    terms.push_back({power(kRanksSize, value), kRarePower});
  }
  return terms;
}

/// Work that the ranks share, beside what grows with them, or what each does whole.
void add_shared(FormList& forms, const TermsOfSizes& own, const std::vector<Term>& of_ranks) {
  std::vector<Term> shared;
  std::vector<Term> beside;
  for (const std::vector<Term>& of_size : own) {
    shared.insert(shared.end(), of_size.begin(), of_size.end());
    beside.insert(beside.end(), of_size.begin(), of_size.begin() + 2);
  }
  for (const Choice& choice : choices_of(own, kCommonPower)) {
    shared.push_back({product_of(choice.form), choice.price + kOfTwoSizes});
  }
  if (shared.empty()) {
    shared.push_back({Basis(), 0});
  }
  std::ranges::copy_if(of_ranks, std::back_inserter(beside),
                       [](const Term& term) { return term.price <= kCommonPower; });
  for (const Term& term : shared) {
    const Basis by_ranks = product_of({term.basis, of_ranks.front().basis});
    for (const Term& other : beside) {
      forms.add_with_constant({by_ranks, other.basis}, term.price + other.price + kFurtherTerm);
    }
  }
}

using FirstLook = std::function<double(const Form&)>;

enum class Joined { sum, product };

/// A constant, and the terms as they are `joined`.
Form join(const std::vector<Term>& terms, Joined joined) {
  Form form;
  for (const Term& term : terms) {
    form.push_back(term.basis);
  }
  if (joined == Joined::product) {
    form = {product_of(form)};
  }
  std::erase(form, Basis());
  form.insert(form.begin(), Basis());
  return form;
}

/// `terms`, the likeliest first, where those of the other sizes are as in `all`.
std::vector<Term> by_likelihood(const std::vector<Term>& terms, std::size_t size,
                                std::vector<Term> all, Joined joined, const FirstLook& look) {
  std::vector<std::pair<double, Term>> seen;
  for (const Term& term : terms) {
    all[size] = term;
    seen.emplace_back(term.price - look(join(all, joined)), term);
  }
  std::ranges::stable_sort(seen, {}, &std::pair<double, Term>::first);
  std::vector<Term> sorted;
  for (auto& [distance, term] : seen) {
    sorted.push_back(std::move(term));
  }
  return sorted;
}

/// The likeliest `most` terms of each size: one size after another gets its best term beside the
/// best of the others, until none changes. A size may have no part in it meanwhile.
TermsOfSizes likely_terms(const TermsOfSizes& own, Joined joined, const FirstLook& look,
                          std::size_t most) {
  constexpr int kMostRounds = 6;
  TermsOfSizes likely(own.size());
  std::vector<Term> best(own.size());
  std::vector<Term> before;
  for (int round = 0; round < kMostRounds && best != before; ++round) {
    before = best;
    for (std::size_t size = 0; size < own.size(); ++size) {
      std::vector<Term> terms = own[size];
      terms.emplace_back();
      likely[size] = by_likelihood(terms, size, best, joined, look);
      best[size] = likely[size].front();
      std::erase(likely[size], Term());
      likely[size].resize(std::min(likely[size].size(), most));
    }
  }
  return likely;
}

/// Sums and products of a term of each of several sizes, of which too many are possible: those of
/// the likeliest terms.
void add_of_several(FormList& forms, const std::vector<std::string>& size_names,
                    const TermsOfSizes& own, const std::vector<Observation>& observations) {
  constexpr double kMostChoices = 512;
  const auto most = static_cast<std::size_t>(
      std::lround(std::pow(kMostChoices, 1.0 / static_cast<double>(own.size()))));
  const FirstLook look = first_look(observations);
  for (const Term& term :
       products_of(size_names, choices_of(likely_terms(own, Joined::product, look, most)))) {
    forms.add_with_constant({term.basis}, term.price);
  }
  add_sums(forms, choices_of(likely_terms(own, Joined::sum, look, most)));
}

}  // namespace

std::vector<PricedForm> table_forms(const std::vector<Observation>& observations) {
  const Ranges ranges = ranges_of(observations);
  const std::vector<std::string> size_names = varying_sizes(observations);
  TermsOfSizes own;
  for (const std::string& size : size_names) {
    if (size != kRanksSize) {
      own.push_back(terms_of(size, ranges, Of::run));
    }
  }
  FormList forms;
  forms.add({Basis()}, kConstantAlone);
  for (const std::vector<Term>& of_size : own) {
    forms.add({of_size[0].basis, of_size[1].basis}, kFurtherTerm);
  }
  if (own.size() < size_names.size()) {
    const std::vector<Term> of_ranks = terms_of_ranks();
    add_shared(forms, own, of_ranks);
    own.push_back(of_ranks);
  }
  for (const std::vector<Term>& of_size : own) {
    for (const Term& term : of_size) {
      forms.add_with_constant({term.basis}, term.price);
    }
  }
  if (own.size() > 1) {
    add_of_several(forms, size_names, own, observations);
  }
  return std::move(forms).take();
}

}  // namespace cleave::models
