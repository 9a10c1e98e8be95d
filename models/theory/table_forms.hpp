// SPDX-License-Identifier: Apache-2.0
// Which forms the time of a run may have of which only its sizes are known.
#pragma once

#include <vector>

#include "models/theory/catalogue.hpp"
#include "models/theory/observation.hpp"

namespace cleave::models {

/// As candidate_forms, with more powers, log2^2 S, and of the number of ranks (kRanksSize) terms
/// that fall and rise. Forms of several sizes are a term of each, added, or up to three products
/// of a term of each, all but the first of simple terms: work that the ranks share, and messages.
/// They are those that a search finds likely by first looks at `observations`; it makes some
/// thousands.
std::vector<PricedForm> table_forms(const std::vector<Observation>& observations);

}  // namespace cleave::models
