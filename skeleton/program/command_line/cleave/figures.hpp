// SPDX-License-Identifier: Apache-2.0
// What a program prints of a solution.
#pragma once

#include <cmath>
#include <concepts>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace cleave {

namespace detail {
class JsonFields;
}

/// Named results, in the order in which they are printed: `{{"nodes", 17}, {"tree", "T1"}}`. A
/// value is a number, a truth value, a text, nullptr for none, a list of values, or named ones
/// again. A number that is not finite is none.
class Figures {
 public:
  using List = std::vector<Figures>;
  struct Named {
    std::vector<std::pair<std::string, Figures>> figures;

    /// Writes each as a field.
    void operator()(detail::JsonFields& object) const;
  };
  using Value = std::variant<std::nullptr_t, bool, std::int64_t, std::uint64_t, double, std::string,
                             List, Named>;

  Figures() : value_(Named()) {}  ///< no results
  /// Named values where each is a pair of a text and a value, else a list.
  Figures(std::initializer_list<Figures> values);
  Figures(std::nullptr_t none) : value_(none) {}
  template <class T>
    requires std::is_arithmetic_v<T>
  Figures(T value) : value_(static_cast<WidestOf<T>>(value)) {
    if (!std::isfinite(static_cast<double>(value))) {
      value_ = nullptr;
    }
  }
  template <std::convertible_to<std::string_view> T>
  Figures(const T& text) : value_(std::string(std::string_view(text))) {}
  template <class Values>
    requires(!std::convertible_to<Values, std::string_view>) && requires(const Values& values) {
      std::begin(values);
      std::end(values);
    }
  Figures(const Values& list) : value_(List(std::begin(list), std::end(list))) {}
  template <class T>
  Figures(const std::optional<T>& value) : Figures(value ? Figures(*value) : Figures(nullptr)) {}

  /// Names a value, or gives what has this name another. \pre  these are named values
  void set(std::string_view name, Figures value);

  const Value& written() const { return value_; }
  /// \pre  these are named values
  const Named& named() const { return std::get<Named>(value_); }

 private:
  template <class T>
  using WidestOf = std::conditional_t<
      std::same_as<T, bool>, bool,
      std::conditional_t<std::floating_point<T>, double,
                         std::conditional_t<std::signed_integral<T>, std::int64_t, std::uint64_t>>>;

  Value value_;
};

}  // namespace cleave
