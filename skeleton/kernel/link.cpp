// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <utility>

#include <cleave/kernel/link.hpp>
#include <cleave/random.hpp>

namespace cleave::detail {

namespace {

/// The values that were packed one after the other.
Values unpacked(std::span<const std::byte> bytes, const ValueOps& ops) {
  Values list;
  for (Unpacker unpacker(bytes); unpacker.left() > 0;) {
    list.push_back(ErasedValue::unpack(ops, unpacker));
  }
  return list;
}

}  // namespace

std::uint64_t hash_of(std::span<const std::byte> bytes, std::uint64_t before) {
  std::uint64_t hash = before ^ bytes.size();
  for (std::size_t at = 0; at < bytes.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data() + at, std::min(bytes.size() - at, sizeof(word)));
    hash = CounterRandom::mix(hash ^ word);
  }
  return hash;
}

std::int64_t agree_on_failure(const Messages& comm, BlockRunner& blocks, std::int64_t agenda) {
  const std::int64_t ranks = comm.size();
  const std::optional<Failure>& failure = blocks.failure();
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::array<std::int64_t, 2> minimum = {failure ? failure->level * ranks + comm.rank() : kNone,
                                         -agenda};
  blocks.timed(Block::wait, {0, comm.size()}, [&] { comm.allreduce_min(minimum); });
  const std::int64_t worst = minimum[0];
  if (worst != kNone) {
    const auto rank = static_cast<int>(worst % ranks);
    const std::string block = comm.bcast(failure ? failure->block : "", rank);
    const std::string message = comm.bcast(failure ? failure->message : "", rank);
    throw FunctorError(rank, static_cast<int>(worst / ranks), block, message);
  }
  return -minimum[1];
}

std::string text_of_any(const Messages& comm, const std::string& mine) {
  std::array<std::int64_t, 1> lowest = {mine.empty() ? comm.size() : comm.rank()};
  comm.allreduce_min(lowest);
  return lowest[0] == comm.size() ? "" : comm.bcast(mine, static_cast<int>(lowest[0]));
}

void tell_or_throw(const EndedEarly& ended, const StealingOptions& options) {
  if (options.ended_early == nullptr) {
    throw_ended_early(ended);
  }
  *options.ended_early = ended;
}

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
  Header my_header;
  Header their_header;
  if (outgoing) {
    my_header = {.has_payload = 1, .bytes = std::ssize(outgoing->bytes())};
  }
  move(Block::wait, level, sizes, other,
       direction != Direction::in ? bytes_of(my_header) : std::span<std::byte>{},
       direction != Direction::out ? bytes_of(their_header) : std::span<std::byte>{}, kHeaderBytes);

  std::unique_ptr<AnyIncoming> one;
  Bytes list;
  std::optional<std::span<std::byte>> room;
  if (their_header.has_payload != 0) {
    work(level, sizes, their_header.bytes, [&] {
      const auto bytes = static_cast<std::size_t>(their_header.bytes);
      if (list_wire.is_one) {
        one = list_wire.ops->incoming(bytes);
        room = one->bytes();
      } else {
        list.resize(bytes);
        room = list;
      }
    });
  }

  // Both sides know both lengths, so both know which of the two ask.
  char i_have_room = room ? 1 : 0;
  char they_have_room = 1;
  const bool i_am_asked = their_header.bytes > static_cast<std::int64_t>(kMaxBytesUnasked);
  const bool i_ask = my_header.bytes > static_cast<std::int64_t>(kMaxBytesUnasked);
  if (i_ask || i_am_asked) {
    move(Block::wait, level, sizes, other,
         i_am_asked ? bytes_of(i_have_room) : std::span<std::byte>{},
         i_ask ? bytes_of(they_have_room) : std::span<std::byte>{}, 1);
  }

  std::array<std::byte, kMaxBytesUnasked> dropped;  // what was sent without asking
  std::span<const std::byte> out;
  std::span<std::byte> in;
  if (outgoing && they_have_room != 0) {
    out = outgoing->bytes();
  }
  if (room) {
    in = *room;
  } else if (their_header.has_payload != 0 && !i_am_asked) {
    in = std::span(dropped).first(static_cast<std::size_t>(their_header.bytes));
  }
  if (!out.empty() || !in.empty()) {
    move(Block::exchange, level, sizes, other, out, in, std::max(std::ssize(out), std::ssize(in)));
  }
  std::optional<Values> theirs;
  if (room) {
    work(level, sizes, 0,
         [&] { theirs = one ? list_of(one->take()) : unpacked(list, *list_wire.ops); });
  }
  return theirs;
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

void Link::move(Block block, Level level, const Sizes& sizes, int other,
                std::span<const std::byte> out, std::span<std::byte> in, std::int64_t bytes) {
  blocks_.timed(
      block, level, [&] { comm_.exchange(other, out, in); }, [&sizes] { return sizes; }, bytes);
}

}  // namespace cleave::detail
