// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <memory>

#include <cleave/kernel/link.hpp>

namespace cleave::detail {

namespace {

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

HeaderMessage first_message(std::span<const std::byte> payload, bool is_traced) {
  HeaderMessage first{.header = {.payload = Header::follows, .bytes = std::ssize(payload)},
                      .payload = {}};
  if (payload.size() <= kMaxBytesInHeader && !is_traced) {
    first.header.payload = Header::is_here;
    std::ranges::copy(payload, first.payload.begin());
  }
  return first;
}

/// The values that were packed one after the other.
Values unpacked(std::span<const std::byte> bytes, const ValueOps& ops) {
  Values list;
  for (Unpacker unpacker(bytes); unpacker.left() > 0;) {
    list.push_back(ErasedValue::unpack(ops, unpacker));
  }
  return list;
}

}  // namespace

OutgoingList::OutgoingList(const Values& list, const ListWire& list_wire) {
  if (list_wire.is_one) {
    one_ = list.front().outgoing();
    return;
  }
  for (const ErasedValue& value : list) {
    value.pack(packer_);
  }
}

std::optional<Values> Link::transfer(int other, Direction direction,
                                     const std::optional<Values>& mine, const ListWire& list_wire,
                                     Level level, const Sizes& sizes) {
  std::optional<OutgoingList> outgoing;
  if (mine && direction != Direction::in) {
    work(level, sizes, 0, [&] { outgoing.emplace(*mine, list_wire); });
  }
  std::unique_ptr<AnyIncoming> one;
  std::optional<Bytes> list;
  carry(other, direction, level, sizes,
        outgoing ? std::optional<Payload>(outgoing->bytes()) : std::nullopt,
        [&](std::size_t bytes) -> std::span<std::byte> {
          if (list_wire.is_one) {
            one = list_wire.ops->incoming(bytes);
            return one->bytes();
          }
          return list.emplace(bytes);
        });
  std::optional<Values> theirs;
  if (one || list) {
    work(level, sizes, 0,
         [&] { theirs = one ? list_of(one->take()) : unpacked(*list, *list_wire.ops); });
  }
  return theirs;
}

/// Sends the payload if there is one, and receives that of the other side, if it has one, where
/// `make_room` finds room.
void Link::carry(int other, Direction direction, Level level, const Sizes& sizes,
                 const std::optional<Payload>& mine, const MakeRoom& make_room) {
  const bool gives = direction != Direction::in;
  const bool gets = direction != Direction::out;
  HeaderMessage my_first =
      mine ? first_message(*mine, blocks_.recorder() != nullptr) : HeaderMessage{};
  HeaderMessage their_first;
  move(Block::wait, level, sizes, other, gives ? my_first.filled() : std::span<std::byte>{},
       gets ? bytes_of(their_first) : std::span<std::byte>{}, kHeaderBytes);
  const Header my_header = my_first.header;
  const Header their_header = their_first.header;

  std::optional<std::span<std::byte>> room;
  if (their_header.payload != Header::none) {
    work(level, sizes, their_header.bytes,
         [&] { room = make_room(static_cast<std::size_t>(their_header.bytes)); });
  }
  const bool lost = their_header.payload == Header::follows && !room;

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
  Payload out;
  std::span<std::byte> in;
  if (my_header.payload == Header::follows && they_have_room != 0) {
    out = *mine;
  }
  if (room && their_header.payload == Header::is_here) {
    std::ranges::copy(their_first.filled().subspan(kHeaderBytes), room->begin());
  } else if (room) {
    in = *room;
  } else if (lost && !i_am_asked) {
    in = std::span(dropped).first(static_cast<std::size_t>(their_header.bytes));
  }
  if (!out.empty() || !in.empty()) {
    move(Block::exchange, level, sizes, other, out, in, std::max(std::ssize(out), std::ssize(in)));
  }
}

/// The skeleton's own work, which may run out of memory.
void Link::work(Level level, const Sizes& sizes, std::int64_t bytes,
                const std::function<void()>& piece) {
  blocks_.run(
      name_of(Block::exchange), Block::skeleton, level,
      [&piece] {
        piece();
        return true;
      },
      [&sizes](bool) { return sizes; }, bytes);
}

void Link::move(Block block, Level level, const Sizes& sizes, int other, Payload out,
                std::span<std::byte> in, std::int64_t bytes) {
  blocks_.timed(
      block, level,
      [&] {
        comm_.exchange(other, out, in);
        return true;
      },
      [&sizes](bool) { return sizes; }, bytes);
}

}  // namespace cleave::detail
