// SPDX-License-Identifier: Apache-2.0
#include "models/basis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <boost/math/special_functions/lambert_w.hpp>
#include <cctype>
#include <charconv>
#include <cmath>

#include "models/files.hpp"

namespace cleave::models {

namespace {

struct NamedFunction {
  std::string_view name;
  Basis::Function function;
};

constexpr std::array<NamedFunction, 10> kFunctions = {
    {{"log2", Basis::Function::log2},
     {"none", Basis::Function::none},
     {"hit", Basis::Function::hit},
     {"once", Basis::Function::once},
     {"twice", Basis::Function::twice},
     {"giant", Basis::Function::giant},
     {"outside", Basis::Function::outside},
     {"leaving", Basis::Function::leaving},
     {"outside_half", Basis::Function::outside_half},
     {"joined", Basis::Function::joined}}};

bool is_of_two(Basis::Function function) {
  return function != Basis::Function::identity && function != Basis::Function::log2;
}

/// Reads one basis function from left to right.
class BasisParser {
 public:
  explicit BasisParser(std::string_view text) : text_(text) {}

  Basis parse() {
    if (text_ == "1") {
      return {};
    }
    std::vector<Basis::Factor> factors = {factor()};
    while (at_ < text_.size()) {
      expect('*', "'*', '^' or the end");
      factors.push_back(factor());
    }
    return Basis(std::move(factors));
  }

 private:
  Basis::Factor factor() {
    Basis::Factor factor;
    factor.size = name();
    const auto* const called = std::ranges::find(kFunctions, factor.size, &NamedFunction::name);
    if (called != kFunctions.end() && at_ < text_.size() && text_[at_] == '(') {
      ++at_;
      factor.function = called->function;
      factor.size = name();
      if (is_of_two(factor.function)) {
        expect('/', "'/'");
        factor.per = name();
      }
      expect(')', "')'");
    }
    if (at_ < text_.size() && text_[at_] == '^') {
      ++at_;
      factor.power = power();
    }
    return factor;
  }

  std::string name() {
    const auto is_letter = [](char c) {
      return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    const std::size_t first = at_;
    while (at_ < text_.size() &&
           (is_letter(text_[at_]) ||
            (at_ > first && std::isdigit(static_cast<unsigned char>(text_[at_])) != 0))) {
      ++at_;
    }
    if (at_ == first) {
      fail("a size such as N");
    }
    return std::string(text_.substr(first, at_ - first));
  }

  double power() {
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    if (error != std::errc() || !(value > 0) || value > 10) {
      fail("a power above 0 and at most 10");
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    return value;
  }

  void expect(char wanted, const char* description) {
    if (at_ == text_.size() || text_[at_] != wanted) {
      fail(description);
    }
    ++at_;
  }

  [[noreturn]] void fail(const char* expected) const {
    throw UsageError(fmt::format("'{}' is not a basis function: expected {} at position {}", text_,
                                 expected, at_ + 1));
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

/// The part of the nodes of a random graph that is outside its giant component, c ends at a node.
double outside_giant(double c) {
  // Of u = exp(-c (1 - u)): 1 is a solution, and the only one up to 1.
  return c > 1 ? -boost::math::lambert_w0(-c * std::exp(-c)) / c : 1;
}

/// The part of the nodes that are the least of their component in neither of two such graphs, less
/// the part in the giant component of both. A component is the progeny of a branching process,
/// whose number has the generating function G(z) = z exp(c (G(z) - 1)) (Borel's law), so node t N
/// is the least of its component with probability H = G(1 - t) / (1 - t). This is the integral of
/// (1 - H)^2 over t, less (1 - u)^2.
double joined(double c) {
  constexpr double kSparse = 1e-3;
  if (c < kSparse) {  // where the difference below has few digits
    return c * c / 3;
  }
  const double u = outside_giant(c);
  return (c - 2) * u * u + 2 / c * std::exp(-c) * std::expm1(c * u);
}

/// `function` of `size`, and of `per` where it is of two.
double value_of(Basis::Function function, double size, double per) {
  const double ends = per > 0 ? 2 * size / per : 0;  // at a node
  switch (function) {
    case Basis::Function::identity:
      return size;
    case Basis::Function::log2:
      return size > 0 ? std::log2(size) : 0;
    case Basis::Function::none:
      return std::exp(-ends);
    case Basis::Function::hit:
      return -std::expm1(-ends);
    case Basis::Function::once:
      return ends * std::exp(-ends);
    case Basis::Function::twice:
      return -std::expm1(-ends) - ends * std::exp(-ends);
    case Basis::Function::giant:
      return 1 - outside_giant(ends);
    case Basis::Function::outside:
      return outside_giant(ends);
    case Basis::Function::leaving: {
      const double outside = outside_giant(ends);
      return 1 - outside + ends / 2 * outside * outside;
    }
    case Basis::Function::outside_half:
      return outside_giant(ends / 2);
    case Basis::Function::joined:
      return joined(ends / 2);
  }
  return 0;  // unreachable: all are named
}

}  // namespace

Basis Basis::parse(std::string_view text) { return BasisParser(text).parse(); }

std::string Basis::text() const {
  if (factors_.empty()) {
    return "1";
  }
  std::string text;
  for (const Factor& factor : factors_) {
    text += text.empty() ? "" : "*";
    const auto* const called =
        std::ranges::find(kFunctions, factor.function, &NamedFunction::function);
    text += called == kFunctions.end() ? factor.size
                                       : fmt::format("{}({}{}{})", called->name, factor.size,
                                                     factor.per.empty() ? "" : "/", factor.per);
    text += factor.power == 1 ? "" : fmt::format("^{}", factor.power);
  }
  return text;
}

double Basis::operator()(const NamedValues& sizes) const {
  const auto size_of = [&](const std::string& name) {
    const auto found = sizes.find(name);
    if (found == sizes.end()) {
      throw Error(fmt::format("size {} is not known, but {} depends on it", name, text()));
    }
    return found->second;
  };
  double product = 1;
  for (const Factor& factor : factors_) {
    const double value = value_of(factor.function, size_of(factor.size),
                                  factor.per.empty() ? 0 : size_of(factor.per));
    product *= factor.power == 1 ? value : std::pow(value, factor.power);
  }
  return product;
}

std::set<std::string> Basis::sizes() const {
  std::set<std::string> names;
  for (const Factor& factor : factors_) {
    names.insert(factor.size);
    if (!factor.per.empty()) {
      names.insert(factor.per);
    }
  }
  return names;
}

Form parse_form(std::string_view text) {
  Form form;
  while (true) {
    const auto comma = text.find(',');
    Basis term = Basis::parse(text.substr(0, comma));
    if (std::find(form.begin(), form.end(), term) != form.end()) {
      throw UsageError(fmt::format("term {} is given twice", term.text()));
    }
    form.push_back(std::move(term));
    if (comma == std::string_view::npos) {
      return form;
    }
    text.remove_prefix(comma + 1);
  }
}

std::vector<std::string> term_names(const Form& form) {
  std::vector<std::string> names;
  for (const Basis& term : form) {
    names.push_back(term.text());
  }
  return names;
}

std::string text_of(const Form& form) {
  return fmt::format("{}", fmt::join(term_names(form), ","));
}

}  // namespace cleave::models
