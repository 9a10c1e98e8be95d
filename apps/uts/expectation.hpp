// SPDX-License-Identifier: Apache-2.0
// Sizes of trees as random variables. To its search a node's id is as good as random, so a tree is
// one draw of a branching process. What is known of the process is an expectation and a spread for
// every tree of the kind (Harris, "The Theory of Branching Processes", 1963, chapter 1).
#pragma once

#include <cstdint>
#include <vector>

#include "apps/uts/parameters.hpp"

namespace cleave::uts {

/// Mean and variance of a random number; infinite where there is none.
struct Moments {
  double mean = 0;
  double variance = 0;
};

/// Of the number of children of a node at `depth`. For the root of a binomial or balanced tree the
/// number is certain.
Moments children_moments(const TreeParameters& parameters, std::uint32_t depth);

/// The sizes of subtrees by the depth of their topmost node, which counts.
class SubtreeSizes {
 public:
  explicit SubtreeSizes(const TreeParameters& parameters);

  /// Of the whole subtree. Infinite mean where binomial nodes have q m >= 1.
  Moments at(std::uint32_t depth) const { return at_[index(depth)]; }

  /// How many nodes of the subtree are expected at the depth from which on all nodes are alike (the
  /// binomial ones); 1 from there on.
  double alike_nodes(std::uint32_t depth) const { return alike_nodes_[index(depth)]; }

  /// Of the number of children of the nodes that are alike.
  const Moments& alike_children() const { return alike_children_; }

  /// The probability that the subtree of a node that is alike ends.
  double probability_to_end() const { return probability_to_end_; }

 private:
  std::size_t index(std::uint32_t depth) const {
    return depth < at_.size() ? depth : at_.size() - 1;
  }

  Moments alike_children_;
  double probability_to_end_ = 1;
  std::vector<Moments> at_;  ///< by depth; the last for all below
  std::vector<double> alike_nodes_;
};

/// The number of nodes of a tree of this kind: with the same parameters and any root.
Moments size_moments(const TreeParameters& parameters);

}  // namespace cleave::uts
