// SPDX-License-Identifier: Apache-2.0
// The whole tree T of the Peano page "Load balancing strategies": every node has 0 or K = k^d
// children. It is the input of a planner and the hidden future of a policy; Stage s is the tree cut
// below level s.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace cleave::splitting {

/// Counts and positions of leaves and nodes.
using Index = std::int64_t;

/// The end of the curve that leaves are taken from.
enum class Side : std::uint8_t { front, back };

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
  /// \throws Error  naming the level, if it has not K nodes for every refined node above it, or
  /// there are 2^31 nodes or
  ///                more
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

/// Positions [begin, end) among the leaves of one stage.
struct LeafRun {
  Index begin = 0;
  Index end = 0;

  Index size() const { return end - begin; }
  friend bool operator==(const LeafRun&, const LeafRun&) = default;
};

/// A processor's leaves: sorted, disjoint, non-touching, non-empty runs. One run when only prefixes
/// and suffixes move, and few otherwise.
class LeafSet {
 public:
  LeafSet() = default;
  explicit LeafSet(LeafRun run) { append(run); }
  /// Any runs, in any order. \throws Error  if two overlap, or one is empty or begins below 0
  explicit LeafSet(std::vector<LeafRun> runs);
  /// \pre  `positions` rise
  static LeafSet of_positions(const std::vector<Index>& positions);

  Index size() const { return size_; }
  bool empty() const { return size_ == 0; }
  const std::vector<LeafRun>& runs() const { return runs_; }
  Index front() const { return runs_.front().begin; }
  Index back() const { return runs_.back().end - 1; }

  /// How many members lie in [begin, end). Cost: O(runs).
  Index count_in(LeafRun range) const;
  bool contains_all(const LeafSet& other) const;

  /// Removes the `n` members at end `side` and returns them. \pre 0 <= n <= size()
  LeafSet take(Index n, Side side);

  /// Removes `other`. \pre contains_all(other)
  void remove(const LeafSet& other);

  friend bool operator==(const LeafSet&, const LeafSet&) = default;

 private:
  void append(LeafRun run);

  std::vector<LeafRun> runs_;
  Index size_ = 0;
};

/// The tree while it is built. Leaves are numbered along the space-filling curve and renumbered at
/// every step.
class Growth {
 public:
  /// Stage 0: the root. Refers to `tree`, which must outlive this.
  explicit Growth(const Tree& tree) : tree_(&tree), level_{0}, node_{0}, first_final_{0} {}

  const Tree& tree() const { return *tree_; }
  int stage() const { return stage_; }

  Index leaves() const { return static_cast<Index>(level_.size()); }  ///< N
  int level(Index leaf) const { return level_[leaf]; }
  Index node(Index leaf) const { return node_[leaf]; }  ///< index within its level
  const std::vector<std::uint16_t>& levels() const { return level_; }

  /// Final leaf that the curve reaches first below `leaf`; the number of final leaves for
  /// `leaf` = leaves(). Knows the future: for planners and ledgers, never for a policy.
  Index first_final(Index leaf) const;
  /// The current leaf that holds the final leaf `position`, or leaves() for the end. O(log N).
  Index leaf_at(Index position) const;

  /// The next stage: every leaf of the deepest level that has children gets them. O(N).
  void advance();

 private:
  const Tree* tree_;
  int stage_ = 0;
  // By leaf.
  std::vector<std::uint16_t> level_;
  std::vector<std::int32_t> node_;
  std::vector<std::int32_t> first_final_;
};

/// A tree file's `text`: a line `k d`, then one line of 0s and 1s a level, in curve order
/// (docs/reference/formats.md, section Tree). \throws FileError  naming `path`, and line and column
/// or the level
Tree parse_tree(const std::filesystem::path& path, const std::string& text);
std::string tree_text(const Tree& tree);

}  // namespace cleave::splitting
