// SPDX-License-Identifier: Apache-2.0
// The schedule of a call on the hypercube: which blocks each rank runs and who meets whom, in an
// order in which they can happen. It depends on the number of ranks alone. Two interpreters run
// it: the executor with values (hypercube.cpp), each rank its own steps, and the timing model with
// seconds, the steps of all ranks. A rehearsal adds what the partners of its rank would send
// (rehearsal.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <cleave/dc_type.hpp>
#include <cleave/schedule/group.hpp>
#include <cleave/trace/span.hpp>

namespace cleave::detail {

/// Where the data of a call lies, and what is done with parts of it.
enum class Way : std::uint8_t {
  replicated,  ///< every rank has the problem; partners swap solutions on the way up
  rooted,      ///< the first rank of a group has it, and sends halves down and solutions up
  merging,     ///< every rank has a part; parts are solved as they lie and merged on the way up
  splitting,   ///< every rank has a part; a level partitions and exchanges on the way down
};

/// The way of a placement; `splits` says whether the application is of the sorting form.
Way way_of(Placement placement, bool splits);
/// The way by the placement's name. None of another name.
std::optional<Way> way_of(std::string_view placement, bool splits);

/// Ranks that share a subproblem.
struct ScheduledGroup {
  Group ranks;
  int level = 0;
  int parent = -1;  ///< index of the group that was divided; -1 of the whole
  int left = -1;  ///< index of its left half, which the right one follows; -1 where none is listed
};

/// The next act of a group.
struct Step {
  enum class Kind : std::uint8_t {
    work,      ///< `ranks` run `block` on what they have
    move,      ///< `ranks` of the left half and of the right one meet two by two; `what` moves
    tell_all,  ///< each rank of the group tells all others its `what`, of `bytes`
    choose,    ///< the group gathers its samples at its first rank, which tells its splitter
    agree,     ///< all ranks agree on the `what` of their call, of `kAgreementBytes`
  };
  enum class Ranks : std::uint8_t {
    all,    ///< of the group; where something moves, each with its partner (group.hpp)
    first,  ///< the first of the group; where something moves, with the first of the right half
    last,   ///< the last of a group of odd size, which has no partner, with `giver_to_last`
  };
  enum class What : std::uint8_t {
    none,
    problem,
    solution,
    part,     ///< of the problem, by the common plan of the group (exchange_plan.hpp)
    length,   ///< of a rank's part
    status,   ///< whether a rank is well
    cut,      ///< how a rank's part is partitioned
    call,     ///< what is called, at the start of a call
    failure,  ///< at its end
  };
  enum class Flow : std::uint8_t { to_right, to_left, both };

  Kind kind = Kind::work;
  Block block = Block::skeleton;  ///< of work; of another step where its time is booked
  Ranks ranks = Ranks::all;
  What what = What::none;
  Flow flow = Flow::both;
  /// Whether what moves is of the half of the rank that gets it, rather than of the one that gives.
  bool is_of_getter = false;
  bool has_header = false;  ///< whether a header goes before what moves (link.hpp)
  int group = 0;            ///< index into Schedule::groups
  std::size_t bytes = 0;    ///< of tell_all
};

/// Ranks of both halves that meet: `left` and `right`, `left + 1` and `right + 1`, and so on.
struct Pairs {
  int left = 0;
  int right = 0;
  int count = 0;
};

/// Who meets in a step of `group` that moves something.
constexpr Pairs pairs_of(Step::Ranks ranks, Group group) {
  switch (ranks) {
    case Step::Ranks::all:
      return {.left = group.first, .right = group.right().first, .count = group.left().size};
    case Step::Ranks::first:
      return {.left = group.first, .right = group.right().first, .count = 1};
    case Step::Ranks::last:
      break;
  }
  return {.left = giver_to_last(group), .right = group.first + group.size - 1, .count = 1};
}

/// Whom `rank` meets there; none if it does not take part.
constexpr std::optional<int> other_of(int rank, Step::Ranks ranks, Group group) {
  const auto [left, right, count] = pairs_of(ranks, group);
  if (rank >= left && rank < left + count) {
    return rank - left + right;
  }
  return rank >= right && rank < right + count ? std::optional(rank - right + left) : std::nullopt;
}

struct Schedule {
  std::vector<ScheduledGroup> groups;  ///< parents before their halves; the first is the whole
  std::vector<Step> steps;
};

/// The schedule of a call on `ranks` ranks that no group solves early; of `rank` the steps that it
/// takes part in, and the halves of its groups. Cost: about 7 steps a group, or a level of `rank`.
/// \pre  ranks >= 1, 0 <= rank < ranks
Schedule schedule_of(Way way, int ranks, std::optional<int> rank = {});

/// Whether a call that goes this way sends problems to other ranks, on any number of ranks.
constexpr bool moves_problems(Way way) { return way == Way::rooted; }
/// Whether two ranks ever send to each other at once.
constexpr bool swaps(Way way) { return way != Way::rooted; }

}  // namespace cleave::detail
