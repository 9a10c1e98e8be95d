// SPDX-License-Identifier: Apache-2.0
// How the types of the standard library cross to another rank (wire.hpp, which includes this).
#pragma once

#include <array>
#include <bitset>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <variant>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/wire.hpp>

namespace cleave {

template <std::size_t n>
inline constexpr bool kPlain<std::bitset<n>> = true;

template <class T, std::size_t n>
  requires(!Plain<std::array<T, n>> && Transferable<T>)
struct wire<std::array<T, n>> {
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

template <>
struct wire<std::monostate> {
  static void pack(Packer& /*packer*/, std::monostate /*value*/) {}
  static std::monostate unpack(Unpacker& /*unpacker*/) { return {}; }
};

template <Transferable First, Transferable Second>
struct wire<std::pair<First, Second>> {
  static void pack(Packer& packer, const std::pair<First, Second>& value) {
    wire<First>::pack(packer, value.first);
    wire<Second>::pack(packer, value.second);
  }
  static std::pair<First, Second> unpack(Unpacker& unpacker) {
    First first = wire<First>::unpack(unpacker);
    return {std::move(first), wire<Second>::unpack(unpacker)};
  }
};

template <Transferable T>
struct wire<std::optional<T>> {
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

template <Transferable... Ts>
struct wire<std::tuple<Ts...>> {
  static void pack([[maybe_unused]] Packer& packer, const std::tuple<Ts...>& value) {
    std::apply([&](const Ts&... part) { (wire<Ts>::pack(packer, part), ...); }, value);
  }
  static std::tuple<Ts...> unpack([[maybe_unused]] Unpacker& unpacker) {
    return std::tuple<Ts...>{wire<Ts>::unpack(unpacker)...};  // braces: from left to right
  }
};

/// The index of the alternative, and its value.
template <Transferable... Ts>
struct wire<std::variant<Ts...>> {
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
    if (index >= sizeof...(Ts)) {
      throw Error("message damaged: a variant has fewer alternatives than it says");
    }
    return unpack_alternative(index, unpacker, std::index_sequence_for<Ts...>());
  }

 private:
  template <std::size_t... i>
  static Variant unpack_alternative(std::size_t index, Unpacker& unpacker,
                                    std::index_sequence<i...> /*alternatives*/) {
    using Unpack = Variant (*)(Unpacker&);
    constexpr Unpack kUnpack[] = {
        [](Unpacker& from) { return Variant(std::in_place_index<i>, wire<Ts>::unpack(from)); }...};
    return kUnpack[index](unpacker);
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

template <Transferable T>
  requires(!Plain<T> || std::same_as<T, bool>)
struct wire<std::vector<T>> {
  static void pack(Packer& packer, const std::vector<T>& values) {
    packer.put_count(values.size());
    for (const T& value : values) {
      detail::pack_element<T>(packer, value);
    }
  }
  static std::vector<T> unpack(Unpacker& unpacker) {
    const std::size_t count = unpacker.take_count(1);
    std::vector<T> values;
    values.reserve(count);
    for (std::size_t i = 0; i < count; ++i) {
      values.push_back(detail::unpack_element<T>(unpacker));
    }
    return values;
  }
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

template <Transferable T>
struct wire<std::deque<T>> {
  static void pack(Packer& packer, const std::deque<T>& values) {
    packer.put_count(values.size());
    for (const T& value : values) {
      detail::pack_element<T>(packer, value);
    }
  }
  static std::deque<T> unpack(Unpacker& unpacker) {
    std::deque<T> values;
    for (std::size_t left = unpacker.take_count(1); left > 0; --left) {
      values.push_back(detail::unpack_element<T>(unpacker));
    }
    return values;
  }
};

namespace detail {

/// The wires of containers with keys. A key that comes twice is refused.
template <class Map>
struct WireOfMap {
  static void pack(Packer& packer, const Map& map) {
    packer.put_count(map.size());
    for (const auto& [key, value] : map) {
      pack_element<typename Map::key_type>(packer, key);
      wire<typename Map::mapped_type>::pack(packer, value);
    }
  }
  static Map unpack(Unpacker& unpacker) {
    Map map;
    for (std::size_t left = unpacker.take_count(1); left > 0; --left) {
      auto key = unpack_element<typename Map::key_type>(unpacker);
      if (!map.emplace(std::move(key), wire<typename Map::mapped_type>::unpack(unpacker)).second) {
        throw Error("message damaged: a map has a key twice");
      }
    }
    return map;
  }
};

template <class Set>
struct WireOfSet {
  static void pack(Packer& packer, const Set& set) {
    packer.put_count(set.size());
    for (const auto& key : set) {
      pack_element<typename Set::key_type>(packer, key);
    }
  }
  static Set unpack(Unpacker& unpacker) {
    Set set;
    for (std::size_t left = unpacker.take_count(1); left > 0; --left) {
      if (!set.insert(unpack_element<typename Set::key_type>(unpacker)).second) {
        throw Error("message damaged: a set has a key twice");
      }
    }
    return set;
  }
};

}  // namespace detail

template <Transferable Key, Transferable T, class Less>
struct wire<std::map<Key, T, Less>> : detail::WireOfMap<std::map<Key, T, Less>> {};
template <Transferable Key, Transferable T, class Hash, class Equal>
struct wire<std::unordered_map<Key, T, Hash, Equal>>
    : detail::WireOfMap<std::unordered_map<Key, T, Hash, Equal>> {};
template <Transferable Key, class Less>
struct wire<std::set<Key, Less>> : detail::WireOfSet<std::set<Key, Less>> {};
template <Transferable Key, class Hash, class Equal>
struct wire<std::unordered_set<Key, Hash, Equal>>
    : detail::WireOfSet<std::unordered_set<Key, Hash, Equal>> {};

}  // namespace cleave
