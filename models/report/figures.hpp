// SPDX-License-Identifier: Apache-2.0
// The figures of a report.
#pragma once

#include <vector>

#include "models/report/report.hpp"

namespace cleave::models {

/// Times against size for each number of ranks, errors, latency and gap.
std::vector<Figure> make_figures(const Model& model, const std::vector<Comparison>& comparisons,
                                 const Network& network);

}  // namespace cleave::models
