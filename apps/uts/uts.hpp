// SPDX-License-Identifier: Apache-2.0
// Unbalanced tree search: visits every node of a tree and counts. What lies below a node cannot be
// known beforehand. By work stealing, siblings are visited together, and a node is pushed only if
// it has children. By static splitting, divide cuts the tree's frontier in two, every rank
// traverses what lies below its part, and ranks may end far apart: `imbalance` tells.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/tree_search.hpp>

#include "apps/uts/kernel.hpp"
#include "apps/uts/tree.hpp"

namespace cleave::uts {

/// A part of a tree: all that lies below the siblings of `frontier`, these included.
struct Forest {
  std::vector<Siblings> frontier;
  TreeCounts counted;  ///< nodes above the frontier that this part accounts for

  /// How many nodes the frontier has.
  std::int64_t size() const;
  /// Removes the first n nodes of the frontier, with nothing counted above them.
  Forest take(std::int64_t n);
};

/// The whole tree: the children of its root, which is counted.
Forest whole_tree(const Tree& tree);

struct Uts {
  using Problem = Forest;
  using Solution = TreeCounts;
  using Node = Siblings;

  Tree tree;
  ChildIds child_ids = fastest_kernel().child_ids;
  int granularity = 1;  ///< how many times each node is hashed

  void begin(const Forest& forest, Children<Siblings>& children, TreeCounts& total) const;

  /// Counts all `siblings`, and pushes those that have children. Siblings of several parents are
  /// hashed together.
  void visit(std::span<Siblings> siblings, Children<Siblings>& children, TreeCounts& total) const;

  bool trivial(const Forest& forest) const { return forest.frontier.empty(); }

  TreeCounts conquer(const Forest& forest) const { return forest.counted; }

  /// Makes the frontier large enough to be shared, then cuts it in two. Nothing is known of what
  /// lies below a node, so that any cut is as good as another.
  Halves<Forest> divide(Forest forest, Share share) const {
    expand(forest, share.total);
    Forest left = forest.take(forest.size() * share.left / share.total);
    left.counted = std::exchange(forest.counted, {});
    return {std::move(left), std::move(forest)};
  }

  TreeCounts combine(TreeCounts left, TreeCounts right) const {
    return {.nodes = left.nodes + right.nodes,
            .leaves = left.leaves + right.leaves,
            .max_depth = std::max(left.max_depth, right.max_depth)};
  }

  Sizes sizes(const Forest& forest) const { return {{"frontier", forest.size()}}; }
  Sizes solution_sizes(const TreeCounts& counts) const { return {{"nodes", counts.nodes}}; }

 private:
  /// Visits siblings of the frontier, breadth first, until it has kFrontierPerRank nodes for each
  /// of `ranks`. It visits no more nodes than that, since many trees have no level that is wide
  /// enough.
  void expand(Forest& forest, int ranks) const;
};

/// Enough nodes that every rank gets some interior ones, few enough to be found at no cost.
inline constexpr std::int64_t kFrontierPerRank = 64;

}  // namespace cleave::uts
