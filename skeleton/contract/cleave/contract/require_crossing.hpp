// SPDX-License-Identifier: Apache-2.0
// Compile errors that say in one sentence why a Problem, a Solution or a Node cannot cross to
// another rank. The compiler's note beside the error names the type at fault, as `Member`, and its
// place: `field`, counted from 1, of `Struct`.
#pragma once

#include <concepts>
#include <cstddef>
#include <iterator>
#include <ranges>
#include <type_traits>
#include <utility>

#include <cleave/wire.hpp>

namespace cleave::detail {

template <class... Ts>
struct Types {
  using Indices = std::index_sequence_for<Ts...>;
};

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

template <class T>
concept PointsElsewhere =
    std::is_pointer_v<T> || std::is_reference_v<T> || std::is_member_pointer_v<T> ||
    std::ranges::view<T> || std::input_or_output_iterator<T> ||
    requires(const T& pointer) { *pointer.get(); } || requires(const T& wrapper) {
      { wrapper.get() } -> std::same_as<typename T::type&>;
    };

/// Of what crosses there is no culprit.
struct NoCulprit {
  static constexpr int kRank = 0;
};

template <class T>
consteval bool hides_pointer();

/// What keeps a value from crossing: a type, and which field it is of a struct, or element of a
/// container, counted from 1; of nothing where it is the value's own type.
template <class Member, class Struct, std::size_t field>
struct Found {
  using Type = Member;
  static constexpr bool kPoints = PointsElsewhere<Member> || hides_pointer<Member>();
  static constexpr int kRank = kPoints ? 2 : 1;
};

/// The culprit to report: the first that points elsewhere, else the first.
template <class First, class Second>
  requires(First::kRank >= 0 && Second::kRank >= 0)
auto operator|(First first, Second second) {
  if constexpr (Second::kRank > First::kRank) {
    return second;
  } else {
    return first;
  }
}

/// In place of a C array of several elements, whose type cannot be told.
struct CArray {
  CArray() = delete;
};

/// T itself as what keeps it from crossing, or a C array in it.
template <class T, class Struct, std::size_t field>
auto itself() {
  using Itself = Found<T, Struct, field>;
  if constexpr (Itself::kPoints || !Aggregate<T>) {
    return Itself();
  } else if constexpr (c_array_field<T>() != 0) {
    return Found<CArray, T, c_array_field<T>()>();
  } else {
    return Itself();
  }
}

/// The innermost type that keeps T from crossing.
template <class T, class Struct = void, std::size_t field = 0>
auto culprit() {
  if constexpr (HasWire<T>) {
    return NoCulprit();
  } else {
    return []<class... Parts, std::size_t... i>(Types<Parts...>, std::index_sequence<i...>) {
      using OfParts = decltype((NoCulprit() | ... | culprit<Parts, T, i + 1>()));
      if constexpr (OfParts::kRank == 0) {
        return itself<T, Struct, field>();
      } else {
        return OfParts();
      }
    }(typename PartsOf<T>::Type(), typename PartsOf<T>::Type::Indices());
  }
}

template <class T>
using Culprit = decltype(culprit<T>());

/// Initialises what points elsewhere or holds what does, and nothing else; not T itself.
template <class T>
struct AnyPointing {
  template <class Field>
    requires(!std::is_same_v<Field, T> && !HasWire<Field> && Culprit<Field>::kPoints)
  operator Field() const noexcept;
};

/// Whether a pointer or a view is found in an aggregate whose fields have no names: that of a C
/// array or of a base.
template <class T>
consteval bool hides_pointer() {
  if constexpr (std::is_aggregate_v<T> && std::is_class_v<T> && !HasFields<T>) {
    return []<std::size_t... field>(std::index_sequence<field...>) {
      return ([]<std::size_t... before>(std::index_sequence<before...>) {
        return requires { T{AnyField<T>{before}..., AnyPointing<T>{}}; };
      }(std::make_index_sequence<field>()) ||
              ...);
    }(std::make_index_sequence<field_count<T>()>());
  } else {
    return false;
  }
}

enum class Crosser { problem, solution, node };

/// Reports why `Member` of the application's Problem, Solution or Node cannot cross. A Problem is
/// reported only where it points elsewhere: others stay on their ranks.
template <Crosser crosser, class Member, class Struct, std::size_t field>
consteval void report_crossing(Found<Member, Struct, field> /*culprit*/) {
  constexpr bool kCrosses = HasWire<Member>;
#define CLEAVE_REPORT(reason)                                                          \
  if constexpr (crosser == Crosser::solution) {                                        \
    static_assert(kCrosses, "cleave: Solution cannot cross to another rank: " reason); \
  } else {                                                                             \
    static_assert(kCrosses, "cleave: Node cannot cross to another rank: " reason);     \
  }
  if constexpr (crosser == Crosser::problem) {
    static_assert(kCrosses,
                  "cleave: the application's `Problem` is or holds a pointer, a reference or a "
                  "view, whose data other ranks do not have; hold the value, or indices into data "
                  "of the application, or specialise cleave::wire<T> for the type that holds it");
  } else if constexpr (Found<Member, Struct, field>::kPoints) {
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
