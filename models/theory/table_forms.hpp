// SPDX-License-Identifier: Apache-2.0
// Which forms the time of a run may have of which only its sizes are known.
#pragma once

#include <vector>

#include "models/theory/catalogue.hpp"
#include "models/theory/observation.hpp"

namespace cleave::models {

/// As candidate_forms, with more powers, log2^2 S, and of the number of ranks (kRanksSize) terms
/// that fall and rise. Sums and products of terms of several sizes are those of the terms that a
/// first look at `observations` finds likely, beside the best of the other sizes. Cost: up to 12
/// first looks for each term.
std::vector<PricedForm> table_forms(const std::vector<Observation>& observations);

}  // namespace cleave::models
