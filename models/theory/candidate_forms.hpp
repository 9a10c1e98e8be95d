// SPDX-License-Identifier: Apache-2.0
// The forms on trial (docs/explanation/model.md, "Forms").
#pragma once

#include <vector>

#include "models/theory/catalogue.hpp"
#include "models/theory/observation.hpp"
#include "models/theory/terms.hpp"

namespace cleave::models {

/// Terms of a size S are S^p, S^p log2 S and log2 S. Those of a run have more powers and log2^2 S.
/// Those of the number of ranks (kRanksSize) fall and rise. Powers above 1 are there only where S
/// varies by a factor of four: between sizes close to each other a power cannot be told from
/// others. A term stands alone or with a constant. S goes with S log2 S. Every subset of up to
/// three `declared` terms stands alone, or with one other.
///
/// Forms of several sizes are S log2 T, sums of a term of each, and up to three products of a term
/// of each. The first product is as work that the ranks share, the others have simple terms, as
/// messages. There are too many to try. A search finds the likely ones by some thousand first looks
/// at `observations`.
std::vector<PricedForm> candidate_forms(const std::vector<Observation>& observations, Of of,
                                        const std::vector<Basis>& declared = {});

}  // namespace cleave::models
