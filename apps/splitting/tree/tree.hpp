// SPDX-License-Identifier: Apache-2.0
// The whole tree T of the Peano page "Load balancing strategies": every node has 0 or K = k^d
// children. It is the input of a planner and the hidden future of a policy; growth.hpp has the tree
// while it is built.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cleave/frontier.hpp>

namespace cleave::splitting {

/// k and d: a refined cell has k children along each of d axes.
struct Shape {
  int k = 2;
  int d = 2;

  int children() const;
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// \throws Error  unless k and d are 2 or 3
void check(Shape shape);

class Tree {
 public:
  /// `levels[l][j]` says whether the j-th node of level l, in curve order, has children. Trailing
  /// levels without children may be left out. Memory: about 14 bytes a node and 2 a leaf.
  ///
  /// \throws Error  naming level and node, if a level has not K nodes for every refined node above
  ///                it, or there are 2^31 nodes or more
  Tree(Shape shape, std::vector<std::vector<std::uint8_t>> levels);

  Shape shape() const { return shape_; }
  int children() const { return children_; }  ///< K
  Index leaves() const { return static_cast<Index>(cut_stage_.size()); }
  Index nodes() const { return nodes_; }
  int l_min() const { return l_min_; }  ///< level of the shallowest leaf
  int l_max() const { return static_cast<int>(leaves_at_stage_.size()) - 1; }  ///< last stage

  /// N of stage s: the leaves of the tree cut below level s. 0 <= s <= l_max.
  Index leaves_at_stage(int s) const { return leaves_at_stage_[s]; }

  /// By final leaf c: the first stage at which the tree can be cut before c; 0 for c = 0.
  /// A planner needs nothing else of the tree: N_s = #{c : cut_stage[c] <= s}.
  const std::vector<std::uint16_t>& cut_stage() const { return cut_stage_; }

  Index nodes_of_level(int level) const { return static_cast<Index>(refined_[level].size()); }
  bool refined(int level, Index node) const { return refined_[level][node] != 0; }
  /// First of the K consecutive children, on the next level. \pre refined(level, node)
  Index first_child(int level, Index node) const {
    return Index{children_} * refined_before_[level][node];
  }
  /// \pre  level > 0
  Index parent(int level, Index node) const { return refined_nodes_[level - 1][node / children_]; }
  /// The final leaves at or below a node are [first_leaf, first_leaf + leaves_below).
  Index first_leaf(int level, Index node) const { return first_leaf_[level][node]; }
  Index leaves_below(int level, Index node) const { return leaves_below_[level][node]; }

  /// Sixteen hexadecimal digits that tell trees apart in a file: CRC-64 of k, d and levels.
  std::string fingerprint() const;

 private:
  void count_leaves();
  void place_leaves();

  Shape shape_;
  int children_ = 4;
  int l_min_ = 0;
  Index nodes_ = 0;
  // By level and node.
  std::vector<std::vector<std::uint8_t>> refined_;
  std::vector<std::vector<std::int32_t>> refined_before_;
  std::vector<std::vector<std::int32_t>> refined_nodes_;  // the refined nodes of a level, in order
  std::vector<std::vector<std::int32_t>> first_leaf_;
  std::vector<std::vector<std::int32_t>> leaves_below_;
  std::vector<Index> leaves_at_stage_;
  std::vector<std::uint16_t> cut_stage_;
};

}  // namespace cleave::splitting
