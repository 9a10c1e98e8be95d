// SPDX-License-Identifier: Apache-2.0
// What a program prints of a solution. It is JSON, but only figures.cpp knows the library for that,
// which takes a second to compile.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string_view>
#include <type_traits>

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
  Figures();  ///< no results
  /// Named values where each is a pair of a text and a value, else a list. Of two values of one
  /// name the first counts.
  Figures(std::initializer_list<Figures> values);
  Figures(std::nullptr_t none);
  /// What is made by other means.
  Figures(const nlohmann::ordered_json& json);
  template <class T>
    requires std::is_arithmetic_v<T>
  Figures(T value) : Figures(Widest{}, static_cast<WidestOf<T>>(value)) {}
  template <detail::Text T>
  Figures(const T& text) : Figures(Widest{}, std::string_view(text)) {}
  template <detail::ListOfFigures List>
  Figures(const List& values) : Figures(array()) {
    for (const auto& value : values) {
      push_back(value);
    }
  }
  template <class T>
  Figures(const std::optional<T>& value) : Figures(value ? Figures(*value) : Figures(nullptr)) {}

  Figures(const Figures& other);
  Figures(Figures&& other) noexcept;
  Figures& operator=(const Figures& other);
  Figures& operator=(Figures&& other) noexcept;
  ~Figures();

  static Figures array();   ///< an empty list
  static Figures object();  ///< no results
  /// \pre  it is a list
  void push_back(const Figures& value);

  const nlohmann::ordered_json& json() const { return *json_; }

 private:
  struct Widest {};
  template <class T>
  using WidestOf = std::conditional_t<
      std::same_as<T, bool>, bool,
      std::conditional_t<std::floating_point<T>, double,
                         std::conditional_t<std::signed_integral<T>, std::int64_t, std::uint64_t>>>;
  Figures(Widest, bool value);
  Figures(Widest, std::int64_t value);
  Figures(Widest, std::uint64_t value);
  Figures(Widest, double value);
  Figures(Widest, std::string_view text);

  std::unique_ptr<nlohmann::ordered_json> json_;
};

}  // namespace cleave
