// SPDX-License-Identifier: Apache-2.0
// Which runs a model is not fitted to, so that it can be tested on them.
#pragma once

#include <vector>

#include "models/theory/samples.hpp"

namespace cleave::models {

enum class HoldOut {
  none,
  /// Every second run in ascending order of the sizes, the first is fitted; of a grid of two sizes
  /// every second field, as on a chess board.
  every_second,
  /// Every run in which a size that varies is more than a third of its largest. Of sizes that
  /// double, these are two and four times beyond the largest one that is fitted.
  beyond_third,
};

/// The runs to hold out among all those with these sizes, in ascending order.
std::vector<NamedSizes> held_out_sizes(const std::vector<RunPoint>& points, HoldOut hold_out);

}  // namespace cleave::models
