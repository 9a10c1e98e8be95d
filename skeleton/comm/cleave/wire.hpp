// SPDX-License-Identifier: Apache-2.0
// wire<T>: how a value crosses to another rank, as a sequence of bytes. Ranks must agree on byte
// order and type sizes.
//
// Automatic: arithmetic types, enumerations, std::complex, std::bitset, std::array, std::pair,
// std::tuple, std::optional, std::variant, the containers of the standard library, and aggregates
// of at most 100 of these, to any depth. Refused at compile time: pointers and views, alone or
// inside an aggregate, since what they point to stays behind; C arrays, for which std::array does;
// unions, since nothing tells which member holds; aggregates with a base class; containers whose
// comparator, hash or allocator has state; types that hold themselves. Any other type: specialise
// wire<T>, or declare it `kPlain` if its bytes are its value: large aggregates compile faster then.
#pragma once

#include <algorithm>
#include <array>
#include <boost/pfr/core.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <experimental/type_traits>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <cleave/error.hpp>

namespace cleave {

/// Bytes that a value is packed into.
class Packer {
 public:
  [[gnu::noinline]] void put(const void* data, std::size_t bytes) {  // inline, g++ 12 warns wrongly
    const auto* first = static_cast<const std::byte*>(data);
    bytes_.insert(bytes_.end(), first, first + bytes);
  }
  void put_count(std::uint64_t count) { put(&count, sizeof(count)); }
  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::vector<std::byte> bytes_;
};

/// Bytes that a value is read from again. \throws Error  if there are too few
class Unpacker {
 public:
  explicit Unpacker(std::span<const std::byte> bytes) : bytes_(bytes) {}

  void take(void* data, std::size_t bytes) {
    if (bytes > bytes_.size()) [[unlikely]] {
      throw Error("message cut short");
    }
    if (bytes != 0) {
      std::memcpy(data, bytes_.data(), bytes);
    }
    bytes_ = bytes_.subspan(bytes);
  }
  /// A count of elements that each take at least `element_bytes`, so that no message, however
  /// damaged, makes its reader ask for more memory than the message is long.
  std::size_t take_count(std::size_t element_bytes) {
    std::uint64_t count = 0;
    take(&count, sizeof(count));
    if (count > bytes_.size() / element_bytes) {
      throw Error("message cut short: it holds fewer elements than it says");
    }
    return static_cast<std::size_t>(count);
  }
  std::size_t left() const { return bytes_.size(); }

 private:
  std::span<const std::byte> bytes_;
};

/// Specialise with `static void pack(Packer&, const T&)` and `static T unpack(Unpacker&)`, or
/// derive from WireByStorage. A member type `Parts` names types that must cross as well.
template <class T>
struct wire;

/// The wire of a type that crosses as one vector of plain elements, without being packed. The wire
/// that derives from this redefines `view` and `restore` where they are no conversions.
template <class T, class Elements>
struct WireByStorage {
  using Storage = Elements;
  using View = std::span<const typename Storage::value_type>;

  static View view(const T& value) { return value; }
  static T restore(Storage storage) { return T(std::move(storage)); }

