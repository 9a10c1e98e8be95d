// SPDX-License-Identifier: Apache-2.0
// A value whose type is known where it was made, and nowhere else: problems and solutions as the
// executors move them, which are compiled once. It lies on the heap, so an ErasedValue never throws
// when it is moved. In place, each move calls a function: long tasks of work stealing took 1.3
// times as long, and calls of ten integers 1.0 to 1.1 times.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
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
/// Makes the storage for so many bytes.
using MakeIncoming = std::unique_ptr<AnyIncoming> (*)(std::size_t bytes);

template <class T>
struct OutgoingOf final : AnyOutgoing {
  explicit OutgoingOf(const T& value) : outgoing(value) {}
  std::span<const std::byte> bytes() const override { return outgoing.bytes(); }
  Outgoing<T> outgoing;
};

class ErasedValue {
 public:
  ErasedValue() = default;
  /// \param args  of T's constructor, which may throw
  template <class T, class... Args>
  static ErasedValue of(Args&&... args) {
    ErasedValue value;
    value.value_ = std::make_unique<Of<T>>(std::forward<Args>(args)...);
    return value;
  }

  void reset() { value_.reset(); }

  /// The value. \pre  it is a T
  template <class T>
  T& as() {
    return static_cast<Of<T>&>(*value_).value;
  }
  template <class T>
  const T& as() const {
    return static_cast<const Of<T>&>(*value_).value;
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
  static ErasedValue unpack(MakeIncoming make, Unpacker& unpacker) {
    const auto value = make(unpacker.take_count(1));
    unpacker.take(value->bytes().data(), value->bytes().size());
    return value->take();
  }
  /// \pre  its type crosses to other ranks
  std::unique_ptr<AnyOutgoing> outgoing() const { return value_->outgoing(); }

 private:
  struct Any {
    virtual ~Any() = default;
    virtual std::unique_ptr<AnyOutgoing> outgoing() const { return nullptr; }
  };
  template <class T>
  struct Of final : Any {
    template <class... Args>
    explicit Of(Args&&... args) : value(std::forward<Args>(args)...) {}
    std::unique_ptr<AnyOutgoing> outgoing() const override {
      if constexpr (Transferable<T>) {
        return std::make_unique<OutgoingOf<T>>(value);
      } else {
        return nullptr;
      }
    }
    T value;
  };

  std::unique_ptr<Any> value_;
};

template <class T>
struct IncomingOf final : AnyIncoming {
  explicit IncomingOf(std::size_t bytes) : incoming(bytes) {}
  std::span<std::byte> bytes() override { return incoming.bytes(); }
  ErasedValue take() override { return ErasedValue::of<T>(incoming.take()); }
  Incoming<T> incoming;
};

/// Null where T does not cross to other ranks.
template <class T>
constexpr MakeIncoming make_incoming() {
  if constexpr (Transferable<T>) {
    return [](std::size_t bytes) -> std::unique_ptr<AnyIncoming> {
      return std::make_unique<IncomingOf<T>>(bytes);
    };
  } else {
    return nullptr;
  }
}

/// The problems of a group of ranks, or their solutions: one, or neighbours of one division.
using Values = std::vector<ErasedValue>;

inline Values list_of(ErasedValue value) {
  Values list;
  list.push_back(std::move(value));
  return list;
}

/// How a list crosses to another rank.
struct ListWire {
  MakeIncoming make = nullptr;
  bool is_one = true;  ///< a value alone, which crosses as it would without a list
};

}  // namespace cleave::detail
