// SPDX-License-Identifier: Apache-2.0
// What an online strategy may see: the current tree, who owns what, how many leaves earlier stages
// had, l_min and l_max. The type holds nothing of the final tree, so that a policy cannot look
// ahead.
#pragma once

#include <cstdint>
#include <vector>

#include "apps/splitting/ledger/ledger.hpp"

namespace cleave::splitting {

/// Leaf weights that the caller's domain knowledge gives: how many final leaves a current leaf may
/// become. By current leaf; asked again at each stage. Sees the current tree only.
using Indicator = std::vector<double>;

class OnlineView {
 public:
  /// Copies from `ledger` what may be seen; refers to nothing.
  /// \param leaves_so_far  N of stages 0 to now
  OnlineView(const Ledger& ledger, std::vector<Index> leaves_so_far, Indicator indicator);

  int stage() const { return stage_; }
  int l_min() const { return l_min_; }
  int l_max() const { return l_max_; }
  /// Whether the tree has stopped growing: stage l_max, or no open leaf in guided growth.
  bool last_stage() const { return last_stage_; }
  int children() const { return children_; }  ///< K

  Index leaves() const { return static_cast<Index>(levels_.size()); }  ///< N
  int level(Index leaf) const { return levels_[leaf]; }
  /// Whether the leaf may still refine.
  bool open(Index leaf) const { return open_[leaf] != 0; }
  /// N of every stage so far.
  const std::vector<Index>& leaves_so_far() const { return leaves_so_far_; }

  int processors() const { return static_cast<int>(parts_.size()); }
  const LeafSet& part(int processor) const { return parts_[processor]; }
  Index leaves_of(int processor) const { return parts_[processor].size(); }
  /// The lowest processor that owns nothing, -1 if none.
  int first_empty() const;
  int empty_processors() const;
  int opened() const { return processors() - empty_processors(); }  ///< that own leaves
  /// The processor with most leaves, the lowest among equals.
  int heaviest() const;

  bool has_indicator() const { return !indicator_.empty(); }
  double indicator(Index leaf) const { return indicator_[leaf]; }

  /// The view one stage on if every open leaf refines, as all do below l_min. O(K N).
  OnlineView refined() const;
  /// Leaves belong to who owned them, or the nodes that they grew from, in `earlier`, a view of the
  /// same tree at this stage or an earlier one. O(N).
  void inherit_parts(const OnlineView& earlier);

  // For the driver that asks the policy.
  /// The view after a split.
  void give(int giver, int receiver, Index n, Side side);
  /// Guided growth ends when nothing is open, not at a stage.
  void end_growth(bool ended) { last_stage_ = ended; }

 private:
  int stage_ = 0;
  int l_min_ = 0;
  int l_max_ = 0;
  int children_ = 4;
  bool last_stage_ = false;
  std::vector<std::uint16_t> levels_;
  std::vector<std::uint8_t> open_;
  std::vector<Index> leaves_so_far_;
  std::vector<LeafSet> parts_;
  Indicator indicator_;
};

}  // namespace cleave::splitting
