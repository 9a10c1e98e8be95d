// SPDX-License-Identifier: Apache-2.0
// Planning with whole subtrees, for trees of any size. Every split gives away one node at the
// moment it appears, so that n = 1 and N is as small as it can be. Legal in every mode but sfc.
//
// The parts are then the tree without P - 1 of its edges. The least maximum over such parts, for a
// given number of parts, follows from cutting bottom-up. The heaviest children are cut off wherever
// more than M is left (Kundu and Misra, "A linear tree partitioning algorithm", SIAM J. Comput. 6,
// 1977), and a search for M. It minimises neither max - min nor the cost.
#pragma once

#include <optional>

#include "apps/splitting/offline/problem.hpp"

namespace cleave::splitting {

/// The plan whose parts have the least maximum load; processors that do not lower it stay empty.
/// O(nodes log(load) + P nodes of one level). \pre problem.mode is not sfc
PricedPlan plan_by_subtrees(const Problem& problem);

/// The one with loads of at most `most`, with the fewest processors; nothing if that takes more
/// than there are.
std::optional<PricedPlan> plan_by_subtrees(const Problem& problem, Index maximum);

}  // namespace cleave::splitting
