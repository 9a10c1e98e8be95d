// SPDX-License-Identifier: Apache-2.0
// Running a study: calibration, then every case in turn, several rounds, then again whatever its
// traces leave in doubt (study_answers.cpp).
#pragma once

#include <string>
#include <vector>

#include <cleave/trace.hpp>
#include <cleave/trace/trace_file.hpp>

#include "models/report/comparison.hpp"
#include "models/report/report.hpp"
#include "models/study/launcher.hpp"
#include "models/study/study_plan.hpp"

namespace cleave::models {

struct StudyTraces {
  std::vector<detail::Trace> runs;
  std::vector<detail::Trace> rehearsals;
  /// For each case of the plan its traces, by their place among the runs or the rehearsals.
  std::vector<std::vector<std::size_t>> of_case;

  /// The traces of one case are among these.
  const std::vector<detail::Trace>& with(const Case& c) const {
    return c.rehearsed > 0 ? rehearsals : runs;
  }
};

/// The answers by rehearsals, which all runs judge. A model that is fitted to the runs answers for
/// other sizes and ranks. It also says what no rehearsal tells: how long messages are, and what the
/// host does on top. Notes say what would make a wide answer narrower.
/// \throws Error  if nothing can be fitted
Report report_of(const StudyPlan& plan, const StudyTraces& traces,
                 const detail::Provenance& provenance);

/// The cases to measure again: those whose two quickest rounds differ; the rehearsals of answers
/// that are too wide by their blocks; and where a run is not in its interval, the run if it took
/// longer, else its rehearsal. A host that was busy in all rounds is likelier than a law that is
/// wrong, and what is really as slow stays so.
std::vector<std::size_t> cases_again(const StudyPlan& plan, const StudyTraces& traces);

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
