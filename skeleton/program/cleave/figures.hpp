// SPDX-License-Identifier: Apache-2.0
// What a program prints of a solution.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace cleave {

namespace detail {

template <class T>
concept Text = std::convertible_to<const T&, std::string_view>;

template <class T>
concept ListOfFigures = !Text<T> && requires(const T& values) {
  std::begin(values);
  std::end(values);
};

}  // namespace detail

/// Named results, in the order in which they are printed: `{{"nodes", 17}, {"tree", "T1"}}`. A
/// value is a number, a truth value, a text, nullptr for none, a list of values, or named ones
/// again.
class Figures {
 public:
  Figures() : value_(Named{}) {}  ///< no results
  /// Named values where each is a pair of a text and a value, else a list.
  Figures(std::initializer_list<Figures> values);
  Figures(std::nullptr_t none) : value_(none) {}
  template <class T>
    requires std::is_arithmetic_v<T>
  Figures(T value) : value_(static_cast<WidestOf<T>>(value)) {}
  template <detail::Text T>
  Figures(const T& text) : value_(std::string(std::string_view(text))) {}
  template <detail::ListOfFigures List>
  Figures(const List& values)
      : value_(std::vector<Figures>(std::begin(values), std::end(values))) {}
  template <class T>
  Figures(const std::optional<T>& value) : Figures(value ? Figures(*value) : Figures(nullptr)) {}

  nlohmann::ordered_json json() const;

 private:
  template <class T>
  using WidestOf = std::conditional_t<
      std::same_as<T, bool>, bool,
      std::conditional_t<std::floating_point<T>, double,
                         std::conditional_t<std::signed_integral<T>, std::int64_t, std::uint64_t>>>;
  using Named = std::vector<std::pair<std::string, Figures>>;

  std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string,
               std::vector<Figures>, Named>
      value_;
};

}  // namespace cleave
