// SPDX-License-Identifier: Apache-2.0
// The time of a search by work stealing (docs/explanation/model.md, "Searches"): W nodes on R ranks
// of t threads each take
//
//     T = search + steals + start-up + termination
//
// The search has a factor for each number of workers that compute at once on a host; how long and
// how often a worker is dry, for workers of one rank and for ranks; start-up and termination by the
// rounds of messages that they take.
#pragma once

#include <optional>
#include <vector>

#include "models/theory/law.hpp"

namespace cleave::models {

/// Steals among the workers of one rank, or among ranks of one worker each.
struct Steals {
  // For one worker: of `nodes`, its share of the tree, and `doublings`, log2 of how many share it.
  Law seconds;  ///< of all its steals, without what the network takes
  Law count;    ///< how often it runs dry and gets nodes again
  /// How many of its requests to other ranks bring nothing; those inside a rank send nothing.
  std::optional<Law> in_vain;
  double bytes = 0;  ///< of nodes received for one steal
  int maximum = 2;   ///< workers or ranks measured
};

struct SearchModel {
  /// Of `nodes`, a worker's share of the tree, and `requests`, those of others that it answers.
  std::optional<Law> search;
  /// Whether a machine's l and g are left out of what was fitted, so that another's can be added.
  bool knows_network = false;
  std::optional<Steals> inside;   ///< of a rank
  std::optional<Steals> between;  ///< of ranks
  /// Seconds, of `doublings` of the ranks and `helpers`, the threads of a rank beyond the first.
  std::optional<Law> start_up;
  std::optional<Law> termination;  ///< the same
  int ranks_per_host = 1;          ///< the most that were measured
  int threads = 1;                 ///< of a rank, the most that were measured
};

}  // namespace cleave::models
