// SPDX-License-Identifier: Apache-2.0
#include "models/theory/catalogue.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

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
constexpr double kMostOfSum = 4;
constexpr double kMostOfPair = 8;  // of two sizes; of more there would be too many

/// A term and its price.
struct Term {
  Basis basis;
  double price = 0;
};

Basis power(const std::string& size, double power, int logarithms = 0) {
  std::vector<Basis::Factor> factors;
  if (power != 0) {
    factors.push_back({.size = size, .power = power});
  }
  if (logarithms > 0) {
    factors.push_back({.size = size, .is_log = true, .power = static_cast<double>(logarithms)});
  }
  return Basis(std::move(factors));
}

/// Forms, each once whatever the order of its terms.
class FormList {
 public:
  void add(Form form, double price) {
    std::vector<std::string> names = term_names(form);
    std::ranges::sort(names);
    const bool has_twice = std::ranges::adjacent_find(names) != names.end();
    if (!has_twice && known_.insert(std::move(names)).second) {
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

/// What the terms are of: a block, or a whole run that nothing is known of but its sizes.
enum class Of { block, run };

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

/// Terms of one size; the first two are S and S log2 S.
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

}  // namespace

bool has_paper_forms(const std::vector<std::string>& size_names) {
  return size_names == std::vector<std::string>{"N"} ||
         size_names == std::vector<std::string>{"M", "N"};
}

std::optional<Form> paper_form(detail::Block block, const std::vector<std::string>& size_names) {
  if (!has_paper_forms(size_names)) {
    return std::nullopt;
  }
  const bool is_graph = size_names.size() == 2;
  switch (block) {
    case detail::Block::divide:
      return is_graph ? parse_form("1,M") : parse_form("1,N");
    case detail::Block::combine:
      return parse_form("1,N");
    case detail::Block::sequential:
      return is_graph ? parse_form("1,N,M") : parse_form("1,N");
    default:
      return std::nullopt;
  }
}

std::vector<PricedForm> prescribed(Form form) { return {{std::move(form), 0}}; }

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

namespace {

/// A term of each of some sizes.
struct Choice {
  Form form;
  double price = 0;
};

/// One term of each of two sizes, or of three where there are no more, whose prices are at most
/// `most` together.
std::vector<Choice> choices_of(const std::vector<std::vector<Term>>& own, double most) {
  const std::size_t sizes = own.size() > 3 ? 2 : 3;
  std::vector<Choice> all = {{}};
  for (const std::vector<Term>& of_size : own) {
    for (std::size_t i = 0, before = all.size(); i < before; ++i) {
      for (const Term& term : of_size) {
        if (all[i].form.size() < sizes && all[i].price + term.price <= most) {
          Choice choice = all[i];
          choice.form.push_back(term.basis);
          choice.price += term.price;
          all.push_back(std::move(choice));
        }
      }
    }
  }
  std::erase_if(all, [](const Choice& choice) { return choice.form.size() < 2; });
  return all;
}

Basis product_of(const Form& form) {
  std::vector<Basis::Factor> factors;
  for (const Basis& term : form) {
    factors.insert(factors.end(), term.factors().begin(), term.factors().end());
  }
  return Basis(std::move(factors));
}

/// S log2 T, and the product of a term of each of some sizes.
std::vector<Term> products_of(const std::vector<std::string>& size_names,
                              const std::vector<Choice>& choices) {
  std::vector<Term> terms;
  for (const std::string& size : size_names) {
    for (const std::string& other : size_names) {
      if (size != other) {
        terms.push_back({Basis({{.size = size}, {.size = other, .is_log = true}}), kOfTwoSizes});
      }
    }
  }
  for (const Choice& choice : choices) {
    terms.push_back({product_of(choice.form),
                     choice.price + kOfTwoSizes * static_cast<double>(choice.form.size() - 1)});
  }
  return terms;
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

std::vector<PricedForm> candidate_forms(const std::vector<std::string>& size_names,
                                        const Ranges& ranges, const std::vector<Basis>& declared) {
  std::vector<std::vector<Term>> own;
  for (const std::string& size : size_names) {
    own.push_back(terms_of(size, ranges, Of::block));
  }
  std::vector<Term> simple = products_of(size_names, choices_of(own, 0));
  for (const std::vector<Term>& of_size : own) {
    simple.insert(simple.end(), of_size.begin(), of_size.end());
  }
  FormList forms;
  forms.add({Basis()}, kConstantAlone);
  add_declared(forms, declared, simple);
  const double most = own.size() == 2 ? kMostOfPair : own.size() == 3 ? kMostOfSum : 0;
  for (const std::vector<Term>& terms : {simple, products_of(size_names, choices_of(own, most))}) {
    for (const Term& term : terms) {
      forms.add_with_constant({term.basis}, term.price);
    }
  }
  for (const std::vector<Term>& of_size : own) {
    forms.add({of_size[0].basis, of_size[1].basis}, kFurtherTerm);
  }
  for (const Choice& choice : choices_of(own, kMostOfSum)) {
    forms.add_with_constant(
        choice.form, choice.price + kFurtherTerm * static_cast<double>(choice.form.size() - 1));
  }
  return std::move(forms).take();
}

namespace {

/// Work that the ranks share, beside what grows with them, or what each does whole.
void add_shared(FormList& forms, const std::vector<std::vector<Term>>& own,
                const std::vector<Term>& of_ranks) {
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

}  // namespace

std::vector<PricedForm> table_forms(const std::vector<std::string>& size_names,
                                    const Ranges& ranges) {
  std::vector<std::vector<Term>> own;
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
  const std::vector<Choice> choices = choices_of(own, own.size() == 2 ? kMostOfPair : kMostOfSum);
  for (const Term& term : products_of(size_names, choices)) {
    forms.add_with_constant({term.basis}, term.price);
  }
  for (const Choice& choice : choices) {
    forms.add_with_constant(
        choice.form, choice.price + kFurtherTerm * static_cast<double>(choice.form.size() - 1));
  }
  return std::move(forms).take();
}

}  // namespace cleave::models
