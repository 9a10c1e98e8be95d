#include "models/basis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>

#include "skeleton/trace/error.hpp"

namespace cleave {

namespace {

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
    constexpr std::string_view kLogarithm = "log2(";
    Basis::Factor factor;
    if (text_.substr(at_).starts_with(kLogarithm)) {
      at_ += kLogarithm.size();
      factor.logarithm = true;
      factor.size = name();
      expect(')', "')'");
    } else {
      factor.size = name();
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

double logarithm_of(double value) { return value > 0 ? std::log2(value) : 0; }

}  // namespace

Basis Basis::parse(std::string_view text) { return BasisParser(text).parse(); }

std::string Basis::text() const {
  if (factors_.empty()) {
    return "1";
  }
  std::string text;
  for (const Factor& factor : factors_) {
    text += text.empty() ? "" : "*";
    text += factor.logarithm ? fmt::format("log2({})", factor.size) : factor.size;
    text += factor.power == 1 ? "" : fmt::format("^{}", factor.power);
  }
  return text;
}

double Basis::operator()(const NamedValues& sizes) const {
  double product = 1;
  for (const Factor& factor : factors_) {
    const auto found = sizes.find(factor.size);
    if (found == sizes.end()) {
      throw Error(fmt::format("size {} is not known, but {} depends on it", factor.size, text()));
    }
    const double value = factor.logarithm ? logarithm_of(found->second) : found->second;
    product *= factor.power == 1 ? value : std::pow(value, factor.power);
  }
  return product;
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

}  // namespace cleave
