// SPDX-License-Identifier: Apache-2.0
// How the types of the standard library cross to another rank (wire.hpp, which includes this).
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/wire.hpp>

namespace cleave {

template <class T, std::size_t n>
  requires(!Plain<std::array<T, n>>)
struct wire<std::array<T, n>> {
  using Parts = detail::Types<T>;

  static void pack(Packer& packer, const std::array<T, n>& values) {
    for (const T& value : values) {
      wire<T>::pack(packer, value);
    }
  }
  static std::array<T, n> unpack(Unpacker& unpacker) {
    std::array<T, n> values;
    for (T& value : values) {
      value = wire<T>::unpack(unpacker);
    }
    return values;
  }
};

namespace detail {

template <class Tuple, class... Ts>
struct WireOfTuple {
  using Parts = Types<std::remove_const_t<Ts>...>;

  static void pack([[maybe_unused]] Packer& packer, const Tuple& value) {
    std::apply([&](const Ts&... part) { (wire<std::remove_const_t<Ts>>::pack(packer, part), ...); },
               value);
  }
  static Tuple unpack([[maybe_unused]] Unpacker& unpacker) {
    return Tuple{wire<std::remove_const_t<Ts>>::unpack(unpacker)...};  // braces: left to right
  }
};

}  // namespace detail

template <class First, class Second>
struct wire<std::pair<First, Second>>
    : detail::WireOfTuple<std::pair<First, Second>, First, Second> {};
template <class... Ts>
struct wire<std::tuple<Ts...>> : detail::WireOfTuple<std::tuple<Ts...>, Ts...> {};

template <class T>
struct wire<std::optional<T>> {
  using Parts = detail::Types<T>;

  static void pack(Packer& packer, const std::optional<T>& value) {
    wire<bool>::pack(packer, value.has_value());
    if (value) {
      wire<T>::pack(packer, *value);
    }
  }
  static std::optional<T> unpack(Unpacker& unpacker) {
    return wire<bool>::unpack(unpacker) ? std::optional<T>(wire<T>::unpack(unpacker))
                                        : std::nullopt;
  }
};

/// The index of the alternative, and its value.
template <class... Ts>
struct wire<std::variant<Ts...>> {
  using Parts = detail::Types<Ts...>;
  using Variant = std::variant<Ts...>;

  /// \throws Error  if the variant lost its value to an exception
  static void pack(Packer& packer, const Variant& value) {
    if (value.valueless_by_exception()) {
      throw Error("a variant without a value cannot cross to another rank");
    }
    wire<std::uint32_t>::pack(packer, static_cast<std::uint32_t>(value.index()));
    std::visit([&packer]<class T>(const T& held) { wire<T>::pack(packer, held); }, value);
  }
  static Variant unpack(Unpacker& unpacker) {
    const auto index = wire<std::uint32_t>::unpack(unpacker);
    std::optional<Variant> value;
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      ((index == i ? void(value.emplace(std::in_place_index<i>, wire<Ts>::unpack(unpacker)))
                   : void()),
       ...);
    }(std::index_sequence_for<Ts...>());
    if (!value) {
      throw Error("message damaged: a variant has fewer alternatives than it says");
    }
    return *std::move(value);
  }
};

/// A vector of plain elements crosses as its storage is.
template <Plain T, class Allocator>
  requires(!std::same_as<T, bool>)
struct wire<std::vector<T, Allocator>>
    : WireByStorage<std::vector<T, Allocator>, std::vector<T, Allocator>> {
  using Vector = std::vector<T, Allocator>;

  static std::span<const T> view(const Vector& values, Vector& /*scratch*/) { return values; }
  static Vector restore(Vector storage) { return storage; }
};

template <>
struct wire<std::string> {
  static void pack(Packer& packer, const std::string& text) {
    packer.put_count(text.size());
    packer.put(text.data(), text.size());
  }
  static std::string unpack(Unpacker& unpacker) {
    std::string text(unpacker.take_count(1), '\0');
    unpacker.take(text.data(), text.size());
    return text;
  }
};

/// The elements of a type that opts in by naming them (part.hpp), as they stand.
template <class T>
  requires Plain<typename T::CrossesByElement>
struct wire<T> {
  using Element = typename T::CrossesByElement;

  static void pack(Packer& packer, const T& elements) {
    packer.put_count(elements.size());
    packer.put(elements.data(), elements.size() * sizeof(Element));
  }
  static T unpack(Unpacker& unpacker) {
    T elements(unpacker.take_count(sizeof(Element)));
    unpacker.take(elements.data(), elements.size() * sizeof(Element));
    return elements;
  }
};

namespace detail {

/// Whether a default-constructed container lacks what another one compares, hashes or allocates by.
template <Container T>
consteval bool has_state() {
  bool is_empty = std::is_empty_v<typename T::allocator_type>;
  if constexpr (requires { typename T::key_compare; }) {
    is_empty = is_empty && std::is_empty_v<typename T::key_compare>;
  }
  if constexpr (requires { typename T::hasher; }) {
    is_empty =
        is_empty && std::is_empty_v<typename T::hasher> && std::is_empty_v<typename T::key_equal>;
  }
  return !is_empty;
}

}  // namespace detail

/// The elements of a container, one by one. A key that comes twice is refused.
template <class T>
  requires(detail::Container<T> && !detail::has_state<T>())
struct wire<T> {
  using Parts = detail::Types<typename T::value_type>;

  static void pack(Packer& packer, const T& container) {
    packer.put_count(container.size());
    for (const auto& element : container) {
      detail::pack_element<typename T::value_type>(packer, element);
    }
  }
  static T unpack(Unpacker& unpacker) {
    const std::size_t count = unpacker.take_count(1);
    T container;
    if constexpr (requires { container.reserve(count); }) {
      container.reserve(count);
    }
    for (std::size_t i = 0; i < count; ++i) {
      container.insert(container.end(), detail::unpack_element<typename T::value_type>(unpacker));
    }
    if (container.size() < count) {
      throw Error("message damaged: a container has a key twice");
    }
    return container;
  }
};

}  // namespace cleave
