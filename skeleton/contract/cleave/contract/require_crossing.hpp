// SPDX-License-Identifier: Apache-2.0
// Compile errors that say in one sentence why a Solution or a Node cannot cross to another rank.
// The compiler's note beside the error names the type at fault, as `Member`, and its place:
// `field`, counted from 1, of `Struct`.
#pragma once

#include <concepts>
#include <cstddef>
#include <ranges>
#include <type_traits>
#include <utility>

#include <cleave/wire.hpp>

namespace cleave::detail {

template <class... Ts>
struct Types {};

/// The types of what a T holds, as far as `wire` looks into it.
template <class T>
struct PartsOf {
  using Type = Types<>;
};
template <class T>
  requires Inspectable<T>
struct PartsOf<T> {
  template <std::size_t... i>
  static Types<std::remove_const_t<Field<T, i>>...> fields(std::index_sequence<i...>);
  using Type = decltype(fields(std::make_index_sequence<field_count<T>()>()));
};
template <class T, std::size_t n>
struct PartsOf<std::array<T, n>> {
  using Type = Types<T>;
};
template <class T, class Allocator>
struct PartsOf<std::vector<T, Allocator>> {
  using Type = Types<T>;
};
template <class T>
struct PartsOf<std::deque<T>> {
  using Type = Types<T>;
};
template <class T>
struct PartsOf<std::optional<T>> {
  using Type = Types<T>;
};
template <class First, class Second>
struct PartsOf<std::pair<First, Second>> {
  using Type = Types<First, Second>;
};
template <class... Ts>
struct PartsOf<std::tuple<Ts...>> {
  using Type = Types<Ts...>;
};
template <class... Ts>
struct PartsOf<std::variant<Ts...>> {
  using Type = Types<Ts...>;
};
template <class Key, class T, class Less>
struct PartsOf<std::map<Key, T, Less>> {
  using Type = Types<Key, T>;
};
template <class Key, class T, class Hash, class Equal>
struct PartsOf<std::unordered_map<Key, T, Hash, Equal>> {
  using Type = Types<Key, T>;
};
template <class Key, class Less>
struct PartsOf<std::set<Key, Less>> {
  using Type = Types<Key>;
};
template <class Key, class Hash, class Equal>
struct PartsOf<std::unordered_set<Key, Hash, Equal>> {
  using Type = Types<Key>;
};

/// What keeps a value from crossing: a type, and which field it is of a struct, or element of a
/// container, counted from 1; of nothing where it is the value's own type.
template <class Member, class Struct, std::size_t field>
struct Found {
  using Type = Member;
};

template <class Struct, std::size_t field, class First, class... Others>
auto first_culprit();

/// In place of a C array of several elements, whose type cannot be told.
struct CArray {
  CArray() = delete;
};
template <class T>
concept HoldsCArray = Aggregate<T> && (c_array_field<T>() != 0);

/// The innermost type that keeps T from crossing: the first, in the order of the fields.
template <class T, class Struct = void, std::size_t field = 0>
auto culprit() {
  return []<class... Parts>(Types<Parts...>) {
    if constexpr (HoldsCArray<T>) {
      return Found<CArray, T, c_array_field<T>()>();
    } else if constexpr ((Crosses<Parts>::value && ...)) {
      return Found<T, Struct, field>();
    } else {
      return first_culprit<T, 1, Parts...>();
    }
  }(typename PartsOf<T>::Type());
}

template <class Struct, std::size_t field, class First, class... Others>
auto first_culprit() {
  if constexpr (Crosses<First>::value) {
    return first_culprit<Struct, field + 1, Others...>();
  } else {
    return decltype(culprit<First, Struct, field>())();
  }
}

template <class T>
using Culprit = decltype(culprit<T>());

template <class T>
concept PointsElsewhere =
    std::is_pointer_v<T> || std::is_reference_v<T> || std::is_member_pointer_v<T> ||
    std::ranges::view<T> || requires(const T& pointer) { *pointer.get(); };

enum class Crosser { solution, node };

/// Reports why `Member` of the application's Solution or Node cannot cross.
template <Crosser crosser, class Member, class Struct, std::size_t field>
consteval void report_crossing(Found<Member, Struct, field> /*culprit*/) {
  constexpr bool kCrosses = HasWire<Member>;
#define CLEAVE_REPORT(reason)                                                          \
  if constexpr (crosser == Crosser::solution) {                                        \
    static_assert(kCrosses, "cleave: Solution cannot cross to another rank: " reason); \
  } else {                                                                             \
    static_assert(kCrosses, "cleave: Node cannot cross to another rank: " reason);     \
  }
  if constexpr (PointsElsewhere<Member>) {
    CLEAVE_REPORT(
        "it holds a pointer, a reference or a view, and what that refers to stays behind; hold the "
        "value, or specialise cleave::wire<T> for the type that holds it")
  } else if constexpr (HasBase<Member>) {
    CLEAVE_REPORT(
        "it is or holds a type with a base class, which Boost.PFR cannot look into; specialise "
        "cleave::wire<T> for that type, or cleave::kPlain<T> if its bytes are its value")
  } else if constexpr (std::is_array_v<Member> || std::is_same_v<Member, CArray>) {
    CLEAVE_REPORT(
        "it holds a C array, which Boost.PFR cannot look into; hold a std::array, specialise "
        "cleave::wire<T> for the type that holds it, or cleave::kPlain<T> if its bytes are its "
        "value")
  } else if constexpr (std::is_aggregate_v<Member> && !std::is_move_assignable_v<Member>) {
    CLEAVE_REPORT(
        "it is or holds an aggregate that cannot be assigned, since a member is const or a "
        "reference; "
        "specialise cleave::wire<T> for that type")
  } else if constexpr (Aggregate<Member> && field_count<Member>() > kMaxFields) {
    CLEAVE_REPORT(
        "it is or holds an aggregate of more than 100 fields, which Boost.PFR cannot look into; "
        "specialise cleave::wire<T> for that type, or cleave::kPlain<T> if its bytes are its value")
  } else {
    CLEAVE_REPORT(
        "it is or holds a type with private members, a constructor or a union; specialise "
        "cleave::wire<T> for that type, or cleave::kPlain<T> if its bytes are its value")
  }
#undef CLEAVE_REPORT
}

}  // namespace cleave::detail
