// SPDX-License-Identifier: Apache-2.0
// How the nodes of a tree are distributed over the subtrees below its root: what a static split of
// the root's children would have to balance.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/uts/uts.hpp"

namespace cleave::uts {

/// The number of nodes below and at each child of the root, in the order of the children.
/// Cost: one traversal. \throws Error  if one is beyond `limits`
std::vector<std::int64_t> subtree_sizes(const Uts& uts, const SearchLimits& limits = {});

struct SubtreeShares {
  std::int64_t count = 0;  ///< of subtrees
  double single_node = 0;  ///< share of the subtrees that are one node
  double largest = 0;      ///< share of the tree's nodes, the root counts, in the largest one
  double median_size = 0;  ///< nodes
  double holding_98_percent = 0;  ///< the least share of the subtrees that hold 98 % of the nodes
  /// How many subtrees have 1 node, 2 to 9, 10 to 99, 100 to 999 and so on.
  std::vector<std::int64_t> by_power_of_ten;
};

SubtreeShares shares_of(std::vector<std::int64_t> sizes);

}  // namespace cleave::uts
