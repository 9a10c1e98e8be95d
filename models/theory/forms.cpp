// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <utility>

#include "models/theory/law.hpp"

namespace cleave::models {

namespace {

// Prices in nats; how they were chosen is in docs/explanation/model.md, "Forms".
constexpr double kConstantBeside = 0.5;
constexpr double kConstantAlone = 1;
constexpr double kFurtherTerm = 1;
constexpr double kOfTwoSizes = 1;
constexpr double kLogarithm = 2;
constexpr double kOfRanks = 1;
constexpr double kCommonPower = 2;
constexpr double kRarePower = 3;
constexpr double kTimesLogarithm = 1;

/// A term and its price.
struct Term {
  Basis basis;  ///< a constant: the size has no part in it
  double price = 0;

  friend bool operator==(const Term&, const Term&) = default;
};
using Terms = std::vector<Term>;

/// The names of the terms, whatever their order.
std::vector<std::string> sorted_names(const Form& form) {
  std::vector<std::string> names = term_names(form);
  std::ranges::sort(names);
  return names;
}

/// Forms, each once whatever the order of its terms.
class FormList {
 public:
  /// Nothing happens if a term comes twice in `form`.
  void add(Form form, double price) {
    std::vector<std::string> names = sorted_names(form);
    if (std::ranges::adjacent_find(names) == names.end() && known_.insert(names).second) {
      forms_.push_back({std::move(form), price});
    }
  }

  /// Alone, and with a constant.
  void add_with_constant(const Form& form, double price) {
    add(form, price);
    Form with = form;
    with.insert(with.begin(), Basis());
    add(std::move(with), price + kConstantBeside);
  }

  /// Fewer terms first, and of as many those that were added first.
  std::vector<PricedForm> take() && {
    std::ranges::stable_sort(forms_, {},
                             [](const PricedForm& priced) { return priced.form.size(); });
    return std::move(forms_);
  }

