// SPDX-License-Identifier: Apache-2.0
// A value whose type is known where it was made, and nowhere else: problems and solutions as the
// executors move them, which are compiled once. Up to 32 bytes lie in it, so a vector or a few
// numbers take no memory of their own. Larger values, and those whose move may throw, lie on the
// heap: so an ErasedValue never throws when it is moved.
#pragma once

#include <cstddef>
#include <cstring>
#include <memory>
#include <new>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

#include <cleave/wire.hpp>

namespace cleave::detail {

class ErasedValue;

/// The bytes of a value on its way out, which it refers to.
struct AnyOutgoing {
  virtual ~AnyOutgoing() = default;
  virtual std::span<const std::byte> bytes() const = 0;
};
/// Storage for a value on its way in.
struct AnyIncoming {
  virtual ~AnyIncoming() = default;
  virtual std::span<std::byte> bytes() = 0;
  /// The value, once its bytes have arrived.
  virtual ErasedValue take() = 0;
};

/// The operations of one type. A place is what an ErasedValue holds. The last two are null where
/// the type does not cross to other ranks.
struct ValueOps {
  void (*relocate)(void* to, void* from) noexcept;  ///< null: by copying the bytes of the place
  void (*destroy)(void* place) noexcept;            ///< null: nothing is to be done
  std::unique_ptr<AnyOutgoing> (*outgoing)(const void* place);
  std::unique_ptr<AnyIncoming> (*incoming)(std::size_t bytes);
};

template <class T>
struct OpsOf;

class ErasedValue {
 public:
  ErasedValue() = default;
  /// \param args  of T's constructor, which may throw
  template <class T, class... Args>
  static ErasedValue of(Args&&... args) {
    ErasedValue value;
    if constexpr (kLiesInPlace<T>) {
      ::new (static_cast<void*>(value.place_)) T(std::forward<Args>(args)...);
    } else {
      ::new (static_cast<void*>(value.place_)) T*(new T(std::forward<Args>(args)...));
    }
    value.ops_ = &OpsOf<T>::kOps;
    return value;
  }
  ErasedValue(ErasedValue&& other) noexcept { steal(other); }
  ErasedValue& operator=(ErasedValue&& other) noexcept {
    if (this != &other) {
      reset();
      steal(other);
    }
    return *this;
  }
  ~ErasedValue() { reset(); }

  bool empty() const { return ops_ == nullptr; }
  void reset() noexcept {
    const ValueOps* const ops = std::exchange(ops_, nullptr);
    if (ops != nullptr && ops->destroy != nullptr) {
      ops->destroy(place_);
    }
  }

  /// The value. \pre  it is a T
  template <class T>
  T& as() {
    return at<T>(place_);
  }
  template <class T>
  const T& as() const {
    return at<T>(const_cast<std::byte*>(place_));
  }
  /// The value, to be moved from.
  template <class T>
  T&& take() {
    return std::move(as<T>());
  }

  void pack(Packer& packer) const {
    const auto value = outgoing();
    packer.put_count(value->bytes().size());
    packer.put(value->bytes().data(), value->bytes().size());
  }
  static ErasedValue unpack(const ValueOps& ops, Unpacker& unpacker) {
    const auto value = ops.incoming(unpacker.take_count(1));
    unpacker.take(value->bytes().data(), value->bytes().size());
    return value->take();
  }
  std::unique_ptr<AnyOutgoing> outgoing() const { return ops_->outgoing(place_); }

 private:
  template <class T>
  friend struct OpsOf;

  static constexpr std::size_t kBytesInPlace = 32;
  template <class T>
  static constexpr bool kLiesInPlace =
      sizeof(T) <= kBytesInPlace && alignof(T) <= alignof(std::max_align_t) &&
      std::is_nothrow_move_constructible_v<T>;

  template <class T>
  static T& at(void* place) {
    if constexpr (kLiesInPlace<T>) {
      return *std::launder(static_cast<T*>(place));
    } else {
      return **static_cast<T**>(place);
    }
  }

  void steal(ErasedValue& other) noexcept {
    ops_ = std::exchange(other.ops_, nullptr);
    if (ops_ != nullptr && ops_->relocate != nullptr) {
      ops_->relocate(place_, other.place_);
    } else if (ops_ != nullptr) {
      std::memcpy(place_, other.place_, kBytesInPlace);
    }
  }

  const ValueOps* ops_ = nullptr;
  alignas(std::max_align_t) std::byte place_[kBytesInPlace];
};

template <class T>
struct OutgoingOf final : AnyOutgoing {
  explicit OutgoingOf(const T& value) : outgoing(value) {}
  std::span<const std::byte> bytes() const override { return outgoing.bytes(); }
  Outgoing<T> outgoing;
};
template <class T>
struct IncomingOf final : AnyIncoming {
  explicit IncomingOf(std::size_t bytes) : incoming(bytes) {}
  std::span<std::byte> bytes() override { return incoming.bytes(); }
  ErasedValue take() override { return ErasedValue::of<T>(incoming.take()); }
  Incoming<T> incoming;
};

template <class T>
struct OpsOf {
  static consteval ValueOps make() {
    ValueOps ops{};
    if constexpr (!ErasedValue::kLiesInPlace<T>) {
      ops.destroy = [](void* place) noexcept { delete *static_cast<T**>(place); };
    } else if constexpr (!std::is_trivially_copyable_v<T>) {
      ops.relocate = [](void* to, void* from) noexcept {
        T& value = ErasedValue::at<T>(from);
        ::new (to) T(std::move(value));
        value.~T();
      };
      ops.destroy = [](void* place) noexcept { ErasedValue::at<T>(place).~T(); };
    }
    if constexpr (Transferable<T>) {
      ops.outgoing = [](const void* place) -> std::unique_ptr<AnyOutgoing> {
        return std::make_unique<OutgoingOf<T>>(at(place));
      };
      ops.incoming = [](std::size_t bytes) -> std::unique_ptr<AnyIncoming> {
        return std::make_unique<IncomingOf<T>>(bytes);
      };
    }
    return ops;
  }
  static const T& at(const void* place) { return ErasedValue::at<T>(const_cast<void*>(place)); }

  static constexpr ValueOps kOps = make();
};

/// The problems of a group of ranks, or their solutions: one, or neighbours of one division.
using Values = std::vector<ErasedValue>;

inline Values list_of(ErasedValue value) {
  Values list;
  list.push_back(std::move(value));
  return list;
}

/// How a list crosses to another rank.
struct ListWire {
  const ValueOps* ops = nullptr;
  bool is_one = true;  ///< a value alone, which crosses as it would without a list
};

}  // namespace cleave::detail
