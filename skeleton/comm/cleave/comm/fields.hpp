// SPDX-License-Identifier: Apache-2.0
// The fields of an aggregate, one after the other. Boost.PFR names them, by functions of its detail
// that are told how many there are: its public ones count. g++ 12 breaks down in that count where a
// field is a std::array of strings, and it takes each element of a C array for a field of its own.
#pragma once

#include <boost/pfr/core.hpp>
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

/// What PFR can name.
inline constexpr std::size_t kMaxFields = 100;

template <class T, std::size_t... i>
consteval bool takes(std::index_sequence<i...> /*initialisers*/) {
  return requires { T{AnyField<T>{i}...}; };
}
template <class T, std::size_t n>
inline constexpr bool kTakes = takes<T>(std::make_index_sequence<n>());

/// How many initialisers T takes, one more than `kMaxFields` at most: its fields, unless it holds a
/// C array.
template <class T, std::size_t n = 0>
consteval std::size_t field_count() {
  if constexpr (n > kMaxFields || (kTakes<T, n> && !kTakes<T, n + 1>)) {
    return n;
  } else {
    return field_count<T, n + 1>();
  }
}

template <class T, std::size_t... i, std::size_t... j>
consteval bool takes_braces(std::index_sequence<i...> /*before*/,
                            std::index_sequence<j...> /*behind*/) {
  return requires { T{AnyField<T>{i}..., {}, AnyField<T>{j}...}; };
}

/// Which field of T, counted from 1, is its first C array of several elements, if T can be made of
/// nothing: where one begins, `{}` is not an element of it but the whole. 0 if there is none.
template <class T>
consteval std::size_t c_array_field() {
  return []<std::size_t... i>(std::index_sequence<i...>) {
    std::size_t fields = 0;
    const bool has_none =
        ((++fields, takes_braces<T>(std::make_index_sequence<i>(),
                                    std::make_index_sequence<sizeof...(i) - i - 1>())) &&
         ...);
    return has_none || !kTakes<T, 0> ? 0 : fields;
  }(std::make_index_sequence<field_count<T>()>());
}

/// Whether T has one more field, which can be made of nothing, but of no value that is deduced: a
/// union or struct without a name is one to g++, and what lies behind it cannot be counted.
template <class T>
consteval bool has_uncounted_field() {
  return takes_braces<T>(std::make_index_sequence<field_count<T>()>(), std::index_sequence<>());
}

/// A field that is const or a reference cannot be assigned.
template <class T>
concept Aggregate =
    std::is_aggregate_v<T> && std::is_class_v<T> && std::is_move_assignable_v<T> && (!HasBase<T>);

/// An aggregate whose fields can be named.
template <class T>
concept HasFields = Aggregate<T> && (field_count<T>() <= kMaxFields) && (c_array_field<T>() == 0) &&
                    !has_uncounted_field<T>();

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

/// Whether `Holds<F>::value` for the type F of every field of T.
template <class T, template <class> class Holds>
consteval bool all_fields() {
  return []<std::size_t... i>(std::index_sequence<i...>) {
    return (Holds<Field<T, i>>::value && ...);
  }(std::make_index_sequence<field_count<T>()>());
}

}  // namespace cleave::detail
