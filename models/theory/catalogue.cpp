// SPDX-License-Identifier: Apache-2.0
#include "models/theory/catalogue.hpp"

#include <algorithm>

#include "models/theory/terms.hpp"

namespace cleave::models {

namespace {

// Nats; above these the forms of blocks would be too many.
constexpr double kMostOfSum = 4;
constexpr double kMostOfPair = 8;

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
std::vector<Choice> choices_of(const TermsOfSizes& own, double most) {
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

/// S log2 T, and the product of a term of each of some sizes.
std::vector<Term> products_of(const std::vector<std::string>& size_names,
                              const std::vector<Choice>& choices) {
  std::vector<Term> terms = with_log_of_other(size_names);
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
  TermsOfSizes own;
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

}  // namespace cleave::models
