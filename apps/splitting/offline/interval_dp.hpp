// SPDX-License-Identifier: Apache-2.0
// Exact planning in mode sfc for any F: the interval DP.
//
// Every part is an interval of the curve, so that a sequence of splits is a binary tree of cuts.
// With f(x, y, s) the least cost of bringing the interval [x, y) from stage s to parts within the
// window,
//   f(x, y, s) = min( f(x, y, s + 1),
//                     min over cuts c that exist at s: F(smaller side, N_s) + f(x, c, s) + f(c, y,
//                     s) )
// and 0 for one part within the window. Intervals are independent of each other, which makes it
// exact.
#pragma once

#include <optional>

#include "apps/splitting/offline/problem.hpp"

namespace cleave::splitting {

/// Positions that cuts may take under `window`, counted once for each number of parts before them.
/// What the interval DP costs: time O(C^3 * l_max), memory about 16 C^2 bytes and 4 C^2 a stage.
Index interval_dp_candidates(const Problem& problem, LoadWindow window);

/// The most candidates that `interval_dp` takes: a few seconds, 200 MB.
inline constexpr Index kMaxIntervalCandidates = 2000;

/// The cheapest plan with parts in `window`, for any F and weights; nothing if there is none.
/// \throws Error  if there are more than `kMaxIntervalCandidates`
std::optional<PricedPlan> interval_dp(const Problem& problem, LoadWindow window);

}  // namespace cleave::splitting
