// SPDX-License-Identifier: Apache-2.0
// Online strategies: at each stage a policy is asked again and again for one more split, until it
// has none. It works in mode sfc: the first or last n leaves of a processor go to an empty one.
#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "apps/splitting/ledger/plan.hpp"
#include "apps/splitting/online/online_view.hpp"

namespace cleave::splitting {

/// One split that a policy asks for.
struct Give {
  int giver = 0;
  int receiver = 0;
  Index n = 0;
  Side side = Side::back;
};

/// The next split, or none at this stage. Asked only while a processor is empty. May remember
/// earlier calls: make a new one for each run.
using Policy = std::function<std::optional<Give>(const OnlineView&)>;

/// What F is asked about `give`.
inline SplitSize size_of(const OnlineView& view, const Give& give) {
  return {.n = give.n, .N = view.leaves(), .giver_leaves = view.leaves_of(give.giver)};
}

/// One stage: asks `policy` until it has no more splits or no processor is empty, and calls
/// `made(give)` for each split before `view` has it.
template <class Made>
void split_at_stage(OnlineView& view, const Policy& policy, Made made) {
  while (view.first_empty() >= 0) {
    const std::optional<Give> give = policy(view);
    if (!give) {
      return;
    }
    made(*give);
    view.give(give->giver, give->receiver, give->n, give->side);
  }
}

// Peano 4's own strategies. `min_leaves` is Peano's minimum tree size.

/// As soon as there are `min_leaves` for each processor, processor 0 deals all its leaves out.
Policy spread_out(Index min_leaves = 1);
/// The same, once the tree has stopped growing.
Policy spread_out_once_grid_stagnates(Index min_leaves = 1);
/// First over the nodes of `cores` processors each, then, from the next stage on, each node's first
/// processor over its cores, as soon as it has `min_leaves` for each.
Policy spread_out_hierarchically(int cores, Index min_leaves = 1);
/// Halves the heaviest part while a processor is empty and the part has 2 `min_leaves`.
Policy recursive_bipartition(Index min_leaves = 1);
/// Halves the heaviest part while it has more than `max_leaves`.
Policy split_oversized_tree(Index max_leaves);
/// Replays the splits of a plan made in mode sfc, whatever the tree does.
Policy hardcoded(Plan plan);
/// Runs the first policy until a stage in which it splits nothing though processors are empty, then
/// the next, and so on. Peano has two; here are any number.
Policy cascade(std::vector<Policy> policies);

// Ours.

/// Everything on the last stage, where the tree is known: parts of floor and ceil of the mean.
Policy wait();

/// Opens `parts` parts as soon as there are leaves for them and keeps the other processors idle; on
/// the last stage these split the parts further. Whatever the tree becomes, no processor ends with
/// more than ceil(L / (P - parts)) leaves. To get below M, parts of L_i leaves need at most sum
/// ceil(L_i / M) <= L / M + parts processors. Splits that do not lower the maximum are not made.
/// \pre  1 <= parts < P for the guarantee
Policy reserve(int parts);

/// Waits for as long as `budget` is safe: deals all leaves out at the last stage at which it can
/// still pay, if next stage every open leaf might refine. Spends at most `budget` if dealing out at
/// the first stage with a leaf for each processor costs no more.
Policy budgeted(double budget, CostModel cost);

struct AheadOptions {
  /// How far a cut may lie from an even share, as a part of the share, to be made before the
  /// deadline.
  double tolerance = 0.1;
  /// The deadline is the first stage with this many leaves a processor, at the latest the last
  /// stage.
  Index min_leaves = 1;
  /// Parts there may be before the deadline, at least 1; 0: as many as processors.
  int early_parts = 0;
  /// Processors kept idle until the last stage, where they split what turned out heaviest.
  int kept_idle = 0;
};

/// Makes each cut as soon as the tree offers one near an even share, and all at the deadline.
/// Shares are of expected final leaves: the caller's indicator where there is one, else what the
/// share of nodes that refined at the last stage makes of an open leaf. Up to l_min all leaves
/// refine, which is known.
Policy ahead(AheadOptions options);

/// Opens parts at the pace of the tree: at each stage as many as give `leaves_a_part` current
/// leaves each, cut nearest to even shares as in `ahead`. The last stage lowers the maximum with
/// what is idle.
Policy paced(Index leaves_a_part);

/// `ahead` at the given deadline with the indicator's weights: even shares of what the caller
/// expects.
Policy weighted(Index min_leaves = 1);

}  // namespace cleave::splitting
