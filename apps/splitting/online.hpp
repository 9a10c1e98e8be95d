// SPDX-License-Identifier: Apache-2.0
// Online splitting, where the tree is seen as it grows: what a policy may see, the policies, and
// running one.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/splitting/ledger.hpp"

namespace cleave::splitting {

/// The view of a policy: the current tree, who owns what, how many leaves earlier stages had,
/// l_min and l_max. It holds nothing of the final tree, so that a policy cannot look ahead.
struct OnlineView {
  int stage = 0;
  int l_min = 0;
  int l_max = 0;
  int children = 4;                   ///< K
  std::vector<std::uint16_t> levels;  ///< by current leaf
  std::vector<Index> leaves_so_far;   ///< N of every stage so far
  std::vector<LeafSet> parts;         ///< by processor

  bool last_stage() const { return stage >= l_max; }
  Index leaves() const { return static_cast<Index>(levels.size()); }  ///< N
  /// Whether the leaf may still refine.
  bool open(Index leaf) const { return levels[leaf] == stage && !last_stage(); }

  int processors() const { return static_cast<int>(parts.size()); }
  Index leaves_of(int processor) const { return parts[processor].size(); }
  /// The lowest processor that owns nothing, -1 if none.
  int first_empty() const;
  int empty_processors() const;
  int opened() const { return processors() - empty_processors(); }  ///< that own leaves
  /// The processor with most leaves, the lowest among equals.
  int heaviest() const;
};

/// One split that a policy asks for.
struct Give {
  int giver = 0;
  int receiver = 0;
  Index n = 0;
  Side side = Side::back;
};

/// At each stage a policy is asked again and again for one more split, until it has none or no
/// processor is empty. It works in mode sfc: the first or last n leaves of a processor go to an
/// empty one. May remember earlier calls: make a new one for each run.
using Policy = std::function<std::optional<Give>(const OnlineView&)>;

/// Grows `tree` level by level and lets `policy` split at every stage, the last included.
/// \throws Error  if the policy asks for a split that the ledger refuses
Ledger simulate(const Tree& tree, int processors, const CostModel& cost, const Policy& policy);

// Peano 4's own strategies. `min_leaves` is Peano's minimum tree size.

/// Once there are `min_leaves` for each processor, processor 0 deals all its leaves out.
Policy spread_out(Index min_leaves = 1);
/// Deals all leaves out once the tree has stopped growing.
Policy spread_out_once_grid_stagnates(Index min_leaves = 1);
/// First over the nodes of `cores` processors each, then, from the next stage on, each node's first
/// processor over its cores, as soon as it has a leaf for each.
Policy spread_out_hierarchically(int cores);
/// Halves the heaviest part while a processor is empty and the part has 2 `min_leaves`.
Policy recursive_bipartition(Index min_leaves = 1);
/// Halves the heaviest part while it has more than `max_leaves`.
Policy split_oversized_tree(Index max_leaves);

// Ours.

/// Everything on the last stage, where the tree is known: parts of floor and ceil of the mean.
Policy wait();

/// Opens `parts` parts as soon as there are leaves for them and keeps the other processors idle; on
/// the last stage these split the parts further. Whatever the tree becomes, no processor ends with
/// more than ceil(L / (P - parts)) leaves. To get below M, parts of L_i leaves need at most sum
/// ceil(L_i / M) <= L / M + parts processors. Splits that do not lower the maximum are not made.
/// \pre  1 <= parts < P for the guarantee
Policy reserve(int parts);

struct AheadOptions {
  /// How far a cut may lie from an even share, as a part of the share, to be made before the
  /// deadline.
  double tolerance = 0.1;
  /// The deadline is the first stage with this many leaves a processor, at the latest the last
  /// stage.
  Index min_leaves = 1;
  /// Parts there may be before the deadline, at least 1; 0: as many as processors.
  int early_parts = 0;
};

/// Makes each cut as soon as the tree offers one near an even share of expected leaves, and all at
/// the deadline.
Policy ahead(AheadOptions options);

/// Opens parts at the pace of the tree: at each stage as many as give `leaves_a_part` current
/// leaves each, cut nearest to even shares as in `ahead`. The last stage lowers the maximum with
/// what is idle.
Policy paced(Index leaves_a_part);

struct NamedPolicy {
  std::string name;
  std::optional<int> count;  ///< what it takes by default, as in "reserve:4"; none: no number
  std::function<Policy(int)> make_with;

  Policy make() const { return make_with(count.value_or(0)); }
};

/// Every policy, with usual counts for `processors` and a tree of `children` = K.
std::vector<NamedPolicy> policies_for(int processors, int children);

/// The policy called `name`, as above or with another count, e.g. "reserve:4".
/// \throws UsageError  naming what is allowed
Policy policy_named(const std::string& name, int processors, int children);

}  // namespace cleave::splitting
