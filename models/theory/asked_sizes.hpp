// SPDX-License-Identifier: Apache-2.0
// The sizes that a model is asked about. Of a search they are its nodes. Or they are what its runs
// were given (--size N=31), and a law of their own tells the nodes.
#pragma once

#include <optional>

#include "models/theory/model.hpp"
#include "models/theory/prediction.hpp"

namespace cleave::models {

/// \throws UsageError  if a size is missing, unknown, below 1, or one the program does not take
void check_sizes(const Model& model, const NamedSizes& sizes);

/// The nodes of a search of these sizes, where they are not among them and follow from them.
/// \throws Error  if they are too many to count
std::optional<Estimate> nodes_asked(const Model& model, const NamedSizes& sizes);

/// Widens the intervals by what the time is at the ends of what the nodes may be.
void widen(Prediction& prediction, double least_s, double most_s);

}  // namespace cleave::models
