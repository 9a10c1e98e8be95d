// SPDX-License-Identifier: Apache-2.0
// Which ranks share a subproblem, and who swaps with whom: the arithmetic of the hypercube for any
// number of ranks. Needs no MPI.
#pragma once

#include <cassert>
#include <optional>

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

/// The rank across the cut of `group` that `rank` swaps solutions with. None for the last rank of a
/// group of odd size, which has no counterpart and only gets (see `giver_to_last`).
/// \pre  group.contains(rank), group.size > 1
constexpr std::optional<int> partner_of(int rank, Group group) {
  assert(group.contains(rank) && group.size > 1);
  const int half = group.size / 2;
  const int index = rank - group.first;
  if (index < half) {
    return rank + half;
  }
  if (index - half < half) {
    return rank - half;
  }
  return std::nullopt;
}

/// In a group of odd size: the rank on the left that gives its solution to the last rank.
constexpr int giver_to_last(Group group) { return group.first + group.size / 2 - 1; }

/// The last rank of `group` where its size is odd: it has no partner.
constexpr std::optional<int> rank_without_partner(Group group) {
  return group.size % 2 == 1 && group.size > 1 ? std::optional(group.first + group.size - 1)
                                               : std::nullopt;
}

}  // namespace cleave::detail
