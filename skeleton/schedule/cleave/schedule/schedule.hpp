// SPDX-License-Identifier: Apache-2.0
// The schedule of a call on the hypercube: which blocks each rank runs and who meets whom, in an
// order in which they can happen. It depends on the number of ranks alone. The executors follow it
// (hypercube.hpp, split_parts.hpp), the timing model plays it out, and a test holds the spans that
// are recorded against it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

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

/// The way of a placement's name; `splits` says whether the application is of the sorting form.
/// None of another name.
std::optional<Way> way_of(std::string_view placement, bool splits);

/// Ranks that share a subproblem.
struct ScheduledGroup {
  Group ranks;
  int level = 0;
  int parent = -1;  ///< index of the group that was divided; -1 of the whole
  int left = -1;    ///< index of its left half, which the right one follows; -1 of a single rank
};

struct Step {
  enum class Kind : std::uint8_t {
    work,      ///< each of `count` ranks from `first` on runs `block` on what the group has
    swap,      ///< `first` and `second` swap what they have, a header ahead
    send,      ///< `first` sends what it has to `second`, a header ahead
    tell_all,  ///< each rank of the group tells all others `bytes`
    choose,    ///< the group gathers its samples at its first rank, which tells its splitter
    exchange,  ///< the ranks of the group exchange what belongs to the other half
    agree,     ///< all ranks agree on `kAgreementBytes`
  };
  Kind kind = Kind::work;
  Block block = Block::skeleton;  ///< of work; of a swap or a send what is moved: exchange
  int group = 0;                  ///< index into Schedule::groups
  int first = 0;
  int second = 0;
  int count = 1;             ///< of ranks that work
  std::size_t bytes = 0;     ///< of tell_all
  bool is_solution = false;  ///< whether it works on, or moves, a solution rather than a problem
};

struct Schedule {
  std::vector<ScheduledGroup> groups;  ///< parents before their halves; the first is the whole
  std::vector<Step> steps;
};

/// The schedule of a call on `ranks` ranks that no group solves early. Cost: about 5 steps a rank
/// and level. \pre  ranks >= 1
Schedule schedule_of(Way way, int ranks);

}  // namespace cleave::detail
