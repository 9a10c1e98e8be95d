// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
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
constexpr double kFurther = 1;  ///< a product, or a factor of one
constexpr double kCommon = 2;
constexpr double kRare = 3;

/// A term and its price.
struct Term {
  Basis basis;  ///< a constant: the size has no part in it
  double price = 0;

  friend bool operator==(const Term&, const Term&) = default;
};
using Terms = std::vector<Term>;

/// Terms of one size; the first two are S and S log2 S.
Terms terms_of(const std::string& size, const Ranges& ranges) {
  static const std::vector<std::pair<double, double>> kPowers = [] {
    std::vector<std::pair<double, double>> all = {{1, 0}, {0, 1}};
    for (const double p : {1.0 / 2, 3.0 / 2, std::log2(3), 2.0, std::log2(7), 3.0}) {
      all.emplace_back(p, kCommon);
    }
    for (const double p : {1.0 / 4, 1.0 / 3, 2.0 / 3, 3.0 / 4, 4.0 / 5, 0.9, 1.1, 5.0 / 4, 4.0 / 3,
                           5.0 / 3, 7.0 / 4, 9.0 / 4, 7.0 / 3, 5.0 / 2, 8.0 / 3, 11.0 / 4}) {
      all.emplace_back(p, kRare);
    }
    return all;
  }();
  constexpr double kEnough = 4;
  const auto [minimum, maximum] = ranges.at(size);
  Terms terms;
  for (const auto& [value, price] : kPowers) {
    for (int i = value == 0 ? 1 : 0; i <= 2; ++i) {
      if (value <= 1 || maximum >= kEnough * minimum) {
        terms.push_back({power(size, value, i), price + (value == 1 && i == 1 ? 0 : i)});
      }
    }
  }
  return terms;
}

/// Terms of the number of ranks: messages rise with them, work falls with them.
Terms terms_of_ranks() {
  return {{power(kRanksSize, 0, 1), 1}, {power(kRanksSize, 1), 1}, {power(kRanksSize, -1), 0}};
}

/// The names of the terms, whatever their order.
std::vector<std::string> sorted_names(const Form& form) {
  std::vector<std::string> names = term_names(form);
  std::ranges::sort(names);
  return names;
}

/// The sum of products; `terms` has one place for each size in each. More of either cost more.
PricedForm form_of(const Terms& terms, std::size_t sizes) {
  PricedForm result;
  for (std::size_t first = 0; first < terms.size(); first += sizes) {
    std::vector<Basis::Factor> factors;
    int count = 0;
    for (std::size_t i = first; i < first + sizes; ++i) {
      if (terms[i] != Term()) {
        const std::vector<Basis::Factor>& own = terms[i].basis.factors();
        factors.insert(factors.end(), own.begin(), own.end());
        result.price += terms[i].price;
        ++count;
      }
    }
    if (count > 0) {
      result.price += kFurther * count;
      result.form.emplace_back(std::move(factors));
    }
  }
  result.price -= result.form.empty() ? 0 : kFurther;
  return result;
}

/// Looks for likely forms of several sizes, which are too many to try them all: one place after
/// another gets its best term, or none, beside those at the others, until none changes. All forms
/// that are looked at are kept.
class FormSearch {
 public:
  FormSearch(const std::vector<Observation>& observations, std::size_t sizes)
      : look_(first_look(observations)), sizes_(sizes) {}

