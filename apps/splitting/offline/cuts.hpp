// SPDX-License-Identifier: Apache-2.0
// From cuts to splits: the second of the two phases of planning in mode sfc.
#pragma once

#include <vector>

#include "apps/splitting/offline/problem.hpp"

namespace cleave::splitting {

/// The splits that make `cuts` (final leaf positions) as early as the tree allows and, at each
/// stage, at least n. An interval that is cut into several keeps its largest one, and every
/// other one moves once. With the cuts given, no order at these stages moves fewer leaves: each
/// interval but one has to leave the giver. Choosing the cuts first, without n, and the order
/// afterwards is not exact: docs/explanation/splitting.md has how much it loses. Cost: O(leaves +
/// cuts * stages).
///
/// \pre  cuts rise strictly within 1 .. leaves - 1 and are fewer than the processors
PricedPlan plan_of_cuts(const Problem& problem, const std::vector<Index>& cuts);

/// One split of an interval of final leaves into [begin, cut) and [cut, end) at a stage.
struct IntervalSplit {
  int stage = 0;
  Index begin = 0;
  Index cut = 0;
  Index end = 0;
};

/// Names givers and receivers: the smaller side of each cut goes to the next processor.
/// \pre  every interval is the whole curve or a side of an earlier split in `splits`
PricedPlan plan_of_interval_splits(const Problem& problem, std::vector<IntervalSplit> splits);

}  // namespace cleave::splitting
