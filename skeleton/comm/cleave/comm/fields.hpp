// SPDX-License-Identifier: Apache-2.0
// The fields of an aggregate, one after the other. Boost.PFR names them, by functions of its detail
// that are told how many there are: its public ones count. g++ 12 breaks down in that count where a
// field is a std::array of strings, and it takes each element of a C array for a field of its own.
#pragma once

#include <boost/pfr/core.hpp>
#include <concepts>
#include <cstddef>
#include <type_traits>
#include <utility>

namespace cleave {

namespace detail {

/// std::complex and std::bitset, whose headers few programs need.
template <class T>
concept PlainOfStandard = std::is_trivially_copyable_v<T> &&
                          (
                              requires(const T& value) {
                                { value.imag() } -> std::same_as<typename T::value_type>;
                                requires sizeof(T) == 2 * sizeof(typename T::value_type);
                              } ||
                              requires(const T& value) {
                                value.to_ullong();
                                value.test(0);
                              });

}  // namespace detail

/// Specialise as `true` for a trivially copyable type that cannot be looked into (it has private
/// members or a base class) and whose bytes are its whole value.
template <class T>
inline constexpr bool kPlain =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || detail::PlainOfStandard<T>;

namespace detail {

/// Initialises any field but a C array, whose elements it initialises one by one. Never called.
struct AnyReference {
  std::size_t index;
  template <class Field>
  operator Field&() const&& noexcept;
  template <class Field>
  operator Field&() const& noexcept;
};
/// Initialises any field of an aggregate that can only be moved.
struct AnyValue {
  std::size_t index;
  template <class Field>
  operator Field() const&& noexcept;
};
template <class T>
using AnyField = std::conditional_t<std::is_copy_constructible_v<T>, AnyReference, AnyValue>;

/// Initialises what no structured binding of T names, and nothing else: a base, or a union, which
/// may have no name.
template <class T>
struct AnyUnnamed {
  template <class Part>
    requires((std::is_base_of_v<Part, T> && !std::same_as<Part, T>) ||
             (std::is_union_v<Part> && !kPlain<Part>))
  operator Part() const noexcept;
};

/// The maximum that PFR can name.
inline constexpr std::size_t kMaxFields = 100;

template <class T, std::size_t... i, class... More>
consteval bool takes(std::index_sequence<i...> /*initialisers*/, More... /*behind*/) {
  return requires { T{AnyField<T>{i}..., More{}...}; };
}
template <class T, std::size_t n>
inline constexpr bool kTakes = takes<T>(std::make_index_sequence<n>());

/// How many initialisers T takes, one more than `kMaxFields` at most: its fields, if `HasFields`.
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

/// Whether the initialisers are the fields: none is left, none is for a base or a union, and none
/// is an element of a C array, where `{}` stands for the whole (if T can be made of nothing).
template <class T>
consteval bool counts_fields() {
  return []<std::size_t... i>(std::index_sequence<i...> all) {
    return !takes_braces<T>(all, std::index_sequence<>()) &&
           (!takes<T>(std::make_index_sequence<i>(), AnyUnnamed<T>()) && ...) &&
           (!kTakes<T, 0> || (takes_braces<T>(std::make_index_sequence<i>(),
                                              std::make_index_sequence<sizeof...(i) - i - 1>()) &&
                              ...));
  }(std::make_index_sequence<field_count<T>()>());
}

/// An aggregate whose fields can be named. One that is const or a reference cannot be assigned.
template <class T>
concept HasFields = std::is_aggregate_v<T> && std::is_class_v<T> && std::is_move_assignable_v<T> &&
                    (field_count<T>() <= kMaxFields) && counts_fields<T>();

/// References to the fields of `value`.
template <class T>
  requires HasFields<std::remove_const_t<T>>
auto fields_of(T& value) {
  return boost::pfr::detail::tie_as_tuple(
      value, boost::pfr::detail::size_t_<field_count<std::remove_const_t<T>>()>{});
}

/// The field of this index, of what `fields_of` returned.
template <std::size_t i, class Fields>
auto& field(const Fields& fields) {
  return boost::pfr::detail::sequence_tuple::get<i>(fields);
}

template <class... Ts>
struct Types {};

template <class T, std::size_t... i>
auto field_types(std::index_sequence<i...> /*fields*/)
    -> Types<std::remove_reference_t<decltype(field<i>(fields_of(std::declval<T&>())))>...>;
/// The types of T's fields, as Types.
template <HasFields T>
using FieldTypes = decltype(field_types<T>(std::make_index_sequence<field_count<T>()>()));

}  // namespace detail
}  // namespace cleave
