// SPDX-License-Identifier: Apache-2.0
// The time of a search by work stealing (docs/model.md, eq. 17 to 20): W nodes on R ranks of t
// threads each take
//
//     T = tau W / (R t) + steals + start-up + termination
//
// tau is fitted for each number of workers that compute at once on a host; how long and how often a
// worker is dry, for workers of one rank and for ranks; start-up and termination by the rounds of
// messages that they take.
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "models/block_fit.hpp"
#include "models/communication.hpp"
#include "models/stealing_runs.hpp"

namespace cleave::models {

struct Model;
struct Prediction;
struct PredictOptions;

/// Steals among the workers of one rank, or among ranks of one worker each.
struct Steals {
  // For one worker: of `nodes`, its share of the tree, and `doublings`, log2 of how many share it.
  BlockFit seconds;  ///< of all its steals, without what the network takes
  BlockFit count;    ///< how often it runs dry and gets nodes again
  /// How many of its requests to other ranks bring nothing; those inside a rank send nothing.
  std::optional<BlockFit> in_vain;

  double deviation = 0;  ///< relative, of the time of all steals of a run
  double bytes = 0;      ///< of nodes received for one steal
  int maximum = 2;       ///< workers or ranks measured
};

/// What is beside the search, of which the model has one BlockModel (`sequential`) for each number
/// of workers per host.
struct StealingModel {
  /// Whether a machine's l and g are left out of what was fitted, so that another's can be added.
  bool knows_network = false;
  std::optional<Steals> inside;   ///< of a rank
  std::optional<Steals> between;  ///< of ranks
  /// Seconds, of `doublings` of the ranks and `helpers`, the threads of a rank beyond the first.
  BlockFit start_up;
  BlockFit termination;    ///< the same
  int ranks_per_host = 1;  ///< the most that were measured
  int threads = 1;         ///< of a rank, the most that were measured
};

/// Adds to `model` what `runs` determine, and to its refused blocks what they do not, with reasons.
/// l and g are those of `model`; `knows_network` says that they come from a machine.
void fit_stealing(Model& model, const std::vector<StealingRun>& runs, bool knows_network);

/// As `predict`. Shares are named search, steal, start_up and termination.
///
/// \throws UsageError  if a size is missing, unknown or below 1, or ranks or threads are
/// \throws Error       if a part that is needed was refused, with the reason
Prediction predict_stealing(const Model& model, int ranks, const NamedSizes& sizes,
                            const PredictOptions& options);

}  // namespace cleave::models
