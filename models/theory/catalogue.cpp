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
constexpr double kCommonPower = 2;
constexpr double kRarePower = 3;
constexpr double kTimesLogarithm = 1;
constexpr double kMostOfSum = 4;
constexpr double kMostOfProduct = 8;  // of two sizes; of more there would be too many

/// A term and its price.
struct Term {
  Basis basis;
  double price = 0;
};

Basis power(const std::string& size, double power, bool times_log = false) {
  std::vector<Basis::Factor> factors = {{.size = size, .power = power}};
  if (times_log) {
    factors.push_back({.size = size, .is_log = true});
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

/// Terms of one size; the first two are S and S log2 S.
std::vector<Term> terms_of(const std::string& size, const Ranges& ranges) {
  struct Power {
    double value;
    double price;
  };
  static const std::array<Power, 17> kPowers = {{{1.0 / 4, kRarePower},
                                                 {1.0 / 3, kRarePower},
                                                 {1.0 / 2, kCommonPower},
                                                 {2.0 / 3, kRarePower},
                                                 {3.0 / 4, kRarePower},
                                                 {0.9, kRarePower},
                                                 {1.1, kRarePower},
                                                 {5.0 / 4, kRarePower},
                                                 {4.0 / 3, kRarePower},
                                                 {3.0 / 2, kCommonPower},
                                                 {std::log2(3), kCommonPower},
                                                 {5.0 / 3, kRarePower},
                                                 {2, kCommonPower},
                                                 {9.0 / 4, kRarePower},
                                                 {5.0 / 2, kRarePower},
                                                 {std::log2(7), kCommonPower},
                                                 {3, kCommonPower}}};
  constexpr double kEnough = 4;
  const auto range = ranges.find(size);
  const bool varies =
      range != ranges.end() && range->second.second >= kEnough * range->second.first;
  std::vector<Term> terms = {{power(size, 1), 0},
                             {power(size, 1, true), 0},
                             {Basis({{.size = size, .is_log = true}}), kLogarithm}};
  for (const auto& [value, price] : kPowers) {
    if (value <= 1 || varies) {
      terms.push_back({power(size, value), price});
      terms.push_back({power(size, value, true), price + kTimesLogarithm});
    }
  }
  return terms;
}

}  // namespace

std::optional<Form> paper_form(detail::Block block, const std::vector<std::string>& size_names) {
  const bool is_graph = size_names == std::vector<std::string>{"M", "N"};
  if (!is_graph && size_names != std::vector<std::string>{"N"}) {
    return std::nullopt;
  }
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
    own.push_back(terms_of(size, ranges));
  }
  std::vector<Term> simple = products_of(size_names, choices_of(own, 0));
  for (const std::vector<Term>& of_size : own) {
    simple.insert(simple.end(), of_size.begin(), of_size.end());
  }
  FormList forms;
  forms.add({Basis()}, kConstantAlone);
  add_declared(forms, declared, simple);
  const double most = own.size() == 2 ? kMostOfProduct : own.size() == 3 ? kMostOfSum : 0;
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

}  // namespace cleave::models
