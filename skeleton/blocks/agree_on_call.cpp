// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <string>

#include <cleave/blocks/agree_on_call.hpp>

namespace cleave::detail {

namespace {

/// The lowest rank for which `differs`; nothing if there is none.
std::optional<int> first_other(const Comm& comm, bool differs) {
  const std::int64_t lowest = comm.allreduce_min(differs ? comm.rank() : comm.size());
  return lowest == comm.size() ? std::nullopt : std::optional(static_cast<int>(lowest));
}

/// Tells every rank what differs from rank 0. \throws Error
void refuse_call(const Comm& comm, std::uint64_t kind, const std::string& text,
                 std::uint64_t application, std::uint64_t problem) {
  std::array<std::uint64_t, 3> first = {kind, application, problem};
  comm.bcast(std::as_writable_bytes(std::span(first)), 0);
  if (const auto other = first_other(comm, first[0] != kind)) {
    const std::string of_first = comm.bcast(text, 0);
    const std::string of_other = comm.bcast(text, *other);
    throw Error(
        fmt::format("rank 0 calls DC_Call with {}, rank {} with {}: all ranks must make "
                    "the same call",
                    of_first, *other, of_other));
  }
  if (const auto other = first_other(comm, first[1] != application)) {
    throw Error(fmt::format("rank {} calls DC_Call with another application than rank 0", *other));
  }
  const auto other = first_other(comm, first[2] != problem);
  throw Error(fmt::format(
      "rank {} calls DC_Call with another problem than rank 0: placement replicated wants the same "
      "on every rank; rooted takes that of rank 0",
      other.value_or(0)));
}

}  // namespace

void require_same_call(const Comm& comm, DC_Type type, Placement placement,
                       std::uint64_t application, std::uint64_t problem) {
  const std::uint64_t kind =
      static_cast<std::uint64_t>(type) << 8 | static_cast<std::uint64_t>(placement);
  const std::array words = {kind, application, problem};
  // Without its last bit, so that the negative exists.
  const auto mine = static_cast<std::int64_t>(crc_64(std::as_bytes(std::span(words))) >> 1);
  std::array<std::int64_t, 2> minimum = {mine, -mine};
  comm.allreduce_min(minimum);
  if (minimum[0] != -minimum[1]) {
    refuse_call(comm, kind, fmt::format("{}, {}", name_of(type), name_of(placement)), application,
                problem);
  }
}

}  // namespace cleave::detail