  static void pack(Packer& packer, const T& value) {
    const View elements = wire<T>::view(value);
    packer.put_count(elements.size());
    packer.put(elements.data(), elements.size_bytes());
  }
  static T unpack(Unpacker& unpacker) {
    constexpr std::size_t kBytes = sizeof(typename Storage::value_type);
    Storage storage;
    storage.resize(unpacker.take_count(kBytes));
    unpacker.take(storage.data(), storage.size() * kBytes);
    return wire<T>::restore(std::move(storage));
  }
};

namespace detail {

/// std::complex and std::bitset, whose headers few programs need.
template <class T>
concept PlainOfStandard = std::is_trivially_copyable_v<T> &&
                          (
                              requires(const T& number) {
                                requires sizeof(T) == 2 * sizeof(number.imag());
                              } || requires(const T& bits) { bits.test(bits.to_ullong()); });

}  // namespace detail

/// Specialise as `true` for a trivially copyable type that cannot be looked into (it has private
/// members or a base class) and whose bytes are its whole value.
template <class T>
inline constexpr bool kPlain =
    std::is_arithmetic_v<T> || std::is_enum_v<T> || detail::PlainOfStandard<T>;

namespace detail {

// The fields of an aggregate. Boost.PFR names them, by functions of its detail that are told how
// many there are: its public ones count. g++ 12 breaks down in that count where a field is a
// std::array of strings, and it takes each element of a C array for a field of its own.

/// Initialises any field but a C array, whose elements it initialises one by one. Never called.
template <class T>
using AnyField =
    std::conditional_t<std::is_copy_constructible_v<T>, boost::pfr::detail::ubiq_lref_constructor,
                       boost::pfr::detail::ubiq_rref_constructor>;

/// Initialises only what no structured binding of T names: a base, or a union without a name.
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

template <class T>
inline constexpr bool kIsArray = false;
template <class T, std::size_t n>
inline constexpr bool kIsArray<std::array<T, n>> = true;

/// An aggregate whose fields can be named. One that is const or a reference cannot be assigned.
template <class T>
concept HasFields =
    std::is_aggregate_v<T> && std::is_class_v<T> && !kIsArray<T> && std::is_move_assignable_v<T> &&
    (field_count<T>() <= kMaxFields) && counts_fields<T>();

template <class... Ts>
struct Types {};
template <class... Ts>
auto types_of(const std::tuple<Ts...>&) -> Types<std::remove_cvref_t<Ts>...>;

/// References to the fields of `value`, as a std::tuple.
template <class T>
  requires HasFields<std::remove_const_t<T>>
auto fields_of(T& value) {
  constexpr std::size_t kCount = field_count<std::remove_const_t<T>>();
  const auto fields =
      boost::pfr::detail::tie_as_tuple(value, boost::pfr::detail::size_t_<kCount>{});
  return [&]<std::size_t... i>(std::index_sequence<i...>) {
    return std::tie(boost::pfr::detail::sequence_tuple::get<i>(fields)...);
  }(std::make_index_sequence<kCount>());
}
/// The types of T's fields, as Types.
template <HasFields T>
using FieldTypes = decltype(types_of(fields_of(std::declval<T&>())));

template <class T>
concept HasWire = requires(Packer& packer, Unpacker& unpacker, const T& value) {
  wire<T>::pack(packer, value);
  { wire<T>::unpack(unpacker) } -> std::same_as<T>;
};

template <class T>
consteval bool is_plain() {
  if constexpr (kPlain<T>) {
    return true;
  } else if constexpr (kIsArray<T>) {
    return is_plain<typename T::value_type>();
  } else if constexpr (std::is_trivially_copyable_v<T> && HasFields<T>) {
    return []<class... Fields>(Types<Fields...>) {
      return (is_plain<Fields>() && ...);
    }(FieldTypes<T>());
  } else {
    return false;
  }
}

/// A container as the standard library has them: elements are inserted at its end.
template <class T>
concept Container =
    std::default_initializable<T> && requires(T& container, typename T::value_type element) {
      typename T::allocator_type;
      container.insert(container.end(), std::move(element));
      container.size();
    };

/// A vector of plain elements, a string or a Part, which crosses as its storage is.
template <class T>
concept PlainSequence =
    std::ranges::contiguous_range<const T> && requires(T& sequence) { sequence.resize(1); } &&
    is_plain<typename T::value_type>() &&
    !requires { requires !std::is_empty_v<typename T::allocator_type>; };

/// A default-constructed container compares, hashes and allocates as any other one of its type.
template <class T>
concept StatelessContainer = Container<T> && std::is_empty_v<typename T::allocator_type> &&
                             !requires { requires !std::is_empty_v<typename T::key_compare>; } &&
                             !requires { requires !std::is_empty_v<typename T::hasher>; } &&
                             !requires { requires !std::is_empty_v<typename T::key_equal>; };

/// The first part of a type, or the type, that cannot cross; void where all can.
template <class T>
struct Culprit {};
template <class A, class B>
consteval auto operator|(Culprit<A> /*first*/, Culprit<B> /*second*/) {
  return std::conditional_t<std::is_void_v<A>, Culprit<B>, Culprit<A>>();
}

/// \tparam Above  what holds T: a type that holds itself, in a container, crosses as its others do
template <class T, class... Above>
consteval auto culprit() {
  if constexpr (!HasWire<T>) {
    return Culprit<T>();
  } else if constexpr (!(std::same_as<T, Above> || ...) && requires { typename wire<T>::Parts; }) {
    return []<class... Parts>(Types<Parts...>) consteval {
      return (Culprit<void>() | ... | culprit<Parts, T, Above...>());
    }(typename wire<T>::Parts());
  } else {
    return Culprit<void>();
  }
}

}  // namespace detail

/// A type whose bytes are its value.
template <class T>
concept Plain = detail::is_plain<T>();

/// A type that can cross to another rank.
template <class T>
concept Transferable = std::same_as<decltype(detail::culprit<T>()), detail::Culprit<void>>;

template <Plain T>
struct wire<T> {
  static void pack(Packer& packer, const T& value) { packer.put(&value, sizeof(T)); }
  static T unpack(Unpacker& unpacker) {
    T value;
    unpacker.take(&value, sizeof(T));
    return value;
  }
};

/// A byte that is not a truth value is refused, not read as one.
template <>
struct wire<bool> {
  static void pack(Packer& packer, bool value) { packer.put(&value, sizeof(value)); }
  static bool unpack(Unpacker& unpacker) {
    const auto byte = wire<std::uint8_t>::unpack(unpacker);
    if (byte > 1) {
      throw Error("message damaged: a truth value is neither 0 nor 1");
    }
    return byte == 1;
  }
};

namespace detail {

/// The parts of a value one after the other.
template <class T, class Parts>
struct WireOfParts;
template <class T, class... Ts>
struct WireOfParts<T, Types<Ts...>> {
  using Parts = Types<Ts...>;

