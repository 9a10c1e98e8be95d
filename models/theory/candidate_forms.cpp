// SPDX-License-Identifier: Apache-2.0
#include "models/theory/candidate_forms.hpp"

#include <algorithm>
#include <limits>

#include "models/theory/fit_law.hpp"
#include "models/theory/form_search.hpp"
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

/// A term of each size, in a product of its own.
std::vector<Slot> sum_of_terms(const TermsOfSizes& own) {
  std::vector<Slot> slots;
  for (const std::vector<Term>& terms : own) {
    slots.push_back({terms, slots.size()});
  }
  return slots;
}

/// Products of a term of each size: work that the ranks share, and others of simple terms, as
/// messages. What is small tells little of its form.
std::vector<Slot> products(const TermsOfSizes& own, const TermsOfSizes& simple, std::size_t count) {
  std::vector<Slot> slots;
  for (std::size_t product = 0; product < count; ++product) {
    for (const std::vector<Term>& terms : product == 0 ? own : simple) {
      slots.push_back({terms, product});
    }
  }
  return slots;
}

/// Where the second product may start from: nothing; S, log2 P or P; and a product of two of these.
std::vector<std::vector<Term>> starts(const TermsOfSizes& own) {
  constexpr std::ptrdiff_t kMostTerms = 2;
  std::vector<std::vector<Term>> starts = {std::vector<Term>(own.size())};
  for (std::size_t size = 0; size < own.size(); ++size) {
    for (std::size_t i = 0, before = starts.size(); i < before; ++i) {
      const auto terms = std::ssize(own) - std::ranges::count(starts[i], Term());
      for (const Term& term : own[size]) {
        const bool is_cheap = term.price <= kOfRanks;
        if (is_cheap && terms < kMostTerms) {
          starts.push_back(starts[i]);
          starts.back()[size] = term;
        }
      }
    }
  }
  return starts;
}

/// S and S log2 S; of the number of ranks what is common and does not fall.
TermsOfSizes simple_terms(TermsOfSizes own) {
  for (std::vector<Term>& terms : own) {
    if (terms.front().basis.sizes().contains(kRanksSize)) {
      std::erase_if(terms, [](const Term& term) {
        return term.price > kCommonPower || term.basis.factors().front().power < 0;
      });
    } else {
      terms.resize(2);
    }
  }
  return own;
}

/// Forms of several sizes, of which there are too many: the likeliest.
void add_of_several(FormList& forms, const TermsOfSizes& own,
                    const std::vector<Observation>& observations) {
  constexpr std::size_t kMost = 400;
  FormSearch search(first_look(observations));
  search.improve(sum_of_terms(own), std::vector<Term>(own.size()));
  const TermsOfSizes simple = simple_terms(own);
  std::vector<Term> first;
  for (const std::vector<Term>& terms : own) {
    first.push_back(terms.front());
  }
  const std::vector<Slot> two_products = products(own, simple, 2);
  FormSearch::Found best{.distance = std::numeric_limits<double>::infinity()};
  for (const std::vector<Term>& second : starts(simple)) {
    std::vector<Term> terms = first;
    terms.insert(terms.end(), second.begin(), second.end());
    FormSearch::Found found = search.improve(two_products, terms);
    if (found.distance < best.distance) {
      best = std::move(found);
    }
  }
  best.terms.resize(3 * own.size());
  search.improve(products(own, simple, 3), best.terms);
  for (const PricedForm& likely : search.likeliest(kMost)) {
    forms.add_with_constant(likely.form, likely.price);
  }
}

/// Every subset of up to three declared terms, alone or with one of the others.
void add_declared(FormList& forms, const std::vector<Basis>& declared,
                  const std::vector<Term>& others) {
  constexpr std::size_t kMost = 3;
  const std::size_t subsets = std::size_t{1} << std::min<std::size_t>(declared.size(), 8);
  for (std::size_t subset = 1; subset < subsets; ++subset) {
    Form form;
    for (std::size_t i = 0; i < declared.size(); ++i) {
      if ((subset >> i & 1U) != 0) {
        form.push_back(declared[i]);
      }
    }
    if (form.size() > kMost) {
      continue;
    }
    const double price = kFurtherTerm * static_cast<double>(form.size() - 1);
    forms.add_with_constant(form, price);
    for (const Term& other : others) {
      Form with = form;
      with.push_back(other.basis);
      forms.add(std::move(with), price + other.price + kFurtherTerm);
    }
  }
}

}  // namespace

std::vector<PricedForm> candidate_forms(const std::vector<Observation>& observations, Of of,
                                        const std::vector<Basis>& declared) {
  const Ranges ranges = ranges_of(observations);
  std::vector<std::string> size_names = varying_sizes(observations);
  std::vector<Term> single = with_log_of_other(size_names);
  const auto ranks = std::ranges::remove(size_names, kRanksSize);
  const bool has_ranks = !ranks.empty();
  size_names.erase(ranks.begin(), ranks.end());
  TermsOfSizes own;
  for (const std::string& size : size_names) {
    own.push_back(terms_of(size, ranges, of));
  }
  for (const std::vector<Term>& of_size : own) {
    single.insert(single.end(), of_size.begin(), of_size.end());
  }
  FormList forms;
  forms.add({Basis()}, kConstantAlone);
  add_declared(forms, declared, single);
  for (const std::vector<Term>& of_size : own) {
    forms.add({of_size[0].basis, of_size[1].basis}, kFurtherTerm);
  }
  if (has_ranks) {
    own.push_back(terms_of_ranks());
    single.insert(single.end(), own.back().begin(), own.back().end());
  }
  for (const Term& term : single) {
    forms.add_with_constant({term.basis}, term.price);
  }
  if (own.size() > 1 || has_ranks) {
    add_of_several(forms, own, observations);
  }
  return std::move(forms).take();
}

}  // namespace cleave::models
