// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include <cleave/kernel/agree.hpp>
#include <cleave/random.hpp>
#include <cleave/schedule/messages.hpp>

namespace cleave::detail {

namespace {

/// What two ranks say of their calls, and the first message of the call itself.
struct FirstMessage {
  std::int64_t call = 0;
  std::array<std::byte, kHeaderBytes + kMaxBytesInHeader> message;
};

/// Swaps with the other of two ranks. \return  whether both make the same call
bool swap_first(const Comm& comm, std::int64_t call, std::span<const std::byte> out,
                std::span<std::byte> in) {
  FirstMessage mine{.call = call, .message = {}};
  FirstMessage theirs;
  std::ranges::copy(out, mine.message.begin());
  comm.exchange(1 - comm.rank(),
                std::as_bytes(std::span(&mine, 1)).first(sizeof(mine.call) + out.size()),
                std::as_writable_bytes(std::span(&theirs, 1)));
  std::copy_n(theirs.message.begin(), in.size(), in.begin());
  return theirs.call == call;
}

/// The lowest rank for which `differs`; nothing if there is none.
std::optional<int> first_other(const Comm& comm, bool differs) {
  const std::int64_t lowest = comm.allreduce_min(differs ? comm.rank() : comm.size());
  return lowest == comm.size() ? std::nullopt : std::optional(static_cast<int>(lowest));
}

}  // namespace

std::uint64_t hash_of(std::span<const std::byte> bytes) {
  std::uint64_t hash = bytes.size();
  while (!bytes.empty()) {
    std::uint64_t word = 0;
    const std::size_t count = std::min(bytes.size(), sizeof(word));
    std::memcpy(&word, bytes.data(), count);
    hash = CounterRandom::mix(hash ^ word);
    bytes = bytes.subspan(count);
  }
  return hash;
}

CallIdentity::CallIdentity(DC_Type type, const CallOptions& options, std::uint64_t application,
                           std::uint64_t problem)
    : type_(type),
      placement_(options.placement),
      threads_(options.stealing.threads),
      keeps_snapshots_(type == DC_Type::work_stealing && options.checkpoint.has_value()),
      tells_early_end_(type == DC_Type::work_stealing && options.stealing.ended_early != nullptr),
      is_timed_(!std::isnan(options.stealing.max_s)),
      application_(application),
      problem_(problem) {}

std::uint64_t CallIdentity::kind() const {
  return static_cast<std::uint64_t>(type_) << 48 | static_cast<std::uint64_t>(placement_) << 40 |
         (keeps_snapshots_ ? 1ULL : 0) << 39 | (tells_early_end_ ? 1ULL : 0) << 38 |
         (is_timed_ ? 1ULL : 0) << 37 | static_cast<std::uint32_t>(threads_);
}

std::string CallIdentity::kind_text() const {
  return fmt::format("{}, {}{}{}{}{}", name_of(type_), name_of(placement_),
                     threads_ == 1 ? "" : fmt::format(", {} threads", threads_),
                     keeps_snapshots_ ? ", snapshots" : "", tells_early_end_ ? ", ended_early" : "",
                     is_timed_ ? "" : ", max_s nan");
}

std::int64_t CallIdentity::hash() const {
  const std::array words = {kind(), application_, problem_};
  // Without its last bit, so that the negative exists.
  return static_cast<std::int64_t>(hash_of(std::as_bytes(std::span(words))) >> 1);
}

void CallIdentity::agree(const Comm& comm) const {
  bool is_same = true;
  if (comm.size() == 2) {
    is_same = swap_first(comm, hash(), {}, {});
  } else {
    std::array<std::int64_t, 2> minimum = {hash(), -hash()};
    comm.allreduce_min(minimum);
    is_same = minimum[0] == -minimum[1];
  }
  if (!is_same) {
    refuse(comm);
  }
}

void CallIdentity::refuse(const Comm& comm) const {
  std::array<std::uint64_t, 3> first = {kind(), application_, problem_};
  comm.bcast(std::as_writable_bytes(std::span(first)), 0);
  if (const auto other = first_other(comm, first[0] != kind())) {
    const std::string of_first = comm.bcast(kind_text(), 0);
    const std::string of_other = comm.bcast(kind_text(), *other);
    throw Error(
        fmt::format("rank 0 calls DC_Call with {}, rank {} with {}: all ranks must make "
                    "the same call",
                    of_first, *other, of_other));
  }
  if (const auto other = first_other(comm, first[1] != application_)) {
    throw Error(fmt::format("rank {} calls DC_Call with another application than rank 0", *other));
  }
  const auto other = first_other(comm, first[2] != problem_);
  throw Error(fmt::format(
      "rank {} calls DC_Call with another problem than rank 0: placement replicated wants the same "
      "on every rank; rooted takes that of rank 0",
      other.value_or(0)));
}

void CallMessages::exchange(int partner, std::span<const std::byte> out,
                            std::span<std::byte> in) const {
  if (call_ == nullptr) {
    return Comm::exchange(partner, out, in);
  }
  if (!swap_first(*comm(), std::exchange(call_, nullptr)->hash(), out, in)) {
    throw OtherCall{};
  }
}

std::int64_t agree_on_failure(const Messages& comm, BlockRunner& blocks, std::int64_t agenda) {
  const std::int64_t ranks = comm.size();
  const std::optional<Failure>& failure = blocks.failure();
  constexpr std::int64_t kNone = std::numeric_limits<std::int64_t>::max();
  std::array<std::int64_t, 2> minimum = {failure ? failure->level * ranks + comm.rank() : kNone,
                                         -agenda};
  blocks.timed(
      Block::wait, Level{0, comm.size()},
      [&] {
        comm.allreduce_min(minimum);
        return true;
      },
      [](bool) { return Sizes{}; });
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

}  // namespace cleave::detail
