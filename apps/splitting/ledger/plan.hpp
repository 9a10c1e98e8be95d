// SPDX-License-Identifier: Apache-2.0
// A plan: the splits of one tree, in order. Planners make plans, a ledger replays and records them.
#pragma once

#include <vector>

#include "apps/splitting/ledger/mode.hpp"
#include "apps/splitting/tree/leaf_set.hpp"

namespace cleave::splitting {

/// The page's split(p_i, p_j, n, N): at `stage`, `giver` hands `leaves` to the empty `receiver`.
struct Split {
  int stage = 0;
  int giver = 0;
  int receiver = 0;
  LeafSet leaves;  ///< positions on the curve among the leaves of that stage

  friend bool operator==(const Split&, const Split&) = default;
};

struct Plan {
  int processors = 1;
  Mode mode = Mode::sfc;
  std::vector<Split> splits;  ///< stages do not fall
  /// Guided growth only: by stage, the leaves that were allowed to refine. Empty: level by level.
  std::vector<LeafSet> allowed;

  friend bool operator==(const Plan&, const Plan&) = default;
};

}  // namespace cleave::splitting
