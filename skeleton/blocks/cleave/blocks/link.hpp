// SPDX-License-Identifier: Apache-2.0
// How a value crosses between two ranks of the hypercube so that neither ever hangs. A header
// (status and length) goes before every payload, so a rank that has failed says so instead of its
// payload. Before a long payload each side says whether it found room for what is to come. A short
// payload comes with the header, unless its rank takes a trace, which tells the times of both.
#pragma once

#include <algorithm>
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
  enum Payload : std::int64_t { none, follows, is_here };
  Payload payload = none;
  std::int64_t bytes = 0;  ///< of the payload
};
static_assert(sizeof(Header) == kHeaderBytes);

template <class T>
std::span<std::byte> bytes_of(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

/// A header and the short payload that may come with it.
struct HeaderMessage {
  Header header;
  std::array<std::byte, kMaxBytesInHeader> payload;

  /// Without the rest of an array that is not full.
  std::span<std::byte> filled() {
    const std::int64_t bytes = header.payload == Header::is_here ? header.bytes : 0;
    return bytes_of(*this).first(sizeof(header) + static_cast<std::size_t>(bytes));
  }
};

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
    HeaderMessage my_first = outgoing ? first_message(outgoing->bytes()) : HeaderMessage{};
    HeaderMessage their_first;
    move(Block::wait, level, sizes, other, gives ? my_first.filled() : std::span<std::byte>{},
         gets ? bytes_of(their_first) : std::span<std::byte>{}, kHeaderBytes);
    const Header my_header = my_first.header;
    const Header their_header = their_first.header;

    std::optional<Incoming<T>> incoming;
    if (their_header.payload != Header::none) {
      in_block(Block::skeleton, level, sizes, their_header.bytes,
               [&] { incoming.emplace(static_cast<std::size_t>(their_header.bytes)); });
    }
    const bool lost = their_header.payload == Header::follows && !incoming;

    // Both sides know both lengths, so both know which of the two ask.
    char they_have_room = 1;
    const bool i_am_asked = their_header.bytes > static_cast<std::int64_t>(kMaxBytesUnasked);
    const bool i_ask = my_header.bytes > static_cast<std::int64_t>(kMaxBytesUnasked);
    if (i_ask || i_am_asked) {
      char i_have_room = lost ? 0 : 1;
      move(Block::wait, level, sizes, other,
           i_am_asked ? bytes_of(i_have_room) : std::span<std::byte>{},
           i_ask ? bytes_of(they_have_room) : std::span<std::byte>{}, 1);
    }

    std::array<std::byte, kMaxBytesUnasked> dropped;  // what was sent without asking
    std::span<const std::byte> out;
    std::span<std::byte> in;
    if (my_header.payload == Header::follows && they_have_room != 0) {
      out = outgoing->bytes();
    }
    if (incoming && their_header.payload == Header::is_here) {
      std::ranges::copy(their_first.filled().subspan(kHeaderBytes), incoming->bytes().begin());
    } else if (incoming) {
      in = incoming->bytes();
    } else if (lost && !i_am_asked) {
      in = std::span(dropped).first(static_cast<std::size_t>(their_header.bytes));
    }
    if (!out.empty() || !in.empty()) {
      move(Block::exchange, level, sizes, other, out, in,
           std::max(std::ssize(out), std::ssize(in)));
    }
    if (!incoming) {
      return std::nullopt;
    }
    std::optional<T> value;
    in_block(Block::skeleton, level, sizes, 0, [&] { value.emplace(incoming->take()); });
    return value;
  }

  HeaderMessage first_message(std::span<const std::byte> payload) const {
    HeaderMessage first{.header = {.payload = Header::follows, .bytes = std::ssize(payload)},
                        .payload = {}};
    if (payload.size() <= kMaxBytesInHeader && blocks_.recorder() == nullptr) {
      first.header.payload = Header::is_here;
      std::ranges::copy(payload, first.payload.begin());
    }
    return first;
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
            std::span<std::byte> in, std::int64_t bytes) {
    blocks_.timed(
        block, level,
        [&] {
          comm_.exchange(other, out, in);
          return true;
        },
        [&sizes](bool) { return sizes; }, bytes);
  }

  const Messages& comm_;
  Blocks<App>& blocks_;
};

}  // namespace cleave::detail
