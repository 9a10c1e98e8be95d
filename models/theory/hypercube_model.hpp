// SPDX-License-Identifier: Apache-2.0
// The times of the blocks of a call on the hypercube (docs/explanation/model.md, "Blocks").
#pragma once

#include <optional>
#include <vector>

#include <cleave/schedule/schedule.hpp>

#include "models/theory/form_fit.hpp"
#include "models/theory/noise.hpp"
#include "models/theory/samples.hpp"
#include "models/theory/scaling.hpp"

namespace cleave::models {

using detail::Way;

/// The time of one block on one rank, by the ranks per host that compute at once.
struct BlockModel {
  detail::Block block = detail::Block::sequential;
  Fit fit;
  Noise noise;
  /// Relative deviation of one repetition from the median of its rank and level.
  double repetition_deviation = 0;
  int samples = 0;  ///< that it was fitted to: one a rank and level of a run
};

/// How exchanges use l and g: a message of K bytes takes factor * (l + K g).
struct ExchangeModel {
  double factor = 2;
  bool factor_is_fitted = false;
  double splitter_bytes = 0;  ///< of an element in a sample of the sorting form; 0 for other forms
  Fit bytes;                  ///< K as a function of the sizes of what is moved
  Noise noise;                ///< of the times of the fitted exchanges
};

struct HypercubeModel {
  Way way = Way::replicated;
  std::vector<BlockModel> blocks;
  std::vector<Scaling> scaling;
  double tilt = 0;  ///< of divisions (fit_tilt)
  std::optional<ExchangeModel> exchange;

  /// Null if there is none.
  const BlockModel* find(detail::Block block) const {
    for (const BlockModel& model : blocks) {
      if (model.block == block) {
        return &model;
      }
    }
    return nullptr;
  }
};

}  // namespace cleave::models
