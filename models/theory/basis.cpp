// SPDX-License-Identifier: Apache-2.0
#include "models/theory/basis.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include <cleave/error.hpp>

namespace cleave::models {

namespace {

/// The inside of "log2(...)"; none of another text.
std::optional<std::string_view> inside_log(std::string_view text) {
  const bool is_log = text.starts_with("log2(") && text.ends_with(')');
  return is_log ? std::optional(text.substr(5, text.size() - 6)) : std::nullopt;
}

std::optional<double> number_from(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool is_whole = error == std::errc() && end == text.data() + text.size();
  return is_whole && std::abs(value) <= 10 && value != 0 ? std::optional(value) : std::nullopt;
}

/// A number, log2 of one, or a fraction such as 2/3.
std::optional<double> power_from(std::string_view text) {
  if (const auto inside = inside_log(text)) {
    const std::optional<double> value = number_from(*inside);
    return value && *value > 1 ? std::optional(std::log2(*value)) : std::nullopt;
  }
  const auto slash = text.find('/');
  const std::optional<double> value = number_from(text.substr(0, slash));
  if (slash == std::string_view::npos) {
    return value;
  }
  const std::optional<double> divisor = number_from(text.substr(slash + 1));
  return value && divisor ? std::optional(*value / *divisor) : std::nullopt;
}

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

std::optional<Basis> Basis::parse(std::string_view text) {
  std::vector<Factor> factors;
  while (text != "1" || !factors.empty()) {
    const auto star = text.find('*');
    const std::string_view part = text.substr(0, star);
    const auto caret = part.find('^');
    const std::string_view base = part.substr(0, caret);
    const auto inside = inside_log(base);
    const auto power =
        caret == std::string_view::npos ? std::optional(1.0) : power_from(part.substr(caret + 1));
    const std::string size(inside.value_or(base));
    if (!power || size.empty() || size.find_first_of("()^") != std::string::npos) {
      return std::nullopt;
    }
    factors.push_back({.size = size, .is_log = inside.has_value(), .power = *power});
    if (star == std::string_view::npos) {
      break;
    }
    text.remove_prefix(star + 1);
  }
  return Basis(std::move(factors));
}

std::string Basis::text() const {
  std::string text;
  for (const Factor& factor : factors_) {
    text += text.empty() ? "" : "*";
    text += factor.is_log ? fmt::format("log2({})", factor.size) : factor.size;
    text += text_of_power(factor.power);
  }
  return text.empty() ? "1" : text;
}

double Basis::operator()(const NamedValues& sizes) const {
  double product = 1;
  for (const Factor& factor : factors_) {
    const auto found = sizes.find(factor.size);
    if (found == sizes.end()) {
      throw Error(fmt::format("size {} is not known, but {} depends on it", factor.size, text()));
    }
    const double value = factor.is_log ? std::log2(std::max(found->second, 1.0)) : found->second;
    product *= factor.power == 1 ? value : std::pow(value, factor.power);
  }
  return product;
}

std::set<std::string> Basis::sizes() const {
  std::set<std::string> names;
  std::ranges::transform(factors_, std::inserter(names, names.end()), &Factor::size);
  return names;
}

std::vector<std::string> term_names(const Form& form) {
  std::vector<std::string> names;
  std::ranges::transform(form, std::back_inserter(names), &Basis::text);
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
