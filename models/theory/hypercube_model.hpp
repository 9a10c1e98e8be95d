// SPDX-License-Identifier: Apache-2.0
// The times of the blocks of a call on the hypercube (docs/explanation/model.md, "The law").
#pragma once

#include <optional>
#include <vector>

#include <cleave/schedule/schedule.hpp>

#include "models/theory/law.hpp"
#include "models/theory/samples.hpp"
#include "models/theory/scaling.hpp"

namespace cleave::models {

using detail::Way;

/// The quiet time of one block on one rank.
struct BlockModel {
  detail::Block block = detail::Block::sequential;
  Law law;
  int samples = 0;  ///< that it was fitted to: one a rank and level of a run
};

/// How exchanges use l and g: a message of K bytes takes factor * (l + K g).
struct ExchangeModel {
  double factor = 2;
  bool factor_is_fitted = false;
  double what_if = 1;  ///< multiplies every exchange, of an assumed network, too; of a question
  double splitter_bytes = 0;  ///< of an element in a sample of the sorting form; 0 for other forms
  Law bytes;                  ///< K as a function of the sizes of what is moved
  /// What 95 % of the time in exchanges is within, on the scale of logarithms.
  double half_width = 0;
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