  /// From `terms`, each replaced by one of `choices`. \return  with their distance (Seen::distance)
  std::pair<double, Terms> improve(const std::vector<Terms>& choices, Terms terms) {
    constexpr int kMaxRounds = 6;
    terms.resize(choices.size());
    Terms before;
    for (int round = 0; round < kMaxRounds && terms != before; ++round) {
      before = terms;
      for (std::size_t i = 0; i < choices.size(); ++i) {
        Term best;
        double least = std::numeric_limits<double>::infinity();
        const auto consider = [&](const Term& term) {
          terms[i] = term;
          if (const double distance = distance_of(terms); distance < least) {
            least = distance;
            best = term;
          }
        };
        consider({});
        std::ranges::for_each(choices[i], consider);
        terms[i] = best;
      }
    }
    return {distance_of(terms), terms};
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

  double distance_of(const Terms& terms) {
    PricedForm priced = form_of(terms, sizes_);
    const auto [at, is_new] = seen_.try_emplace(sorted_names(priced.form));
    if (is_new) {
      Form with_constant = priced.form;
      with_constant.insert(with_constant.begin(), Basis());
      at->second = {priced.price - look_(with_constant), std::move(priced)};
    }
    return at->second.distance;
  }

  std::function<double(const Form&)> look_;
  std::size_t sizes_;
  std::map<std::vector<std::string>, Seen> seen_;  ///< by the sorted names of the terms
};

/// The likeliest forms of the sizes that have `own` terms: a sum of a term of each, and up to three
/// products. The second product has the first two terms; it starts from none, one or both.
std::vector<PricedForm> forms_of_several(const std::vector<Terms>& own,
                                         const std::vector<Observation>& observations) {
  constexpr std::size_t kMaxForms = 400;
  FormSearch search(observations, own.size());
  std::vector<Terms> sum(own.size() * own.size());
  std::vector<Terms> products = own;
  std::vector<Terms> starts(1);
  for (std::size_t size = 0; size < own.size(); ++size) {
    sum[size * own.size() + size] = own[size];
    products.emplace_back(own[size].begin(), own[size].begin() + 2);
    starts.front().push_back(own[size].front());
  }
  starts.front().resize(products.size());
  for (std::size_t place = own.size(); place < products.size(); ++place) {
    for (std::size_t i = 0, before = starts.size(); i < before; ++i) {
      const auto terms = std::ssize(products) - std::ranges::count(starts[i], Term());
      for (const Term& term : products[place]) {
        if (term.price <= 1 && terms < std::ssize(own) + 2) {
          starts.push_back(starts[i]);
          starts.back()[place] = term;
        }
      }
    }
  }
  search.improve(sum, {});
  std::pair<double, Terms> best(std::numeric_limits<double>::infinity(), {});
  for (const Terms& start : starts) {
    best = std::min(best, search.improve(products, start),
                    [](const auto& a, const auto& b) { return a.first < b.first; });
  }
  for (const Terms& terms : own) {
    products.emplace_back(terms.begin(), terms.begin() + 2);
  }
  search.improve(products, best.second);
  return search.likeliest(kMaxForms);
}

/// `forms`, each once in any order of its terms, none with a term twice; fewer terms come first.
std::vector<PricedForm> each_once(std::vector<PricedForm> forms) {
  std::set<std::vector<std::string>> known;
  std::erase_if(forms, [&](const PricedForm& priced) {
    const std::vector<std::string> names = sorted_names(priced.form);
    return std::ranges::adjacent_find(names) != names.end() || !known.insert(names).second;
  });
  std::ranges::stable_sort(forms, {}, [](const PricedForm& priced) { return priced.form.size(); });
  return forms;
}

/// Adds `form` alone, and with a constant.
void add_with_constant(std::vector<PricedForm>& forms, Form form, double price) {
  forms.push_back({form, price});
  form.insert(form.begin(), Basis());
  forms.push_back({std::move(form), price + kConstantBeside});
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

std::vector<PricedForm> candidate_forms(const std::vector<Observation>& observations) {
  const Ranges ranges = ranges_of(observations);
  std::vector<PricedForm> forms = {{{Basis()}, kConstantAlone}};
  std::vector<Terms> own;
  const std::vector<std::string> varying = varying_sizes(observations);
  for (const std::string& size : varying) {
    own.push_back(size == kRanksSize ? terms_of_ranks() : terms_of(size, ranges));
    forms.push_back({{own.back()[0].basis, own.back()[1].basis}, kFurther});
    for (const std::string& other : varying) {
      if (size != other) {
        const Basis both({{.size = size}, {.size = other, .is_log = true}});
        add_with_constant(forms, {both}, kFurther);
      }
    }
  }
  for (const Terms& terms : own) {
    for (const Term& term : terms) {
      add_with_constant(forms, {term.basis}, term.price);
    }
  }
  if (own.size() > 1) {
    for (const PricedForm& likely : forms_of_several(own, observations)) {
      add_with_constant(forms, likely.form, likely.price);
    }
  }
  return each_once(std::move(forms));
}

std::vector<PricedForm> linear_forms(const std::vector<std::string>& size_names) {
  std::vector<PricedForm> forms = {{{Basis()}, kConstantAlone}};
  for (const std::string& size : size_names) {
    add_with_constant(forms, {power(size, 1)}, 0);
    for (const std::string& other : size_names) {
      add_with_constant(forms, {power(size, 1), power(other, 1)}, kFurther);
    }
  }
  return each_once(std::move(forms));
}

std::optional<Form> paper_form(detail::Block block, const std::vector<std::string>& size_names) {
  const Basis n = power("N", 1);
  const bool is_graph = size_names == std::vector<std::string>{"M", "N"};
  if (!is_graph && size_names != std::vector<std::string>{"N"}) {
    return std::nullopt;
  }
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
