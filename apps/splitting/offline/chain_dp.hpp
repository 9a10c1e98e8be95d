// SPDX-License-Identifier: Apache-2.0
// Plans by choosing the cuts of the final curve alone. That is exact where F depends on N only (A1
// = 0): then a cut costs what the stage at which it can first be made costs.
#pragma once

#include <optional>
#include <vector>

#include "apps/splitting/offline/problem.hpp"

namespace cleave::splitting {

/// Cuts whose loads lie in `window` at the least sum of F(0, N) over the cuts' earliest stages: the
/// chain DP, with a sliding-window minimum.
///
/// Time O(P * W) and memory 2 or 4 bytes times P * W. W is the number of positions a cut may take:
/// up to P/2 * (most - least + 1), so P^2/4 * (most - least + 1) in all. With `band`, cut j only
/// takes positions whose load is within `band` of j/P of the whole. That is the banded planner,
/// exact within the band and P * 2 band in time and memory.
///
/// \return  the cuts, rising; nothing if no cuts fit the window (and the band)
/// \throws Error  if that takes more than 2^28 steps: the window is too wide for this many leaves
std::optional<std::vector<Index>> chain_cuts(const Problem& problem, LoadWindow window,
                                             std::optional<Index> band = std::nullopt);

/// The same for any price of a cut, by final leaf position, in place of F.
std::optional<std::vector<Index>> chain_cuts_at_prices(const Problem& problem, LoadWindow window,
                                                       std::vector<double> prices);

/// `chain_cuts` with cuts number every, 2 * every ... fixed at `fixed`.
/// \pre  window.least > 0
std::optional<std::vector<Index>> chain_cuts_through(const Problem& problem, LoadWindow window,
                                                     const std::vector<Index>& fixed, int every);

/// From left to right, the cheapest position that the window leaves for each cut; among equals the
/// nearest to an even share. Not exact. Time O(P * (most - least)), no memory.
///
/// \return  nothing if it runs into a corner (never with weights of 1)
std::optional<std::vector<Index>> greedy_cuts(const Problem& problem, LoadWindow window);

}  // namespace cleave::splitting
