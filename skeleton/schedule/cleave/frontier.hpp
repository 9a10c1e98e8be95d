// SPDX-License-Identifier: Apache-2.0
// Dividing a frontier: the one move that tree search and tree splitting share. A frontier is an
// ordered collection of open nodes; a busy processor gives a share of it to an empty one.
//   - tree search on a hypercube: a group of p ranks gives the share floor(p/2)/p away (apps/uts);
//   - work stealing: a thief gets half, from the old end;
//   - tree splitting: the ledger moves leaves of one processor to an empty one (ledger.hpp).
#pragma once

#include <cassert>
#include <concepts>
#include <cstdint>

#include <cleave/schedule/group.hpp>

namespace cleave {

/// Counts and positions of leaves and nodes.
using Index = std::int64_t;

/// The end of a frontier that nodes are taken from. `front` is the old end of a depth-first stack
/// and the beginning of a space-filling curve.
enum class Side : std::uint8_t { front, back };

/// An ordered collection of nodes that gives nodes away at either end.
/// `size()` counts the nodes; `take(n, side)` removes the n nodes at that end, keeping their order.
template <class F>
concept Frontier = std::movable<F> && requires(F& frontier, const F& constant, Index n, Side side) {
  { constant.size() } -> std::convertible_to<Index>;
  { frontier.take(n, side) } -> std::same_as<F>;
};

/// Removes n nodes from end `side` and returns them.
/// Cost: one `take`; with a frontier of runs or of linked nodes that is independent of its size.
///
/// \pre  0 <= n <= size
template <Frontier F>
F divide(F& frontier, Index n, Side side) {
  assert(0 <= n && n <= static_cast<Index>(frontier.size()));
  return frontier.take(n, side);
}

/// Takes `share` of the frontier's nodes, rounded down. A frontier of one node therefore
/// keeps it under every share below 1.
///
/// \pre  0 <= share.left <= share.total, 0 < share.total, size * share.left < 2^63
template <Frontier F>
F divide(F& frontier, Share share, Side side) {
  assert(0 <= share.left && share.left <= share.total && share.total > 0);
  return divide(frontier, static_cast<Index>(frontier.size()) * share.left / share.total, side);
}

}  // namespace cleave
