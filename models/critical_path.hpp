// SPDX-License-Identifier: Apache-2.0
// The run time of a whole call as the longest path through the graph of its ranks and levels,
// beside equation 6, which adds up the slowest rank of every level even where it is never the same.
#pragma once

#include <optional>

#include "models/omega.hpp"

namespace cleave::models {

struct PathPrediction {
  double seconds = 0;
  double low = 0;  ///< a new measurement lies in [low, high] with 95 % probability
  double high = 0;
};

/// Plays the call as the skeleton runs it (docs/model.md, eq. 16): every rank has its own clock;
/// divisions are as uneven as the traces showed, drawn anew at each; partners wait for each other
/// at each exchange; every block on every rank has the noise that repetitions showed, and each
/// block's fit an error of its own that all levels share. Returns the median and the spread over
/// seeded draws. Costs about ranks * log2(ranks) steps a draw.
///
/// \return  nothing for an executor whose graph is not known here: known is the hypercube's
/// \throws  as `predict`
std::optional<PathPrediction> predict_critical_path(const Model& model, int ranks,
                                                    const NamedSizes& sizes,
                                                    const PredictOptions& options = {});

}  // namespace cleave::models
