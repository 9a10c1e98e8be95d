// SPDX-License-Identifier: Apache-2.0
// How far the fit of each block lies from what was measured of it.
#pragma once

#include <string>
#include <vector>

#include "models/report/report.hpp"
#include "models/theory/model.hpp"

namespace cleave::models {

/// One for each block at each level of each run on the hypercube. Of a search: for each part of
/// each run. Blocks whose fits leave messages out (pivot) have none.
std::vector<Residual> residuals_of(const Model& model, const Measurements& measurements,
                                   const std::vector<JudgedRun>& comparisons);

}  // namespace cleave::models
