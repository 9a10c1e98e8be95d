// SPDX-License-Identifier: Apache-2.0
// Running a policy on a growing tree.
#pragma once

#include <functional>

#include "apps/splitting/online/policy.hpp"

namespace cleave::splitting {

/// What the caller's domain knows of the current leaves; asked once a stage.
using Indicate = std::function<Indicator(const Growth& growth)>;

/// Grows `tree` level by level and lets `policy` split at every stage, the last included.
/// \throws IllegalSplit  if the policy asks for a split that the ledger refuses
Ledger simulate(const Tree& tree, int processors, const CostModel& cost, const Policy& policy,
                const Indicate& indicate = {});

/// Guided refinement: the policy also says where the tree may refine next. It may hold an area back
/// until it has decided there, or grow one area to learn about it first.
struct GuidedPolicy {
  Policy split;
  /// The open leaves that may refine in the next step; if none of them is open, all may.
  std::function<LeafSet(const OnlineView&)> allow;
};

/// Like `simulate`, in as many steps as the policy takes; `policy.split` is asked once more at the
/// end, when every leaf is known. Such a view's `stage()` counts steps, `last_stage()` is true when
/// no leaf is open.
Ledger simulate_guided(const Tree& tree, int processors, const CostModel& cost,
                       const GuidedPolicy& policy);

/// Lets the processor with the fewest leaves refine, among those that have open leaves.
LeafSet allow_lightest_part(const OnlineView& view);

}  // namespace cleave::splitting
