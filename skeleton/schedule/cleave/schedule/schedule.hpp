// SPDX-License-Identifier: Apache-2.0
// The schedule of a call on the hypercube, for any number of ranks: which blocks each rank runs and
// who meets whom, in an order in which they can happen. It depends on the number of ranks alone.
// Two interpreters run it: the executor with values (hypercube.cpp), each rank its own steps, and
// the timing model with seconds, the steps of all ranks. A rehearsal adds what the partners of its
// rank would send (rehearsal.hpp). At the end the lengths and the rounds of the small messages.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include <cleave/dc_type.hpp>
#include <cleave/trace.hpp>

namespace cleave {

/// How many of the `total` ranks that share a problem will solve its left half.
struct Share {
  int left = 1;
  int total = 2;
};

}  // namespace cleave

namespace cleave::detail {

/// Ranks [first, first + size) of a communicator.
struct Group {
  int first = 0;
  int size = 1;

  constexpr bool contains(int rank) const { return rank >= first && rank < first + size; }

  /// The ranks that take the left half: floor(size / 2) of them.
  constexpr Group left() const { return {first, size / 2}; }
  /// The rest: as many as the left ones, or one more.
  constexpr Group right() const { return {first + size / 2, size - size / 2}; }
  constexpr Group half_of(int rank) const { return left().contains(rank) ? left() : right(); }
  constexpr Share share() const { return {.left = size / 2, .total = size}; }

  friend constexpr bool operator==(const Group&, const Group&) = default;
};

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
    all,    ///< of the group; where something moves, each with its partner across the cut
    first,  ///< the first of the group; where something moves, with the first of the right half
    last,   ///< the last of a group of odd size, which has no partner, with the last on the left
  };
  enum class What : std::uint8_t {
    none,
    problem,  ///< the half of the ranks that get it
    solution,
    part,     ///< of the problem, without a header, by the common plan of the group
              ///< (split_parts.hpp)
    length,   ///< of a rank's part
    status,   ///< whether a rank is well
    cut,      ///< how a rank's part is partitioned
    call,     ///< what is called, at the start of a call
    failure,  ///< at its end
  };
  enum class Flow : std::uint8_t { to_right, to_left, both };

  Kind kind = Kind::work;
  Block block = Block::skeleton;  ///< of work; of another step where its time is booked
  int group = 0;                  ///< index into Schedule::groups
  Ranks ranks = Ranks::all;
  What what = What::none;
  Flow flow = Flow::both;
  std::size_t bytes = 0;  ///< of tell_all
};

/// Ranks of both halves that meet: `left` and `right`, `left + 1` and `right + 1`, and so on.
struct Pairs {
  int left = 0;
  int right = 0;
  int count = 0;
};

/// Who meets in a step of `group` that moves something. The last rank of a group of odd size has no
/// partner.
constexpr Pairs pairs_of(Step::Ranks ranks, Group group) {
  const Group left = group.left();
  const int right = group.right().first;
  return ranks == Step::Ranks::last
             ? Pairs{right - 1, group.first + group.size - 1, 1}
             : Pairs{left.first, right, ranks == Step::Ranks::all ? left.size : 1};
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

/// Before every payload goes a header (link.hpp).
inline constexpr std::size_t kHeaderBytes = 16;
/// Payloads up to this length are sent without asking whether there is room; before a longer one
/// the two sides swap one byte.
inline constexpr std::size_t kMaxBytesUnasked = std::size_t{64} << 10;

/// Reports of a rank to its group in the sorting form (split_parts.hpp): once how large its part
/// is, at every level whether it is well, and how its part is cut.
inline constexpr std::size_t kPartBytes = 8;
inline constexpr std::size_t kStatusBytes = 1;
inline constexpr std::size_t kReportBytes = 40;

/// The message by which all ranks agree on a call, at its start and at its end.
inline constexpr std::size_t kAgreementBytes = 16;

/// How many samples are taken of `elements` that a group has: one in 64, but at least 4096 and at
/// most 32768. A half's size is then off by 1 / sqrt(samples) of itself.
constexpr std::int64_t sample_of(std::int64_t elements) {
  return std::min(elements, std::clamp<std::int64_t>(elements / 64, 4096, std::int64_t{1} << 15));
}

/// The first rank's choice of a splitter of so many bytes: whether there is one, the splitter, and
/// whether elements that equal it are shared out. Each is aligned to 8 bytes at most.
constexpr std::size_t choice_bytes(std::size_t splitter_bytes) {
  const std::size_t alignment = std::min<std::size_t>(8, splitter_bytes);
  const std::size_t with_ties = (splitter_bytes + 1 + alignment - 1) / alignment * alignment;
  return 8 + (with_ties + 7) / 8 * 8;
}

/// One round in which ranks tell each other, or one of them, what they have of `have` ranks.
struct Round {
  int have = 1;  ///< ranks whose data a rank has before the round
  int more = 1;  ///< ranks whose data it gets
};

/// The rounds in which each of `ranks` ranks gets what every other has (Bruck et al. 1997), or the
/// first one gets it (a binomial tree): ceil(log2 ranks).
inline std::vector<Round> rounds_of(int ranks) {
  std::vector<Round> rounds;
  for (int have = 1; have < ranks; have *= 2) {
    rounds.push_back({have, std::min(have, ranks - have)});
  }
  return rounds;
}

/// Bytes of a message of work stealing around the nodes that it may carry (balancer.hpp).
inline constexpr std::size_t kSearchMessageBytes = 32;
/// Children of a rank in the tree of the waves that find the end of a search. The more, the fewer
/// levels, at each of which a rank must look up; but sending to all of them should take no longer
/// than that.
inline constexpr int kWaveFanOut = 8;

}  // namespace cleave::detail
