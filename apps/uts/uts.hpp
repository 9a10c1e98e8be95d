// Unbalanced tree search by static splitting: divide deals out the tree's frontier, every rank
// traverses what lies below its nodes, combine adds the counts. How much lies below a node cannot
// be known beforehand, so that ranks may end far apart: `imbalance` tells.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "apps/uts/prins.hpp"
#include "skeleton/application.hpp"

namespace cleave {

/// A part of a tree: all that lies below the nodes of `frontier`, these included.
struct Forest {
  std::vector<Node> frontier;
  TreeCounts counted;  ///< nodes that are no longer in a frontier, having been replaced by children
};

struct Uts {
  using Problem = Forest;
  using Solution = TreeCounts;

  PrinsTree tree;
  std::int64_t max_nodes = std::numeric_limits<std::int64_t>::max();

  bool trivial(const Forest& forest) const { return forest.frontier.empty(); }

  TreeCounts conquer(const Forest& forest) const { return forest.counted; }

  /// Makes the frontier large enough to be shared, then deals its nodes out in turn.
  Halves<Forest> divide(Forest forest, Share share) const {
    expand(forest, share.total);
    Halves<Forest> halves;
    halves.left.counted = forest.counted;
    for (std::size_t i = 0; i < forest.frontier.size(); ++i) {
      const bool to_left = static_cast<int>(i % static_cast<std::size_t>(share.total)) < share.left;
      (to_left ? halves.left : halves.right).frontier.push_back(forest.frontier[i]);
    }
    return halves;
  }

  TreeCounts combine(TreeCounts left, TreeCounts right) const {
    return {.nodes = left.nodes + right.nodes,
            .leaves = left.leaves + right.leaves,
            .max_depth = std::max(left.max_depth, right.max_depth)};
  }

  /// Depth first. \throws Error  beyond `max_nodes`
  TreeCounts sequential(Forest forest) const;

  /// The root counts as its children, which replace it when it is divided.
  Sizes sizes(const Forest& forest) const {
    const bool is_whole_tree = forest.counted.nodes == 0 && forest.frontier.size() == 1 &&
                               forest.frontier.front().depth == 0;
    return {{"frontier", is_whole_tree ? tree.root_children : forest.frontier.size()}};
  }
  Sizes solution_sizes(const TreeCounts& counts) const { return {{"nodes", counts.nodes}}; }

 private:
  /// Replaces the frontier's first nodes by their children, breadth first, until it has
  /// kFrontierPerRank nodes for each of `ranks`; but of no more nodes than that, since most trees
  /// have no level that is wide enough for many ranks.
  void expand(Forest& forest, int ranks) const;
};

/// Enough nodes that every rank gets some interior ones, few enough to be dealt out at no cost.
inline constexpr std::size_t kFrontierPerRank = 64;

}  // namespace cleave
