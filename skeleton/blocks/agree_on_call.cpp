// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <optional>
#include <string>

#include <cleave/blocks/agree_on_call.hpp>

namespace cleave::detail {

namespace {

/// How a call is made.
struct Kind {
  DC_Type type;
  Placement placement;
  int threads;
  bool keeps_snapshots;
  bool tells_early_end;
  bool is_timed;  ///< by a number

  std::uint64_t number() const {
    return static_cast<std::uint64_t>(type) << 48 | static_cast<std::uint64_t>(placement) << 40 |
           (keeps_snapshots ? 1ULL : 0) << 39 | (tells_early_end ? 1ULL : 0) << 38 |
           (is_timed ? 1ULL : 0) << 37 | static_cast<std::uint32_t>(threads);
  }
  std::string text() const {
    return fmt::format("{}, {}{}{}{}{}", name_of(type), name_of(placement),
                       threads == 1 ? "" : fmt::format(", {} threads", threads),
                       keeps_snapshots ? ", snapshots" : "", tells_early_end ? ", ended_early" : "",
                       is_timed ? "" : ", max_s nan");
  }
};

/// The lowest rank for which `differs`; nothing if there is none.
std::optional<int> first_other(const Comm& comm, bool differs) {
  const std::int64_t lowest = comm.allreduce_min(differs ? comm.rank() : comm.size());
  return lowest == comm.size() ? std::nullopt : std::optional(static_cast<int>(lowest));
}

/// Tells every rank what differs from rank 0. \throws Error
void refuse_call(const Comm& comm, const Kind& kind, std::uint64_t application,
                 std::uint64_t problem) {
  std::array<std::uint64_t, 3> first = {kind.number(), application, problem};
  comm.bcast(std::as_writable_bytes(std::span(first)), 0);
  if (const auto other = first_other(comm, first[0] != kind.number())) {
    const std::string of_first = comm.bcast(kind.text(), 0);
    const std::string of_other = comm.bcast(kind.text(), *other);
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

void require_same_call(const Comm& comm, DC_Type type, const CallOptions& options,
                       std::uint64_t application, std::uint64_t problem) {
  const bool steals = type == DC_Type::work_stealing;
  const Kind kind{.type = type,
                  .placement = options.placement,
                  .threads = options.stealing.threads,
                  .keeps_snapshots = steals && options.checkpoint.has_value(),
                  .tells_early_end = steals && options.stealing.ended_early != nullptr,
                  .is_timed = !std::isnan(options.stealing.max_s)};
  const std::array words = {kind.number(), application, problem};
  // Without its last bit, so that the negative exists.
  const auto mine = static_cast<std::int64_t>(hash_of(std::as_bytes(std::span(words))) >> 1);
  std::array<std::int64_t, 2> minimum = {mine, -mine};
  comm.allreduce_min(minimum);
  if (minimum[0] != -minimum[1]) {
    refuse_call(comm, kind, application, problem);
  }
}

}  // namespace cleave::detail
