// SPDX-License-Identifier: Apache-2.0
// What the runs and rehearsals of a study say so far, and which of them are to be made again.
#pragma once

#include <vector>

#include <cleave/trace/provenance.hpp>

#include "models/ask/arguments.hpp"
#include "models/report/report.hpp"
#include "models/study/study_run.hpp"

namespace cleave::models {

/// The answers by rehearsals, which all runs judge. A model that is fitted to the runs answers for
/// other sizes and ranks. It also says what no rehearsal tells: how long messages are, and what the
/// host does on top.
///
/// \param within  half width of an answer that is narrow enough, relative; notes say what would
///                make a wider one narrower
/// \throws Error  if nothing can be fitted
Report report_of(const StudyRun& run, const FitArguments& fit, double within,
                 const detail::Provenance& provenance);

/// The rehearsals of answers that are too wide by their blocks; and what is to blame where a run is
/// not in its interval: the run if it took longer, else its rehearsal. A host that was busy in all
/// rounds is likelier than a law that is wrong, and what is really as slow stays so.
std::vector<Case*> cases_again(StudyRun& run, const Report& report, double within);

}  // namespace cleave::models
