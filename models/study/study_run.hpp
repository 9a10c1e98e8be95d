// SPDX-License-Identifier: Apache-2.0
// Running a study: calibration, then every case in turn, several rounds, then again whatever its
// traces leave in doubt (study_answers.hpp).
#pragma once

#include <string>
#include <vector>

#include <cleave/trace/trace_file.hpp>

#include "models/study/launcher.hpp"
#include "models/study/study_answers.hpp"
#include "models/study/study_plan.hpp"

namespace cleave::models {

struct RanCase {
  detail::Trace trace;
  std::vector<std::string> warnings;  ///< of a rehearsal, a line each
};

/// Runs one case, as a study's round `round`, and reads its trace.
/// \throws Error  if the run fails, with its last line
RanCase run_case(const StudyPlan& plan, const Launcher& launcher, const Case& c, int round);

/// Makes the folder and fills it with the machine and the traces. Runs whose traces it holds
/// already, made by the same program with the same options, are not run again. After the planned
/// rounds the cases in doubt are measured again until there are none, or the rounds are used up.
/// After the first round nothing runs that the budget has no time for.
/// \throws Stopped  after Ctrl-C, with what is kept
/// \throws Error    if a run fails, with its last line
StudyTraces run_study(const StudyPlan& plan);

}  // namespace cleave::models
