// SPDX-License-Identifier: Apache-2.0
// How many ranks to ask for: the fewest that keep a deadline, or the most that are still used well.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/theory/prediction.hpp"

namespace cleave::models {

struct PlanRequest {
  NamedSizes sizes;
  std::vector<int> ranks;            ///< to choose among, ascending
  std::optional<double> deadline_s;  ///< 95 % of runs on a host as it was must keep it
  std::optional<double> efficiency;  ///< at least; speed-up over one rank / ranks
  std::optional<double> host_bytes;  ///< at most, of all ranks of a host together
  PredictOptions options;
};

struct PlanChoice {
  Prediction prediction;
  double speedup = 1;
  double efficiency = 1;
  double core_hours = 0;  ///< of the predicted time, threads of a rank included
  bool fits = false;      ///< keeps what was asked
};

struct Plan {
  std::vector<PlanChoice> choices;    ///< one a number of ranks
  std::optional<std::size_t> chosen;  ///< index into choices; none if nothing fits
  /// Why some numbers of ranks are not among the choices; empty where all are.
  std::string left_out;
};

/// With a deadline: picks the fewest ranks that fit. Else: the most ranks with the asked
/// efficiency. Numbers of ranks that cannot be predicted, as those that leave the measured host,
/// are left out where others can.
/// \throws UsageError  if neither is given, or memory is limited that the model does not know; else
///                     as `predict`
Plan make_plan(const Model& model, const PlanRequest& request);

}  // namespace cleave::models
