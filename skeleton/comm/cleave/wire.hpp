// SPDX-License-Identifier: Apache-2.0
// wire<T>: how a value crosses to another rank, as a sequence of bytes.
//
// Automatic: arithmetic types, enumerations, std::complex, std::bitset, std::array, std::pair,
// std::tuple, std::optional, std::variant, the containers of the standard library, and aggregates
// of at most 100 of these, to any depth. Refused at compile time: pointers and views (std::span,
// std::string_view), alone or inside an aggregate, since what they point to stays behind; C arrays,
// for which std::array does; unions, since nothing tells which member holds; aggregates with a base
// class; containers whose comparator, hash or allocator has state; types that hold themselves. Any
// other type: specialise wire<T>, or declare it `kPlain` if its bytes are its value, which also
// spares the compiler a look into an aggregate of many kilobytes. Ranks must agree on byte order
// and type sizes: one cluster of one kind of machine.
#pragma once

#include <array>
#include <boost/pfr/core.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
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
/// that derives from this has
/// - `static std::span<const Element> view(const T&, Storage& scratch)`: what crosses, in the value
///   itself or in `scratch`;
/// - `static T restore(Storage)`.
template <class T, class Elements>
struct WireByStorage {
  using Storage = Elements;

  static void pack(Packer& packer, const T& value) {
    Storage scratch;
    const std::span elements = wire<T>::view(value, scratch);
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

// The fields of an aggregate. Boost.PFR names them, by functions of its detail that are told how
// many there are: its public ones count. g++ 12 breaks down in that count where a field is a
// std::array of strings, and it takes each element of a C array for a field of its own.

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
inline constexpr bool kIsArray = false;
template <class T, std::size_t n>
inline constexpr bool kIsArray<std::array<T, n>> = true;

template <class T>
concept HasWire = requires(Packer& packer, Unpacker& unpacker, const T& value) {
  wire<T>::pack(packer, value);
  { wire<T>::unpack(unpacker) } -> std::same_as<T>;
};

template <class T>
concept Inspectable = !kIsArray<T> && HasFields<T>;

template <class T>
consteval bool is_plain() {
  if constexpr (kPlain<T>) {
    return true;
  } else if constexpr (kIsArray<T>) {
    return is_plain<typename T::value_type>();
  } else if constexpr (std::is_trivially_copyable_v<T> && Inspectable<T>) {
    return []<class... Fields>(Types<Fields...>) {
      return (is_plain<Fields>() && ...);
    }(FieldTypes<T>());
  } else {
    return false;
  }
}

template <class T>
concept PointsElsewhere =
    std::is_pointer_v<T> || std::is_reference_v<T> || std::is_member_pointer_v<T> ||
    std::ranges::view<T> || std::input_or_output_iterator<T> ||
    requires(const T& pointer) { *pointer.get(); } || requires(const T& wrapper) {
      { wrapper.get() } -> std::same_as<typename T::type&>;
    };

/// A container as the standard library has them: elements are inserted at its end.
template <class T>
concept Container =
    std::default_initializable<T> && requires(T& container, typename T::value_type element) {
      typename T::allocator_type;
      container.insert(container.end(), std::move(element));
      container.size();
    };

/// A vector of plain elements or a string, which crosses as its storage is.
template <class T>
concept ContiguousContainer =
    Container<T> && std::ranges::contiguous_range<const T> && is_plain<typename T::value_type>();

/// A default-constructed container compares, hashes and allocates as any other one of its type.
template <class T>
concept StatelessContainer =
    Container<T> && std::is_empty_v<typename T::allocator_type> &&
    (
        !requires { typename T::key_compare; } ||
        requires { requires std::is_empty_v<typename T::key_compare>; }) &&
    (
        !requires { typename T::hasher; } ||
        requires {
          requires std::is_empty_v<typename T::hasher> && std::is_empty_v<typename T::key_equal>;
        });

/// Why a type does not cross to another rank, the graver the greater: it cannot be looked into, or
/// it points elsewhere.
enum class Fault { none, closed, pointer };

/// \tparam Culprit  the type at fault
template <Fault fault, class Culprit>
struct Crossing {
  static constexpr Fault kFault = fault;
};
template <Fault a, class A, Fault b, class B>
std::conditional_t<(a >= b), Crossing<a, A>, Crossing<b, B>> operator|(Crossing<a, A> /*first*/,
                                                                       Crossing<b, B> /*second*/) {
  return {};
}

/// The gravest fault of T and of the parts that its wire names. \tparam Above  what holds T
template <class T, class... Above>
auto crossing() {
  constexpr bool kHoldsItself = (std::same_as<T, Above> || ...);
  if constexpr (!HasWire<T> && PointsElsewhere<T>) {
    return Crossing<Fault::pointer, T>();
  } else if constexpr (kHoldsItself || !HasWire<T>) {
    return Crossing<Fault::closed, T>();
  } else if constexpr (requires { typename wire<T>::Parts; }) {
    return []<class... Parts>(Types<Parts...>) {
      return (Crossing<Fault::none, T>() | ... | crossing<Parts, T, Above...>());
    }(typename wire<T>::Parts());
  } else {
    return Crossing<Fault::none, T>();
  }
}
template <class T>
using CrossingOf = decltype(crossing<T>());

}  // namespace detail

/// A type whose bytes are its value.
template <class T>
concept Plain = detail::is_plain<T>();

/// A type that can cross to another rank.
template <class T>
concept Transferable = detail::CrossingOf<T>::kFault == detail::Fault::none;

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
  requires(!Plain<T> && detail::Inspectable<T>)
struct wire<T> : detail::WireOfParts<T, detail::FieldTypes<T>> {};

template <class First, class Second>
struct wire<std::pair<First, Second>>
    : detail::WireOfParts<std::pair<First, Second>,
                          detail::Types<std::remove_const_t<First>, Second>> {};
template <class... Ts>
struct wire<std::tuple<Ts...>>
    : detail::WireOfParts<std::tuple<Ts...>, detail::Types<std::remove_const_t<Ts>...>> {};

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

template <detail::ContiguousContainer T>
struct wire<T> : WireByStorage<T, T> {
  static std::span<const typename T::value_type> view(const T& values, T& /*scratch*/) {
    return values;
  }
  static T restore(T storage) { return storage; }
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
  requires(detail::StatelessContainer<T> && !detail::ContiguousContainer<T>)
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

namespace detail {

template <class T>
concept CrossesAsStorage = requires { typename wire<T>::Storage; };

template <class T>
struct StorageOf {
  using Type = std::vector<std::byte>;
};
template <CrossesAsStorage T>
struct StorageOf<T> {
  using Type = typename wire<T>::Storage;
};

}  // namespace detail

/// The bytes of a value on its way out. Refers to the value, which must outlive this.
template <Transferable T>
class Outgoing {
 public:
  explicit Outgoing(const T& value) {
    if constexpr (detail::CrossesAsStorage<T>) {
      bytes_ = std::as_bytes(wire<T>::view(value, scratch_));
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
  typename detail::StorageOf<T>::Type scratch_;
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
  typename detail::StorageOf<T>::Type storage_;
};

}  // namespace cleave