 private:
  std::vector<PricedForm> forms_;
  std::set<std::vector<std::string>> known_;
};

struct Power {
  double price = 0;
  bool is_of_runs_only = false;
};

/// All but 1.
const std::map<double, Power>& powers() {
  static const std::map<double, Power> kPowers = [] {
    std::map<double, Power> all;
    for (const double p : {1.0 / 2, 3.0 / 2, std::log2(3), 2.0, std::log2(7), 3.0}) {
      all[p] = {kCommonPower};
    }
    for (const double p : {1.0 / 4, 1.0 / 3, 2.0 / 3, 3.0 / 4, 0.9, 1.1, 5.0 / 4, 4.0 / 3, 5.0 / 3,
                           9.0 / 4, 5.0 / 2}) {
      all[p] = {kRarePower};
    }
    for (const double p : {4.0 / 5, 7.0 / 4, 7.0 / 3, 8.0 / 3, 11.0 / 4}) {
      all[p] = {kRarePower, true};
    }
    return all;
  }();
  return kPowers;
}

/// Terms of one size; the first two are S and S log2 S.
Terms terms_of(const std::string& size, const Ranges& ranges, Of of) {
  constexpr double kEnough = 4;
  const auto [minimum, maximum] = ranges.at(size);
  const int logarithms = of == Of::run ? 2 : 1;
  Terms terms = {{power(size, 1), 0}, {power(size, 1, 1), 0}};
  for (int i = 1; i <= logarithms; ++i) {
    terms.push_back({power(size, 0, i), kLogarithm + (i - 1) * kTimesLogarithm});
  }
  if (of == Of::run) {
    terms.push_back({power(size, 1, 2), kRarePower});
  }
  for (const auto& [value, is] : powers()) {
    if ((value <= 1 || maximum >= kEnough * minimum) && (of == Of::run || !is.is_of_runs_only)) {
      for (int i = 0; i <= logarithms; ++i) {
        terms.push_back({power(size, value, i), is.price + i * kTimesLogarithm});
      }
    }
  }
  return terms;
}

/// Terms of the number of ranks, which work falls with and messages rise with; the first is 1 / P.
Terms terms_of_ranks() {
  Terms terms = {{power(kRanksSize, -1), 0},
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

/// A slot for one of some terms, in one of the products that a form adds up.
struct Slot {
  Terms terms;  ///< of one size
  std::size_t product = 0;
};

/// The sum of the products of `terms`, which are at `slots`. The price has that of more factors and
/// products. A size by a power of the ranks that rises is rare: what is told all of them grows with
/// their logarithm.
PricedForm form_of(const Terms& terms, const std::vector<Slot>& slots) {
  std::map<std::size_t, Terms> products;
  for (std::size_t i = 0; i < terms.size(); ++i) {
    if (terms[i] != Term()) {
      products[slots[i].product].push_back(terms[i]);
    }
  }
  PricedForm result{.price =
                        kFurtherTerm * std::max(0.0, static_cast<double>(products.size()) - 1)};
  for (const auto& [product, of_product] : products) {
    std::vector<Basis::Factor> factors;
    result.price += kOfTwoSizes * (static_cast<double>(of_product.size()) - 1);
    for (const Term& term : of_product) {
      const std::vector<Basis::Factor>& own = term.basis.factors();
      const bool rises = own[0].size == kRanksSize && !own[0].is_log && own[0].power > 0;
      result.price += term.price + (rises && of_product.size() > 1 ? kCommonPower : 0);
      factors.insert(factors.end(), own.begin(), own.end());
    }
    result.form.emplace_back(std::move(factors));
  }
  return result;
}

/// Looks for likely forms where there are too many to try them all: one slot after another gets its
/// best term, or none, beside those at the others, until none changes. All forms that are looked at
/// are kept.
class FormSearch {
 public:
  explicit FormSearch(const std::vector<Observation>& observations)
      : look_(first_look(observations)) {}

  /// From `terms`, one a slot; Term() is none. \return  with their distance (Seen::distance)
  std::pair<double, Terms> improve(const std::vector<Slot>& slots, Terms terms) {
    constexpr int kMaxRounds = 6;
    Terms before;
    for (int round = 0; round < kMaxRounds && terms != before; ++round) {
      before = terms;
      for (std::size_t i = 0; i < slots.size(); ++i) {
        terms[i] = best_at(i, slots, terms);
      }
    }
    return {distance_of(terms, slots), terms};
  }

  /// All that were looked at, but at most `count`, the best first.
  std::vector<PricedForm> likeliest(std::size_t count) const {
    std::vector<Seen> all;
    for (const auto& [names, seen] : seen_) {
      if (!names.empty()) {
        all.push_back(seen);
      }
    }
    std::ranges::stable_sort(all, {}, &Seen::distance);
    all.resize(std::min(count, all.size()));
    std::vector<PricedForm> forms;
    std::ranges::transform(all, std::back_inserter(forms), &Seen::form);
    return forms;
  }

 private:
  struct Seen {
    double distance = 0;  ///< in nats: the price, less the evidence beside a constant
    PricedForm form;
  };

  Term best_at(std::size_t slot, const std::vector<Slot>& slots, Terms terms) {
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

  double distance_of(const Terms& terms, const std::vector<Slot>& slots) {
    PricedForm priced = form_of(terms, slots);
    const auto [at, is_new] = seen_.try_emplace(sorted_names(priced.form));
    if (is_new) {
      Form with_constant = priced.form;
      with_constant.insert(with_constant.begin(), Basis());
      at->second = {priced.price - look_(with_constant), std::move(priced)};
    }
    return at->second.distance;
  }

  std::function<double(const Form&)> look_;
  std::map<std::vector<std::string>, Seen> seen_;  ///< by the sorted names of the terms
};

/// Where the second product may start from: nothing; S, log2 P or P; and a product of two of these.
std::vector<Terms> starts(const std::vector<Terms>& own) {
  constexpr std::ptrdiff_t kMaxTerms = 2;
  std::vector<Terms> starts = {Terms(own.size())};
  for (std::size_t size = 0; size < own.size(); ++size) {
    for (std::size_t i = 0, before = starts.size(); i < before; ++i) {
      const auto terms = std::ssize(own) - std::ranges::count(starts[i], Term());
      for (const Term& term : own[size]) {
        if (term.price <= kOfRanks && terms < kMaxTerms) {
          starts.push_back(starts[i]);
          starts.back()[size] = term;
        }
      }
    }
  }
  return starts;
}

/// S and S log2 S; of the number of ranks what is common and does not fall.
std::vector<Terms> simple_terms(std::vector<Terms> own) {
  for (Terms& terms : own) {
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
void add_of_several(FormList& forms, const std::vector<Terms>& own,
                    const std::vector<Observation>& observations) {
  constexpr std::size_t kMaxForms = 400;
  FormSearch search(observations);
  const std::vector<Terms> simple = simple_terms(own);
  std::vector<Slot> sum;
  std::vector<Slot> products;
  Terms first;
  for (const Terms& terms : own) {
    sum.push_back({terms, sum.size()});
    products.push_back({terms, 0});
    first.push_back(terms.front());
  }
  search.improve(sum, Terms(own.size()));
  const auto add_product = [&](std::size_t product) {
    for (const Terms& terms : simple) {
      products.push_back({terms, product});
    }
  };
  add_product(1);
  std::pair<double, Terms> best(std::numeric_limits<double>::infinity(), {});
  for (const Terms& second : starts(simple)) {
    Terms terms = first;
    terms.insert(terms.end(), second.begin(), second.end());
    auto found = search.improve(products, terms);
    if (found.first < best.first) {
      best = std::move(found);
    }
  }
  add_product(2);
  best.second.resize(products.size());
  search.improve(products, best.second);
  for (const PricedForm& likely : search.likeliest(kMaxForms)) {
    forms.add_with_constant(likely.form, likely.price);
  }
}

}  // namespace

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

std::vector<PricedForm> candidate_forms(const std::vector<Observation>& observations, Of of) {
  const Ranges ranges = ranges_of(observations);
  FormList forms;
  forms.add({Basis()}, kConstantAlone);
  std::vector<Terms> own;
  Terms single;
  const std::vector<std::string> varying = varying_sizes(observations);
  for (const std::string& size : varying) {
    for (const std::string& other : varying) {
      if (size != other) {
        single.push_back({Basis({{.size = size}, {.size = other, .is_log = true}}), kOfTwoSizes});
      }
    }
  }
  for (const std::string& size : varying) {
    if (size != kRanksSize) {
      own.push_back(terms_of(size, ranges, of));
      forms.add({own.back()[0].basis, own.back()[1].basis}, kFurtherTerm);
    }
  }
  const bool has_ranks = own.size() < varying.size();
  if (has_ranks) {
    own.push_back(terms_of_ranks());
  }
  for (const Terms& terms : own) {
    single.insert(single.end(), terms.begin(), terms.end());
  }
  for (const Term& term : single) {
    forms.add_with_constant({term.basis}, term.price);
  }
  if (own.size() > 1 || has_ranks) {
    add_of_several(forms, own, observations);
  }
  return std::move(forms).take();
}

std::vector<PricedForm> linear_forms(const std::vector<std::string>& size_names) {
  FormList forms;
  forms.add({Basis()}, kConstantAlone);
  for (const std::string& size : size_names) {
    forms.add_with_constant({power(size, 1)}, 0);
    for (const std::string& other : size_names) {
      forms.add_with_constant({power(size, 1), power(other, 1)}, kFurtherTerm);
    }
  }
  return std::move(forms).take();
}

bool has_paper_forms(const std::vector<std::string>& size_names) {
  return size_names == std::vector<std::string>{"N"} ||
         size_names == std::vector<std::string>{"M", "N"};
}

std::optional<Form> paper_form(detail::Block block, const std::vector<std::string>& size_names) {
  if (!has_paper_forms(size_names)) {
    return std::nullopt;
  }
  const bool is_graph = size_names.size() == 2;
  const Basis n = power("N", 1);
  switch (block) {
    case detail::Block::divide:
      return Form{Basis(), is_graph ? power("M", 1) : n};
    case detail::Block::combine:
      return Form{Basis(), n};
    case detail::Block::sequential:
      return is_graph ? Form{Basis(), n, power("M", 1)} : Form{Basis(), n};
    default:
      return std::nullopt;
  }
}

}  // namespace cleave::models
