// SPDX-License-Identifier: Apache-2.0
// Chains on chains: processors that are cores of nodes. Processor p is core p % cores of node
// p / cores, and a good division has few tree edges from a node to another.
#pragma once

#include "apps/splitting/ledger/ledger.hpp"
#include "apps/splitting/offline/planner.hpp"

namespace cleave::splitting {

/// Edges between a tree node and its parent whose owners sit on different nodes, over the tree that
/// has grown so far. Cost: O(tree nodes). \throws Error  if cores < 1
Index edges_across_nodes(const Ledger& ledger, int cores);

/// A plan in mode sfc for nodes of `cores` cores, in two chains. First come the cuts between nodes,
/// each at least crossing edges, with loads in `cores` times `window`. Then come, within each node,
/// the cuts between cores at least sum of F(0, N). Nodes and cores are numbered so that processor p
/// sits where this header says. Crossing edges of one cut are counted as if it were the only one,
/// so that it is a heuristic for the sum.
///
/// \return  nothing if no cuts fit the windows
/// \throws Error  if `cores` does not divide the processors, or window.least < 1
std::optional<Planned> plan_chains_on_chains(const Problem& problem, LoadWindow window, int cores);

}  // namespace cleave::splitting
