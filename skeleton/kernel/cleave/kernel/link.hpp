// SPDX-License-Identifier: Apache-2.0
// How values cross between two ranks so that neither ever hangs. A header (status and length) goes
// before every payload, so a rank that has failed says so instead of its payload. Before a long
// payload each side says whether it found room for what is to come. A short payload comes with the
// header, unless its rank takes a trace, which tells the times of both.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>

#include <cleave/comm.hpp>
#include <cleave/kernel/blocks.hpp>
#include <cleave/kernel/erased_value.hpp>
#include <cleave/schedule/messages.hpp>

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

/// The bytes of a list on its way out, which it refers to.
class OutgoingList {
 public:
  OutgoingList(const Values& list, const ListWire& list_wire);
  std::span<const std::byte> bytes() const { return one_ ? one_->bytes() : packer_.bytes(); }

 private:
  std::unique_ptr<AnyOutgoing> one_;
  Packer packer_;
};

/// Moves values between this rank and others, as blocks of the trace: `wait` until the other side
/// is there, `skeleton` for packing and room, `exchange` for the payload.
class Link {
 public:
  enum class Direction { out, in, both };

  Link(const Messages& comm, BlockRunner& blocks) : comm_(comm), blocks_(blocks) {}

  /// Gives `mine` to `other`, gets theirs, or both. Either side may have none.
  /// \param sizes  of `mine`, for the trace
  std::optional<Values> transfer(int other, Direction direction, const std::optional<Values>& mine,
                                 const ListWire& list_wire, Level level, const Sizes& sizes);

 private:
  using Payload = std::span<const std::byte>;
  using MakeRoom = std::function<std::span<std::byte>(std::size_t bytes)>;

  void carry(int other, Direction direction, Level level, const Sizes& sizes,
             const std::optional<Payload>& mine, const MakeRoom& make_room);
  void work(Level level, const Sizes& sizes, std::int64_t bytes,
            const std::function<void()>& piece);
  void move(Block block, Level level, const Sizes& sizes, int other, Payload out,
            std::span<std::byte> in, std::int64_t bytes);

  const Messages& comm_;
  BlockRunner& blocks_;
};

}  // namespace cleave::detail
