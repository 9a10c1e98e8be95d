// SPDX-License-Identifier: Apache-2.0
// Plays the schedule of a call on the hypercube. Every rank has a clock, blocks take what their
// laws say, and ranks that meet wait for each other (docs/explanation/model.md, eq. 10).
#pragma once

#include "models/theory/prediction.hpp"

namespace cleave::models {

/// The schedule of a call is played for at most so many ranks.
inline constexpr int kMostPlayedRanks = 1 << 16;

/// Fills in the time of the last rank where every block takes its median, its shares, equation 6,
/// and what is said of them, for the ranks, ranks per host and sizes of `prediction`.
/// Cost: O(P log P) for P ranks, about half a second for 65,536.
/// \param rehearsed  of this run, or null; what it has is taken in place of the laws
/// \param is_silent  whether messages take no time, so that nothing need be known of them
/// \return  half of the 95 % range: the blocks' by their shares
/// \throws Error  if a block of the schedule cannot be predicted, or there are too many ranks
HalfWidths play(Prediction& prediction, const Model& model, const Network& network,
                const RehearsedRun* rehearsed = nullptr, bool is_silent = false);

}  // namespace cleave::models
