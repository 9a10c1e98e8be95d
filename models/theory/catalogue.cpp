// SPDX-License-Identifier: Apache-2.0
#include "models/theory/catalogue.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

namespace cleave::models {

namespace {

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
  void add(Form form) {
    std::vector<std::string> names = term_names(form);
    std::ranges::sort(names);
    const bool has_twice = std::ranges::adjacent_find(names) != names.end();
    if (!has_twice && known_.insert(std::move(names)).second) {
      forms_.push_back(std::move(form));
    }
  }

  /// Fewer terms first, and of as many those that were added first.
  std::vector<Form> take() && {
    std::ranges::stable_sort(forms_, {}, &Form::size);
    return std::move(forms_);
  }

 private:
  std::vector<Form> forms_;
  std::set<std::vector<std::string>> known_;
};

/// Terms of one size, the most common first.
std::vector<Basis> terms_of(const std::string& size, const Ranges& ranges, bool has_powers) {
  std::vector<Basis> terms = {power(size, 1), power(size, 1, true), power(size, 0.5),
                              power(size, 0.5, true)};
  constexpr double kEnough = 4;
  const auto range = ranges.find(size);
  const bool varies =
      range != ranges.end() && range->second.second >= kEnough * range->second.first;
  if (varies && has_powers) {
    const std::array<double, 5> powers = {1.5, 2, 3, std::log2(3), std::log2(7)};
    for (const double p : powers) {
      terms.push_back(power(size, p));
      terms.push_back(power(size, p, true));
    }
  }
  return terms;
}

/// The declared terms, and each times the logarithm of the size that it is in proportion to.
std::vector<Basis> with_logarithms(const std::vector<Basis>& declared) {
  std::vector<Basis> terms;
  for (const Basis& term : declared) {
    terms.push_back(term);
    const Basis::Factor& first = term.factors().front();
    const bool has_log = std::ranges::any_of(term.factors(), &Basis::Factor::is_log);
    if (!first.size.empty() && !has_log) {
      std::vector<Basis::Factor> factors = term.factors();
      factors.insert(factors.begin() + 1, {.size = first.size, .is_log = true});
      terms.push_back(Basis(std::move(factors)));
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

std::vector<Form> linear_forms(const std::vector<std::string>& size_names) {
  FormList forms;
  forms.add({Basis()});
  for (const std::string& size : size_names) {
    forms.add({power(size, 1)});
    forms.add({Basis(), power(size, 1)});
    for (const std::string& other : size_names) {
      forms.add({power(size, 1), power(other, 1)});
      forms.add({Basis(), power(size, 1), power(other, 1)});
    }
  }
  return std::move(forms).take();
}

namespace {

/// Terms of each size and of every two.
std::vector<Basis> terms_of_all(const std::vector<std::string>& size_names, const Ranges& ranges,
                                bool has_powers) {
  std::vector<Basis> terms;
  for (const std::string& size : size_names) {
    for (Basis& term : terms_of(size, ranges, has_powers)) {
      terms.push_back(std::move(term));
    }
    for (const std::string& other : size_names) {
      if (other != size) {
        terms.push_back(Basis({{.size = size}, {.size = other, .is_log = true}}));
        terms.push_back(Basis({{.size = size}, {.size = other, .power = 0.5}}));
      }
      if (size < other) {
        terms.push_back(Basis({{.size = size}, {.size = other}}));
      }
    }
  }
  return terms;
}

/// Each term, without and with a constant.
void add_alone(FormList& forms, const std::vector<Basis>& terms) {
  for (const Basis& term : terms) {
    forms.add({term});
    forms.add({Basis(), term});
  }
}

/// Up to three declared terms, or up to two and one of the others.
void add_declared(FormList& forms, const std::vector<Basis>& own, const std::vector<Basis>& terms) {
  for (std::size_t i = 0; i < own.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      forms.add({own[j], own[i]});
      forms.add({Basis(), own[j], own[i]});
      for (const Basis& term : terms) {
        forms.add({own[j], own[i], term});
      }
      for (std::size_t k = 0; k < j; ++k) {
        forms.add({own[k], own[j], own[i]});
        forms.add({Basis(), own[k], own[j], own[i]});
      }
    }
    for (const Basis& term : terms) {
      forms.add({own[i], term});
      forms.add({Basis(), own[i], term});
    }
  }
}

/// Two terms; of one size only where one of them is the size itself.
void add_pairs(FormList& forms, const std::vector<Basis>& terms) {
  const auto is_plain = [](const Basis& term) {
    return term.factors().front().power == 1 && term.sizes().size() == 1;
  };
  for (std::size_t i = 0; i < terms.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      const bool is_of_one_size = terms[i].sizes() == terms[j].sizes();
      if (!is_of_one_size || is_plain(terms[j]) || is_plain(terms[i])) {
        forms.add({terms[j], terms[i]});
      }
      if (!is_of_one_size) {
        forms.add({Basis(), terms[j], terms[i]});
      }
    }
  }
}

}  // namespace

std::vector<Form> candidate_forms(const std::vector<std::string>& size_names, const Ranges& ranges,
                                  const std::vector<Basis>& declared, bool has_powers) {
  const std::vector<Basis> terms = terms_of_all(size_names, ranges, has_powers);
  const std::vector<Basis> own = with_logarithms(declared);
  FormList forms;
  forms.add({Basis()});
  add_alone(forms, own);
  add_alone(forms, terms);
  add_declared(forms, own, terms);
  add_pairs(forms, terms);
  return std::move(forms).take();
}

}  // namespace cleave::models
