// SPDX-License-Identifier: Apache-2.0
// A tree while it is built: stage s is the tree cut below level s. Leaves are numbered along the
// space-filling curve and renumbered at every step.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/splitting/tree/leaf_set.hpp"
#include "apps/splitting/tree/tree.hpp"

namespace cleave::splitting {

class Growth {
 public:
  /// Stage 0: the root. Refers to `tree`, which must outlive this.
  explicit Growth(const Tree& tree);

  const Tree& tree() const { return *tree_; }
  int stage() const { return stage_; }  ///< steps made so far

  Index leaves() const { return static_cast<Index>(level_.size()); }  ///< N
  int level(Index leaf) const { return level_[leaf]; }
  Index node(Index leaf) const { return node_[leaf]; }  ///< index within its level
  const std::vector<std::uint16_t>& levels() const { return level_; }

  /// Whether the leaf was never asked to refine, so that nobody online knows whether it will.
  bool open(Index leaf) const { return open_[leaf] != 0; }
  const std::vector<std::uint8_t>& open_leaves() const { return open_; }

  /// Final leaf that the curve reaches first below `leaf`; the number of final leaves for
  /// `leaf` = leaves(). Knows the future: for planners and ledgers, never for a policy.
  Index first_final(Index leaf) const;
  /// The current leaf that holds the final leaf `position`, or leaves() for the end. O(log N).
  Index leaf_at(Index position) const;

  /// One step of level-by-level growth: every open leaf that has children gets them. O(N).
  void advance();

  /// One step of guided growth: only the open leaves in `allowed` may refine, the others stay open.
  /// \throws Error  if a leaf in `allowed` does not exist
  void advance(const LeafSet& allowed);

 private:
  const Tree* tree_;
  int stage_ = 0;
  std::vector<std::uint16_t> level_;
  std::vector<std::int32_t> node_;
  std::vector<std::int32_t> first_final_;
  std::vector<std::uint8_t> open_;
};

}  // namespace cleave::splitting
