// SPDX-License-Identifier: Apache-2.0
// Which form a block's time has, where none is given.
#pragma once

#include <variant>
#include <vector>

#include "models/block_fit.hpp"
#include "models/forms.hpp"

namespace cleave::models {

/// Chooses among `forms` (fewer terms first) by what predicts best. Judged first by fits to the
/// smaller runs that predict the larger ones: forms remain whose SMAPE exceeds that of the best by
/// no more than chance explains (a paired t test at 95 %). Then the same with the runs of one size
/// after another left out. Of those that remain the least corrected Akaike criterion decides, and
/// of those within 2 of it the one with the fewest terms (docs/model.md, eq. 12). Refused if every
/// form is, with the reason of the last.
std::variant<BlockFit, Refusal> fit_best_form(const std::vector<Observation>& observations,
                                              const std::vector<TrialForm>& forms, Weights weights);

}  // namespace cleave::models
