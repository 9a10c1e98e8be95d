// SPDX-License-Identifier: Apache-2.0
// Plays the schedule of a call on the hypercube. Every rank has a clock, blocks take what their
// laws say, and ranks that meet wait for each other (docs/explanation/model.md, eq. 10).
#pragma once

#include <set>
#include <string>
#include <vector>

#include "models/theory/model.hpp"
#include "models/theory/prediction.hpp"
#include "models/theory/rehearsed.hpp"

namespace cleave::models {

/// The schedule of a call is played for at most so many ranks.
inline constexpr int kMostPlayedRanks = 1 << 16;

/// The time of the last rank where every block takes its median, and what it consists of.
struct Played {
  double seconds = 0;
  std::vector<BlockShare> shares;  ///< of the last rank, from the root down
  /// Half the 95 % range, on the scale of logarithms: the blocks' by their shares.
  double half_width_below = 0;
  double half_width_above = 0;
  double half_width_of_blocks = 0;    ///< without messages
  double sum_of_maxima_s = 0;         ///< equation 6
  std::vector<double> message_bytes;  ///< the longest of each level
  bool is_outside_fitted_range = false;
  std::vector<std::string> remarks;
  std::set<int> levels_by_law;  ///< of a rehearsal that stopped below them
};

/// Cost: O(P log P) for P ranks, about half a second for 65,536.
/// \param rehearsed  of this run, or null; what it has is taken in place of the laws
/// \param is_silent  whether messages take no time, so that nothing need be known of them
/// \throws Error  if a block of the schedule cannot be predicted, or `ranks` > kMostPlayedRanks
Played play(const Model& model, const Network& network, int ranks, int ranks_per_host,
            const NamedSizes& sizes, const RehearsedRun* rehearsed = nullptr,
            bool is_silent = false);

}  // namespace cleave::models
