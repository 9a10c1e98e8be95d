// SPDX-License-Identifier: Apache-2.0
// Whether two values are the same, whatever their type.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <type_traits>
#include <utility>

#include <cleave/wire.hpp>

namespace cleave::detail {

/// A sequence that is equal where its elements are, whether they have == or not.
template <class T>
concept Elements = std::ranges::forward_range<const T> &&
                   (std::is_array_v<T> || kIsArray<T> || requires { typename T::allocator_type; });

/// Equal in all that T holds: by its elements or fields, by == where it has neither, else by its
/// bytes on the wire. Two NaN are equal.
template <class T>
bool equal(const T& a, const T& b) {
  if constexpr (std::floating_point<T>) {
    return a == b || (a != a && b != b);
  } else if constexpr (requires { typename T::hasher; }) {
    return a == b;
  } else if constexpr (Elements<T>) {
    return std::ranges::equal(a, b, [](const auto& x, const auto& y) { return equal(x, y); });
  } else if constexpr (requires { a.has_value(); }) {
    return a.has_value() == b.has_value() && (!a || equal(*a, *b));
  } else if constexpr (requires { a.valueless_by_exception(); }) {
    const auto same = []<class X, class Y>(const X& x, const Y& y) {
      if constexpr (std::same_as<X, Y>) {
        return equal(x, y);
      }
      return false;
    };
    return a.index() == b.index() && std::visit(same, a, b);
  } else if constexpr (requires { std::tuple_size<T>::value; }) {
    return [&]<std::size_t... i>(std::index_sequence<i...>) {
      return (equal(std::get<i>(a), std::get<i>(b)) && ...);
    }(std::make_index_sequence<std::tuple_size_v<T>>());
  } else if constexpr (std::equality_comparable<T>) {
    return a == b;
  } else if constexpr (HasFields<T>) {
    return equal(fields_of(a), fields_of(b));
  } else {
    return std::ranges::equal(Outgoing<T>(a).bytes(), Outgoing<T>(b).bytes());
  }
}

struct Equal {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    return equal(a, b);
  }
};

}  // namespace cleave::detail
