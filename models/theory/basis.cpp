// SPDX-License-Identifier: Apache-2.0
#include "models/theory/basis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include <cleave/error.hpp>

namespace cleave::models {

namespace {

/// Reads one basis function from left to right.
class BasisParser {
 public:
  BasisParser(std::string_view text, std::span<const Curve> curves)
      : text_(text), curves_(curves) {}

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
    Basis::Factor factor{.size = name()};
    if (factor.size == "log2" && is_next('(')) {
      ++at_;
      factor.is_log = true;
      factor.size = name();
      expect(')', "')'");
    } else if (is_next('(')) {
      factor = {.curve = curve(factor.size)};
    }
    if (is_next('^')) {
      ++at_;
      factor.power = power();
    }
    return factor;
  }

  std::shared_ptr<const Curve> curve(const std::string& called) {
    const auto declared = std::ranges::find(curves_, called, &Curve::name);
    if (declared == curves_.end()) {
      at_ -= called.size();
      fail("a size, log2 or a curve that the application declares");
    }
    ++at_;
    expect(declared->size + "/" + declared->per + ")");
    return std::make_shared<const Curve>(*declared);
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

  /// A number, log2 of one, or a fraction such as 2/3.
  double power() {
    const bool is_log = text_.substr(at_).starts_with("log2(");
    at_ += is_log ? 5 : 0;
    double value = 0;
    const auto [end, error] =
        std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
    const bool is_allowed = std::abs(value) <= 10 && value != 0;
    if (error != std::errc() || !is_allowed || (is_log && value <= 1)) {
      fail("a power of -10 to 10 that is not 0");
    }
    at_ = static_cast<std::size_t>(end - text_.data());
    if (is_log) {
      expect(')', "')'");
      return std::log2(value);
    }
    if (is_next('/')) {
      ++at_;
      double divisor = 0;
      const auto [last, bad] =
          std::from_chars(text_.data() + at_, text_.data() + text_.size(), divisor);
      if (bad != std::errc() || !(divisor >= 1) || divisor > 10) {
        fail("a number of 1 to 10");
      }
      at_ = static_cast<std::size_t>(last - text_.data());
      value /= divisor;
    }
    return value;
  }

  bool is_next(char c) const { return at_ < text_.size() && text_[at_] == c; }

  void expect(char wanted, const char* description) {
    if (!is_next(wanted)) {
      fail(description);
    }
    ++at_;
  }

  void expect(const std::string& wanted) {
    if (!text_.substr(at_).starts_with(wanted)) {
      fail(fmt::format("'{}'", wanted));
    }
    at_ += wanted.size();
  }

  [[noreturn]] void fail(const std::string& expected) const {
    throw UsageError(fmt::format("'{}' is not a basis function: expected {} at position {}", text_,
                                 expected, at_ + 1));
  }

  std::string_view text_;
  std::span<const Curve> curves_;
  std::size_t at_ = 0;
};

std::string text_of_power(double power) {
  for (const int whole : {3, 7}) {
    if (power == std::log2(whole)) {
      return fmt::format("^log2({})", whole);
    }
  }
  const double thirds = 3 * power;
  if (power != 1 && thirds == std::round(thirds) && power != std::round(power)) {
    return fmt::format("^{}/3", thirds);
  }
  return power == 1 ? "" : fmt::format("^{}", power);
}

}  // namespace

Basis Basis::parse(std::string_view text, std::span<const Curve> curves) {
  return BasisParser(text, curves).parse();
}

std::string Basis::text() const {
  std::string text;
  for (const Factor& factor : factors_) {
    text += text.empty() ? "" : "*";
    if (factor.curve) {
      text += fmt::format("{}({}/{})", factor.curve->name, factor.curve->size, factor.curve->per);
    } else {
      text += factor.is_log ? fmt::format("log2({})", factor.size) : factor.size;
    }
    text += text_of_power(factor.power);
  }
  return text.empty() ? "1" : text;
}

double Basis::Factor::operator()(double at, double per) const {
  const double value = curve    ? (*curve)(at / std::max(per, 1e-300))
                       : is_log ? std::log2(std::max(at, 1.0))
                                : at;
  return power == 1 ? value : std::pow(value, power);
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
    product *= factor.curve ? factor(size_of(factor.curve->size), size_of(factor.curve->per))
                            : factor(size_of(factor.size), 1);
  }
  return product;
}

std::set<std::string> Basis::sizes() const {
  std::set<std::string> names;
  for (const Factor& factor : factors_) {
    if (factor.curve) {
      names.insert({factor.curve->size, factor.curve->per});
    } else {
      names.insert(factor.size);
    }
  }
  return names;
}

Form parse_form(std::string_view text, std::span<const Curve> curves) {
  Form form;
  while (true) {
    const auto comma = text.find(',');
    Basis term = Basis::parse(text.substr(0, comma), curves);
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

std::set<std::string> sizes_of(const Form& form) {
  std::set<std::string> names;
  for (const Basis& term : form) {
    names.merge(term.sizes());
  }
  return names;
}

}  // namespace cleave::models
