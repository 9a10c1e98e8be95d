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
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <ranges>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <cleave/comm/fields.hpp>
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
template <class T, class Vector>
struct WireByStorage {
  using Storage = Vector;

  static void pack(Packer& packer, const T& value) {
    Storage scratch;
    const auto elements = wire<T>::view(value, scratch);
    packer.put_count(elements.size());
    packer.put(elements.data(), elements.size_bytes());
  }
  static T unpack(Unpacker& unpacker) {
    constexpr std::size_t kBytes = sizeof(typename Storage::value_type);
    Storage storage(unpacker.take_count(kBytes));
    unpacker.take(storage.data(), storage.size() * kBytes);
    return wire<T>::restore(std::move(storage));
  }
};

namespace detail {

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

/// Why a type does not cross to another rank, the graver the greater.
enum class Fault { none, aggregate, closed, state, recursive, pointer };

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

template <class T>
inline constexpr Fault kFaultOf = PointsElsewhere<T>       ? Fault::pointer
                                  : Container<T>           ? Fault::state
                                  : std::is_aggregate_v<T> ? Fault::aggregate
                                                           : Fault::closed;

/// The gravest fault of T and of the parts that its wire names. \tparam Above  what holds T
template <class T, class... Above>
auto crossing() {
  if constexpr ((std::same_as<T, Above> || ...)) {
    return Crossing<Fault::recursive, T>();
  } else if constexpr (!HasWire<T>) {
    return Crossing<kFaultOf<T>, T>();
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

/// An aggregate that is not plain: its fields one after the other.
template <class T>
  requires(!Plain<T> && detail::Inspectable<T>)
struct wire<T> {
  using Parts = detail::FieldTypes<T>;

  static void pack(Packer& packer, const T& value) {
    const auto fields = detail::fields_of(value);
    [&]<class... Fields, std::size_t... i>(detail::Types<Fields...>, std::index_sequence<i...>) {
      (wire<Fields>::pack(packer, detail::field<i>(fields)), ...);
    }(Parts(), std::make_index_sequence<detail::field_count<T>()>());
  }
  static T unpack(Unpacker& unpacker) {
    return [&]<class... Fields>(detail::Types<Fields...>) {
      return T{wire<Fields>::unpack(unpacker)...};
    }(Parts());
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

#include <cleave/comm/standard_wires.hpp>
