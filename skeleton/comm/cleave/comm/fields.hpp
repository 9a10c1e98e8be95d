// SPDX-License-Identifier: Apache-2.0
// The fields of an aggregate, one after the other. Boost.PFR names them; how many there are is
// counted here, since PFR takes each element of a C array for a field of its own.
#pragma once

#include <boost/pfr.hpp>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace cleave::detail {

/// Initialises any field but a C array, whose elements it initialises one by one. Never called.
struct AnyReference {
  std::size_t index;
  template <class Field>
  operator Field&() const&& noexcept;
  template <class Field>
  operator Field&() const& noexcept;
};
/// The same for an aggregate with a field that can only be moved.
struct AnyValue {
  std::size_t index;
  template <class Field>
  operator Field() const&& noexcept;
};
template <class T>
using AnyField = std::conditional_t<std::is_copy_constructible_v<T>, AnyReference, AnyValue>;

/// Initialises a base of T, and nothing else.
template <class T>
struct AnyBase {
  template <class Base>
    requires std::is_base_of_v<Base, T> && (!std::is_same_v<Base, T>)
  operator Base() const noexcept;
};
struct Nothing {};

/// Whether T is an aggregate with a base class, which no structured binding names.
template <class T>
concept HasBase = std::is_aggregate_v<T> && std::is_class_v<T> && requires { T{AnyBase<T>{}}; } &&
                  !requires { T{Nothing{}}; };

template <class T, std::size_t... i>
consteval bool takes(std::index_sequence<i...> /*initialisers*/) {
  return requires { T{AnyField<T>{i}...}; };
}
template <class T, std::size_t n>
inline constexpr bool kTakes = takes<T>(std::make_index_sequence<n>());

/// Whether `{}` can stand for the field that begins at an initialiser.
template <class T, std::size_t... i, std::size_t... j>
consteval bool takes_braces(std::index_sequence<i...> /*before*/,
                            std::index_sequence<j...> /*behind*/) {
  return requires { T{AnyField<T>{i}..., {}, AnyField<T>{j}...}; };
}
template <class T, std::size_t before, std::size_t behind>
inline constexpr bool kTakesBraces =
    takes_braces<T>(std::make_index_sequence<before>(), std::make_index_sequence<behind>());

/// What PFR can name, and what is counted in a second of compilation.
inline constexpr std::size_t kMaxFields = 100;
inline constexpr std::size_t kMaxInitialisers = 4096;

/// The most initialisers that T takes, an element of a C array each: at least `low`, but less than
/// `high`. The fields must be default-constructible.
template <class T, std::size_t low, std::size_t high>
consteval std::size_t count_initialisers_between() {
  if constexpr (high - low == 1) {
    return low;
  } else if constexpr (constexpr std::size_t middle = (low + high) / 2; kTakes<T, middle>) {
    return count_initialisers_between<T, middle, high>();
  } else {
    return count_initialisers_between<T, low, middle>();
  }
}

template <class T, std::size_t n = 1>
consteval std::size_t count_initialisers() {
  if constexpr (n > kMaxInitialisers) {
    return n;
  } else if constexpr (!kTakes<T, 0>) {  // one by one: T may take no fewer than all
    if constexpr (n > kMaxFields || (kTakes<T, n> && !kTakes<T, n + 1>)) {
      return n;
    } else {
      return count_initialisers<T, n + 1>();
    }
  } else if constexpr (kTakes<T, n>) {
    return count_initialisers<T, 2 * n>();
  } else {
    return count_initialisers_between<T, n / 2, n>();
  }
}

/// How many of the initialisers that begin at `first` are one field's: the fewest whose place `{}`
/// can take. The answer is at least `low` and at most `high`.
template <class T, std::size_t first, std::size_t total, std::size_t low, std::size_t high>
consteval std::size_t count_elements() {
  if constexpr (low == high) {
    return low;
  } else if constexpr (constexpr std::size_t middle = (low + high) / 2;
                       kTakesBraces<T, first, total - first - middle>) {
    return count_elements<T, first, total, low, middle>();
  } else {
    return count_elements<T, first, total, middle + 1, high>();
  }
}

template <class T, std::size_t first, std::size_t total>
consteval std::size_t count_fields() {
  if constexpr (first >= total) {
    return 0;
  } else if constexpr (!kTakes<T, 0> || kTakesBraces<T, first, total - first - 1>) {
    return 1 + count_fields<T, first + 1, total>();
  } else {
    return 1 +
           count_fields<T, first + count_elements<T, first, total, 2, total - first>(), total>();
  }
}

template <class T>
consteval std::size_t field_count() {
  constexpr std::size_t kInitialisers = count_initialisers<T>();
  if constexpr (kInitialisers > kMaxInitialisers || (!kTakes<T, 0> && kInitialisers > kMaxFields)) {
    return kMaxFields + 1;
  } else {
    return count_fields<T, 0, kInitialisers>();
  }
}

/// An aggregate whose fields can be named. A field that is const or a reference cannot be assigned.
template <class T>
concept HasFields = std::is_aggregate_v<T> && std::is_class_v<T> && std::is_move_assignable_v<T> &&
                    (!HasBase<T>)&&(field_count<T>() <= kMaxFields);

/// References to the fields of `value`.
template <class T>
  requires HasFields<std::remove_const_t<T>>
auto fields_of(T& value) {
  return boost::pfr::detail::tie_as_tuple(
      value, boost::pfr::detail::size_t_<field_count<std::remove_const_t<T>>()>{});
}

template <class T, std::size_t i>
using Field = std::remove_reference_t<decltype(boost::pfr::detail::sequence_tuple::get<i>(
    fields_of(std::declval<T&>())))>;

/// The field of this index, of what `fields_of` returned.
template <std::size_t i, class Fields>
auto& field(const Fields& fields) {
  return boost::pfr::detail::sequence_tuple::get<i>(fields);
}

/// Calls `visit` with each field of `value`.
template <class T, class Visit>
void for_each_field(T& value, const Visit& visit) {
  const auto fields = fields_of(value);
  [&]<std::size_t... i>(std::index_sequence<i...>) {
    (visit(field<i>(fields)), ...);
  }(std::make_index_sequence<field_count<std::remove_const_t<T>>()>());
}

/// Whether `Holds<F>::value` for the type F of every field of T.
template <class T, template <class> class Holds>
consteval bool all_fields() {
  return []<std::size_t... i>(std::index_sequence<i...>) {
    return (Holds<Field<T, i>>::value && ...);
  }(std::make_index_sequence<field_count<T>()>());
}

}  // namespace cleave::detail