  static void pack([[maybe_unused]] Packer& packer, const T& value) {
    const auto pack_all = [&](const Ts&... parts) { (wire<Ts>::pack(packer, parts), ...); };
    if constexpr (HasFields<T>) {
      std::apply(pack_all, fields_of(value));
    } else {
      std::apply(pack_all, value);
    }
  }
  static T unpack([[maybe_unused]] Unpacker& unpacker) {
    return T{wire<Ts>::unpack(unpacker)...};  // braces: left to right
  }
};

}  // namespace detail

/// An aggregate that is not plain.
template <class T>
  requires(!Plain<T> && detail::HasFields<T>)
struct wire<T> : detail::WireOfParts<T, detail::FieldTypes<T>> {};

template <class First, class Second>
struct wire<std::pair<First, Second>>
    : detail::WireOfParts<std::pair<First, Second>,
                          detail::Types<std::remove_const_t<First>, Second>> {};
template <class... Ts>
struct wire<std::tuple<Ts...>>
    : detail::WireOfParts<std::tuple<Ts...>, detail::Types<std::remove_const_t<Ts>...>> {};

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

  /// \throws std::bad_variant_access  if the variant lost its value to an exception
  static void pack(Packer& packer, const Variant& value) {
    wire<std::uint32_t>::pack(packer, static_cast<std::uint32_t>(value.index()));
    std::visit([&packer]<class T>(const T& held) { wire<T>::pack(packer, held); }, value);
  }
  static Variant unpack(Unpacker& unpacker) {
    const auto index = wire<std::uint32_t>::unpack(unpacker);
    std::optional<Variant> value;
    [&]<std::size_t... i>(std::index_sequence<i...>) {
      (void)((index == i &&
              (value.emplace(std::in_place_index<i>, wire<Ts>::unpack(unpacker)), true)) ||
             ...);
    }(std::index_sequence_for<Ts...>());
    if (!value) {
      throw Error("message damaged: a variant has fewer alternatives than it says");
    }
    return *std::move(value);
  }
};

template <detail::PlainSequence T>
struct wire<T> : WireByStorage<T, T> {};

