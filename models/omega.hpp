// SPDX-License-Identifier: Apache-2.0
// Omega: the run time of a whole call by the paper's equation 6, from the times of its blocks.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/model.hpp"

namespace cleave::models {

/// What one block at one level adds to Omega.
struct BlockShare {
  Block block = Block::sequential;
  int level = 0;
  double seconds = 0;
  std::string_view part = {};  ///< of a search that is no level's block (models/stealing.hpp)

  std::string_view name() const { return part.empty() ? name_of(block) : part; }
};

struct Prediction {
  int ranks = 1;
  int threads = 1;  ///< of a rank
  NamedSizes sizes;
  double seconds = 0;
  /// A new measurement lies in [low, high] with 95 % probability, as far as the fits know.
  double low = 0;
  double high = 0;
  /// Whether ranks or sizes, at any level, lie beyond those that the model was fitted to (sizes by
  /// more than 5 %, since groups are never quite even).
  bool outside_fitted_range = false;
  std::vector<BlockShare> shares;  ///< from the root down; they add up to `seconds`
  std::vector<std::string> remarks;
};

struct PredictOptions {
  /// Which ranks compute at once on a host; by default the most that the model has seen, or all.
  std::optional<int> ranks_per_host;
  /// Another machine's l and g instead of the model's.
  std::optional<LatencyGaps> latency_gaps;
  /// Of a rank, for work stealing; by default those of the fitted runs, 1 where these differ.
  std::optional<int> threads = std::nullopt;
};

/// Refuses ranks and sizes that the model knows nothing of. \throws  as `predict`
void check_request(const Model& model, int ranks, const NamedSizes& sizes);

/// Sets `low` and `high` of a time whose parts have these variances, and which is as far from the
/// model as the fitted runs were (Model::run_variance).
void set_interval(Prediction& prediction, const Model& model, std::vector<Variance> parts);

/// Omega(sizes, p) = sum_j max_i tau_Div + sum_j max_i tau_Comb + sum_j max_i tau_Exc
///                 + max_i tau_Seq + tau_HDC                               (docs/model.md, eq. 6)
///
/// over levels j = 0 .. ceil(log2 p) - 1 of groups of p, ceil(p/2), ... ranks. Which blocks a level
/// has is what the traces showed. Waiting is not added: it is what max stands for.
///
/// \throws UsageError  if ranks < 1, or a size is missing, unknown or below 1
/// \throws Error       if a block that is needed was refused, with the reason
Prediction predict(const Model& model, int ranks, const NamedSizes& sizes,
                   const PredictOptions& options = {});

}  // namespace cleave::models
