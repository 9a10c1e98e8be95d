// SPDX-License-Identifier: Apache-2.0
// Running a study: calibration, then every case in turn, several rounds, then again whatever its
// traces leave in doubt (study_answers.hpp).
#pragma once

#include <string>
#include <vector>

#include <cleave/trace/trace_file.hpp>

#include "models/report/comparison.hpp"
#include "models/study/launcher.hpp"
#include "models/study/study_answers.hpp"
#include "models/study/study_plan.hpp"

namespace cleave::models {

/// Makes the folder and fills it with the machine and the traces. Runs whose traces it holds
/// already, made by the same program with the same options, are not run again. After the planned
/// rounds the cases in doubt are measured again until there are none, or the rounds are used up.
/// After the first round nothing runs that the budget has no time for.
/// \throws Stopped  after Ctrl-C, with what is kept
/// \throws Error    if a run fails, with its last line
StudyTraces run_study(const StudyPlan& plan);

struct SideRunOptions {
  int ranks = 2;
  std::vector<std::string> sizes;  ///< empty: those of the first program's quick study
  int rounds = 8;
};

/// Runs every size of all programs, round by round, with the same input, forwards and backwards in
/// turn. Traces are kept in a temporary folder while it runs.
/// \throws UsageError   if one is no program of Cleave or refuses the sizes
/// \throws Error        if a run fails
/// \throws Stopped      after Ctrl-C
std::vector<ComparedSide> run_sides(const std::vector<std::string>& programs,
                                    const SideRunOptions& options);

}  // namespace cleave::models