namespace detail {

/// An element of a sequence takes one byte at least, so that a count can be checked against what is
/// left of a message, and a list without a count ends with it.
template <Transferable T>
void pack_element(Packer& packer, const T& value) {
  const std::size_t before = packer.bytes().size();
  wire<T>::pack(packer, value);
  packer.put("", packer.bytes().size() == before ? 1 : 0);
}
template <Transferable T>
T unpack_element(Unpacker& unpacker) {
  const std::size_t before = unpacker.left();
  T value = wire<T>::unpack(unpacker);
  [[maybe_unused]] char none = 0;
  unpacker.take(&none, unpacker.left() == before ? 1 : 0);
  return value;
}

}  // namespace detail

/// The elements of a container, one by one. A key that comes twice is refused.
template <class T>
  requires((detail::StatelessContainer<T> && !detail::PlainSequence<T>) ||
           (detail::kIsArray<T> && !Plain<T>))
struct wire<T> {
  using Element = typename T::value_type;
  using Parts = detail::Types<Element>;

  static void pack(Packer& packer, const T& container) {
    if constexpr (!detail::kIsArray<T>) {
      packer.put_count(container.size());
    }
    for (const auto& element : container) {
      detail::pack_element<Element>(packer, element);
    }
  }
  static T unpack(Unpacker& unpacker) {
    T container;
    if constexpr (detail::kIsArray<T>) {
      for (Element& element : container) {
        element = detail::unpack_element<Element>(unpacker);
      }
    } else {
      const std::size_t count = unpacker.take_count(1);
      if constexpr (requires { container.reserve(count); }) {
        container.reserve(count);
      }
      for (std::size_t i = 0; i < count; ++i) {
        container.insert(container.end(), detail::unpack_element<Element>(unpacker));
      }
      if (container.size() < count) {
        throw Error("message damaged: a container has a key twice");
      }
    }
    return container;
  }
};

namespace detail {

template <class T>
concept CrossesAsStorage = requires { typename wire<T>::Storage; };

template <class T>
using StorageMember = typename wire<T>::Storage;
template <class T>
using StorageOf = std::experimental::detected_or_t<std::vector<std::byte>, StorageMember, T>;

}  // namespace detail

/// The bytes of a value on its way out. Refers to the value, which must outlive this.
template <Transferable T>
class Outgoing {
 public:
  explicit Outgoing(const T& value) {
    if constexpr (detail::CrossesAsStorage<T>) {
      bytes_ = std::as_bytes(wire<T>::view(value));
    } else {
      wire<T>::pack(packer_, value);
      bytes_ = packer_.bytes();
    }
  }
  Outgoing(const Outgoing&) = delete;
  Outgoing& operator=(const Outgoing&) = delete;

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  Packer packer_;
  std::span<const std::byte> bytes_;
};

/// Storage for a value on its way in.
template <Transferable T>
class Incoming {
 public:
  /// \throws std::bad_alloc, Error  if no value of this type has so many bytes
  explicit Incoming(std::size_t bytes) {
    using Element = typename decltype(storage_)::value_type;
    if (bytes % sizeof(Element) != 0) {
      throw Error("message cut short: its length is not a whole number of elements");
    }
    storage_.resize(bytes / sizeof(Element));
  }

  std::span<std::byte> bytes() { return std::as_writable_bytes(std::span(storage_)); }

  /// The value, once its bytes have arrived.
  T take() {
    if constexpr (detail::CrossesAsStorage<T>) {
      return wire<T>::restore(std::move(storage_));
    } else {
      Unpacker unpacker(storage_);
      return wire<T>::unpack(unpacker);
    }
  }

 private:
  detail::StorageOf<T> storage_;
};

namespace detail {

template <Transferable T>
T over_the_wire(const T& value) {
  const Outgoing<T> outgoing(value);
  Incoming<T> incoming(outgoing.bytes().size());
  std::ranges::copy(outgoing.bytes(), incoming.bytes().begin());
  return incoming.take();
}

template <class T>
T copy_of(const T& value) {
  if constexpr (std::copy_constructible<T>) {
    return value;
  } else {
    return over_the_wire(value);
  }
}

}  // namespace detail

}  // namespace cleave
