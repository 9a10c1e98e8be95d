// SPDX-License-Identifier: Apache-2.0
// How a value crosses between two ranks of the hypercube so that neither ever hangs. A header
// (status and length) goes before every payload, so a rank that has failed says so instead of its
// payload. Before a long payload each side says whether it found room for what is to come. A short
// payload comes with the header, unless its rank takes a trace, which tells the times of both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include <cleave/blocks/blocks.hpp>
#include <cleave/comm/messages.hpp>
#include <cleave/schedule/messages.hpp>
#include <cleave/wire.hpp>

namespace cleave::detail {

struct Header {
  enum Payload : std::int64_t { none, follows, is_here };
  Payload payload = none;
  std::int64_t bytes = 0;  ///< of the payload
};
static_assert(sizeof(Header) == kHeaderBytes);

template <class T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

/// Moves values between this rank and others, as blocks of the trace: `wait` until the other side
/// is there, `skeleton` for packing and room, `exchange` for the payload.
class Link {
 public:
  Link(const Messages& comm, BlockRunner& blocks) : comm_(comm), blocks_(blocks) {}

  /// Gives `mine` to `partner` and gets theirs. Either side may have none.
  template <Transferable T>
  std::optional<T> swap(int partner, const std::optional<T>& mine, Level level,
                        const Sizes& sizes) {
    return transfer<T>(partner, mine ? &*mine : nullptr, Direction::both, level, sizes);
  }
  template <Transferable T>
  void give(int to, const std::optional<T>& mine, Level level, const Sizes& sizes) {
    transfer<T>(to, mine ? &*mine : nullptr, Direction::out, level, sizes);
  }
  template <Transferable T>
  std::optional<T> get(int from, Level level) {
    return transfer<T>(from, nullptr, Direction::in, level, Sizes{});
  }

 private:
  enum class Direction { out, in, both };
  using Payload = std::span<const std::byte>;
  using MakeRoom = std::function<std::span<std::byte>(std::size_t bytes)>;

  template <Transferable T>
  std::optional<T> transfer(int other, const T* mine, Direction direction, Level level,
                            const Sizes& sizes) {
    std::optional<Outgoing<T>> outgoing;
    if (mine != nullptr) {
      work(level, sizes, 0, [&] { outgoing.emplace(*mine); });
    }
    std::optional<Incoming<T>> incoming;
    carry(other, direction, level, sizes,
          outgoing ? std::optional<Payload>(outgoing->bytes()) : std::nullopt,
          [&incoming](std::size_t bytes) {
            incoming.emplace(bytes);
            return incoming->bytes();
          });
    std::optional<T> value;
    if (incoming) {
      work(level, sizes, 0, [&] { value.emplace(incoming->take()); });
    }
    return value;
  }

  /// Sends the payload if there is one, and receives that of the other side, if it has one, where
  /// `make_room` finds room.
  void carry(int other, Direction direction, Level level, const Sizes& sizes,
             const std::optional<Payload>& mine, const MakeRoom& make_room);
  /// The skeleton's own work, which may run out of memory.
  void work(Level level, const Sizes& sizes, std::int64_t bytes,
            const std::function<void()>& piece);
  void move(Block block, Level level, const Sizes& sizes, int other, Payload out,
            std::span<std::byte> in, std::int64_t bytes);

  const Messages& comm_;
  BlockRunner& blocks_;
};

}  // namespace cleave::detail
