// Which form a block's time has, where none is given, and where it changes.
#pragma once

#include <variant>
#include <vector>

#include "models/block_fit.hpp"

namespace cleave {

/// Chooses among `forms` (fewer terms first) by what predicts best. Judged first by fits to the
/// smaller runs that predict the larger ones: forms remain whose SMAPE exceeds that of the best by
/// no more than chance explains (a paired t test at 95 %). Then the same with the runs of one size
/// after another left out. Of those that remain the least corrected Akaike criterion decides, and
/// of those within 2 of it the one with the fewest terms (docs/model.md, eq. 12). Terms steeper
/// than S log2 S are on trial where the size S varies by a factor of four. Refused if every form
/// is, with the reason of the last.
std::variant<BlockFit, Refusal> fit_best_form(const std::vector<Observation>& observations,
                                              const std::vector<TrialForm>& forms, Weights weights);

/// Looks for breaks of each varying size, and of the ratio of two, first (models/breaks.hpp), then
/// chooses a form for each stretch. Breaks stay where runs that were left out are predicted better
/// with them. Refused as `fit_best_form` of `forms` refuses.
std::variant<SegmentedFit, Refusal> fit_segmented(const std::vector<Observation>& observations,
                                                  const std::vector<TrialForm>& forms,
                                                  Weights weights);

}  // namespace cleave
