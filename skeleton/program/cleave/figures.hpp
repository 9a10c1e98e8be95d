// SPDX-License-Identifier: Apache-2.0
// What a program prints of a solution.
#pragma once

#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <variant>
#include <vector>

namespace cleave {

/// Named results, in the order in which they are printed: `{{"nodes", 17}, {"tree", "T1"}}`. A
/// value is a number, a truth value, a text, nullptr for none, a list of values, or named ones
/// again.
class Figures {
 public:
  Figures() : Figures(std::initializer_list<Figures>{}) {}  ///< no results
  /// Named values where each is a pair of a text and a value, else a list.
  Figures(std::initializer_list<Figures> values);
  Figures(const std::vector<Figures>& list);
  Figures(std::nullptr_t none) : Figures(Scalar(none)) {}
  template <class T>
    requires std::is_arithmetic_v<T>
  Figures(T value) : Figures(Scalar(static_cast<WidestOf<T>>(value))) {}
  template <std::convertible_to<std::string_view> T>
  Figures(const T& text) : Figures(Scalar(std::string(std::string_view(text)))) {}
  template <class List>
    requires(!std::convertible_to<List, std::string_view>) && requires(const List& values) {
      std::begin(values);
      std::end(values);
    }
  Figures(const List& list) : Figures(std::vector<Figures>(std::begin(list), std::end(list))) {}
  template <class T>
  Figures(const std::optional<T>& value) : Figures(value ? Figures(*value) : Figures(nullptr)) {}

  const nlohmann::ordered_json& json() const { return *json_; }

 private:
  template <class T>
  using WidestOf = std::conditional_t<
      std::same_as<T, bool>, bool,
      std::conditional_t<std::floating_point<T>, double,
                         std::conditional_t<std::signed_integral<T>, std::int64_t, std::uint64_t>>>;
  using Scalar =
      std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string>;

  explicit Figures(const Scalar& scalar);

  std::shared_ptr<const nlohmann::ordered_json> json_;
};

}  // namespace cleave
