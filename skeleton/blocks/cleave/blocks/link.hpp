// SPDX-License-Identifier: Apache-2.0
// How a value crosses between two ranks of the hypercube so that neither ever hangs. A header
// (status and length) goes before every payload, so a rank that has failed says so instead of its
// payload. Before a long payload each side says whether it found room for what is to come.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include <cleave/blocks/blocks.hpp>
#include <cleave/comm/messages.hpp>
#include <cleave/schedule/messages.hpp>
#include <cleave/wire.hpp>

namespace cleave::detail {

struct Header {
  std::int64_t has_payload = 0;
  std::int64_t bytes = 0;
};
static_assert(sizeof(Header) == kHeaderBytes);

template <class T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

/// Moves values between this rank and others, as blocks of the trace: `wait` until the other side
/// is there, `skeleton` for packing and room, `exchange` for the payload.
template <HasProblemAndSolution App>
class Link {
 public:
  Link(const Messages& comm, Blocks<App>& blocks) : comm_(comm), blocks_(blocks) {}

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

  template <Transferable T>
  std::optional<T> transfer(int other, const T* mine, Direction direction, Level level,
                            const Sizes& sizes) {
    const bool gives = direction != Direction::in;
    const bool gets = direction != Direction::out;

    std::optional<Outgoing<T>> outgoing;
    if (mine != nullptr) {
      in_block(Block::skeleton, level, sizes, 0, [&] { outgoing.emplace(*mine); });
    }
    Header my_header{.has_payload = outgoing.has_value() ? 1 : 0,
                     .bytes = outgoing ? std::ssize(outgoing->bytes()) : 0};
    Header their_header;
    move(Block::wait, level, sizes, other, gives ? bytes_of(my_header) : std::span<std::byte>{},
         gets ? bytes_of(their_header) : std::span<std::byte>{});

    std::optional<Incoming<T>> incoming;
    if (their_header.has_payload != 0) {
      in_block(Block::skeleton, level, sizes, their_header.bytes,
               [&] { incoming.emplace(static_cast<std::size_t>(their_header.bytes)); });
    }
    const bool lost = their_header.has_payload != 0 && !incoming;

    // Both sides know both lengths, so both know which of the two ask.
    char they_have_room = 1;
    const bool i_am_asked = their_header.bytes > static_cast<std::int64_t>(kMaxBytesUnasked);
    const bool i_ask = my_header.bytes > static_cast<std::int64_t>(kMaxBytesUnasked);
    if (i_ask || i_am_asked) {
      char i_have_room = lost ? 0 : 1;
      move(Block::wait, level, sizes, other,
           i_am_asked ? bytes_of(i_have_room) : std::span<std::byte>{},
           i_ask ? bytes_of(they_have_room) : std::span<std::byte>{});
    }

    std::array<std::byte, kMaxBytesUnasked> dropped;  // what was sent without asking
    std::span<const std::byte> out;
    std::span<std::byte> in;
    if (outgoing && they_have_room != 0) {
      out = outgoing->bytes();
    }
    if (incoming) {
      in = incoming->bytes();
    } else if (lost && !i_am_asked) {
      in = std::span(dropped).first(static_cast<std::size_t>(their_header.bytes));
    }
    if (!out.empty() || !in.empty()) {
      move(Block::exchange, level, sizes, other, out, in);
    }
    if (!incoming) {
      return std::nullopt;
    }
    std::optional<T> value;
    in_block(Block::skeleton, level, sizes, 0, [&] { value.emplace(incoming->take()); });
    return value;
  }

  /// The skeleton's own work, which may run out of memory.
  template <class Work>
  void in_block(Block block, Level level, const Sizes& sizes, std::int64_t bytes, Work&& work) {
    blocks_.attempt("exchange", level, [&] {
      return blocks_.timed(
          block, level,
          [&] {
            return blocks_.watched(block, level, [&] {
              work();
              return true;
            });
          },
          [&sizes](bool) { return sizes; }, bytes);
    });
  }

  void move(Block block, Level level, const Sizes& sizes, int other, std::span<const std::byte> out,
            std::span<std::byte> in) {
    blocks_.timed(
        block, level,
        [&] {
          comm_.exchange(other, out, in);
          return true;
        },
        [&sizes](bool) { return sizes; }, std::max(std::ssize(out), std::ssize(in)));
  }

  const Messages& comm_;
  Blocks<App>& blocks_;
};

}  // namespace cleave::detail
