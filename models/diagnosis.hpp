// SPDX-License-Identifier: Apache-2.0
// What a fit should be distrusted for, in words.
#pragma once

#include <string>
#include <vector>

#include "models/block_fit.hpp"

namespace cleave::models {

/// One sentence for each thing; mostly none: too few sizes, or too close to each other;
/// coefficients that the samples do not determine, since columns nearly depend on each other;
/// residuals that change at one size, as where a cache overflows; too little beyond the last break;
/// many disturbed repetitions; a form that leaves much unexplained.
std::vector<std::string> diagnose(const SegmentedFit& fit,
                                  const std::vector<Observation>& observations);

}  // namespace cleave::models
