// SPDX-License-Identifier: Apache-2.0
// Where a block's time changes its form, and the form between two such breaks.
#pragma once

#include <variant>
#include <vector>

#include "models/block_fit.hpp"
#include "models/forms.hpp"

namespace cleave::models {

/// Looks for breaks of each varying size, and of the ratio of two, first (models/breaks.hpp), then
/// chooses a form for each segment (models/selection.hpp) among those that its sizes can tell
/// (models/spans.hpp). Breaks stay where each lowers the error at sizes left out by a tenth and all
/// together do not raise that at larger sizes than those fitted; of several, those that leave least
/// of both errors, with twice as much for those that could not be tried at larger sizes. Refused as
/// `fit_best_form` of `forms` refuses.
std::variant<SegmentedFit, Refusal> fit_segmented(const std::vector<Observation>& observations,
                                                  const std::vector<TrialForm>& forms,
                                                  Weights weights);

}  // namespace cleave::models
