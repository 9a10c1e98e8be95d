// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include <cleave/kernel/link.hpp>
#include <cleave/random.hpp>

namespace cleave::detail {

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
  // The skeleton's own work may run out of memory.
  const auto work = [&](std::int64_t bytes, const auto& piece) {
    return blocks_.run(
        name_of(Block::exchange), Block::skeleton, level, piece,
        [&](const auto& /*result*/) { return sizes; }, bytes);
  };
  const auto move = [&](Block block, std::span<const std::byte> out, std::span<std::byte> in,
                        std::int64_t bytes) {
    blocks_.timed(
        block, level, [&] { comm_.exchange(other, out, in); }, [&] { return sizes; }, bytes);
  };

  std::optional<OutgoingList> outgoing;
  if (mine && direction != Direction::in) {
    work(0, [&] { return &outgoing.emplace(*mine, list_wire); });
  }
  Header my_header;
  Header their_header;
  if (outgoing) {
    my_header = {.has_payload = 1, .bytes = std::ssize(outgoing->bytes())};
  }
  move(Block::wait, direction != Direction::in ? bytes_of(my_header) : std::span<std::byte>(),
       direction != Direction::out ? bytes_of(their_header) : std::span<std::byte>(), kHeaderBytes);

  const auto their_bytes = static_cast<std::size_t>(their_header.bytes);
  std::unique_ptr<AnyIncoming> one;
  Bytes list;
  std::optional<std::span<std::byte>> room;
  if (their_header.has_payload != 0) {
    room = work(their_header.bytes, [&]() -> std::span<std::byte> {
      if (list_wire.is_one) {
        one = list_wire.make(their_bytes);
        return one->bytes();
      }
      list.resize(their_bytes);
      return list;
    });
  }

  // Both sides know both lengths, so both know which of the two ask.
  char i_have_room = room ? 1 : 0;
  char they_have_room = 1;
  const bool i_am_asked = their_header.bytes > static_cast<std::int64_t>(kMaxBytesUnasked);
  const bool i_ask = my_header.bytes > static_cast<std::int64_t>(kMaxBytesUnasked);
  if (i_ask || i_am_asked) {
    move(Block::wait, i_am_asked ? bytes_of(i_have_room) : std::span<std::byte>(),
         i_ask ? bytes_of(they_have_room) : std::span<std::byte>(), 1);
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
    in = std::span(dropped).first(their_bytes);
  }
  if (!out.empty() || !in.empty()) {
    move(Block::exchange, out, in, std::max(std::ssize(out), std::ssize(in)));
  }
  if (!room) {
    return std::nullopt;
  }
  return work(0, [&] {
    Values theirs = one ? list_of(one->take()) : Values();
    for (Unpacker unpacker(list); unpacker.left() > 0;) {
      theirs.push_back(ErasedValue::unpack(list_wire.make, unpacker));
    }
    return theirs;
  });
}

}  // namespace cleave::detail
