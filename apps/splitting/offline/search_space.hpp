// SPDX-License-Identifier: Apache-2.0
// What a part can be in `exact_search`, and which splits it allows: one space for parts as sets of
// leaves, one for parts as counts of exchangeable leaves. Parts are 64-bit masks of final leaves.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "apps/splitting/ledger/mode.hpp"
#include "apps/splitting/offline/problem.hpp"
#include "apps/splitting/tree/tree.hpp"

namespace cleave::splitting::detail {

/// Bit c: final leaf c.
using Mask = std::uint64_t;

/// A leaf of the tree at one stage.
struct StageLeaf {
  Mask mask = 0;
  int parent = -1;   ///< number of the parent among the interior nodes, -1 for the root
  int becomes = -1;  ///< its own number if it refines in the next step, else -1
};

/// A small tree with every node that the search asks about.
class SmallTree {
 public:
  /// \pre  tree.leaves() <= 64
  explicit SmallTree(const Tree& tree);

  struct Interior {
    int parent = -1;
    std::vector<Mask> leaf_children;  ///< masks of all children
    std::vector<int> children;        ///< their numbers, -1 for leaves
  };

  const std::vector<StageLeaf>& stage(int s) const { return stages_[static_cast<std::size_t>(s)]; }
  const std::vector<Interior>& interior() const { return interior_; }  ///< root first, by level
  /// Every node of the tree cut below stage s.
  const std::vector<Mask>& nodes(int s) const { return nodes_[static_cast<std::size_t>(s)]; }
  int last_stage() const { return static_cast<int>(stages_.size()) - 1; }

 private:
  std::vector<std::vector<StageLeaf>> stages_;
  std::vector<Interior> interior_;
  std::vector<std::vector<Mask>> nodes_;
};

/// Parts as sets, for modes sfc, run, subtree and parent_owned.
class SetSpace {
 public:
  SetSpace(const Problem& problem, const SmallTree& tree) : problem_(problem), tree_(tree) {}

  struct Part {
    Mask leaves = 0;
    Mask interior = 0;  ///< interior nodes that the part owns; kept in mode parent_owned only
  };
  using Visit = std::function<void(const Part& moved, const Part& rest, Index n)>;

  Part root() const;
  Part grown(const Part& part, int stage) const;  ///< from `stage` to the next
  Index load(const Part& part) const;
  Index leaves(const Part& part, int stage) const;
  std::string key(const Part& part) const;
  void each_split(const Part& part, int stage, const Visit& visit) const;
  Mask pick(Mask, const Part& moved, int) const { return moved.leaves; }

 private:
  void visit_mask(const Part& part, Mask moved, int stage, const Visit& visit) const;
  void each_parent_owned(const Part& part, int stage, const Visit& visit) const;

  const Problem& problem_;
  const SmallTree& tree_;
};

/// Parts as how many leaves of each kind they hold, for mode any. Two leaves are of one kind if the
/// subtrees that will grow below them are equal up to the order of children.
class KindSpace {
 public:
  KindSpace(const Tree& tree, const SmallTree& small);

  using Part = std::string;  ///< by kind: a count
  using Visit = std::function<void(const Part& moved, const Part& rest, Index n)>;

  Part root() const;
  Part grown(const Part& part, int stage) const;
  Index load(const Part& part) const;
  Index leaves(const Part& part, int stage) const;
  std::string key(const Part& part) const { return part; }
  void each_split(const Part& part, int stage, const Visit& visit) const;
  /// Leaves of `part` with the counts of `moved`.
  Mask pick(Mask part, const Part& moved, int stage) const;

 private:
  struct Kind {
    std::vector<int> children;  ///< kinds, rising; empty for a final leaf
    Index leaves = 1;
  };
  const SmallTree& small_;
  std::vector<Kind> kinds_;  // 0: a final leaf
  int root_kind_ = 0;
  std::vector<std::vector<int>> kind_of_;  // by stage and stage leaf
};

}  // namespace cleave::splitting::detail
