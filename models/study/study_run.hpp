// SPDX-License-Identifier: Apache-2.0
// Running a study within its budget: calibration, then every case in turn, several rounds, then
// sizes that tell forms apart (study_answers.cpp).
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
  /// For each case of the plan its traces, in its order; none where the budget had no time.
  std::vector<std::vector<std::size_t>> of_case;

  /// The traces of one case are among these.
  const std::vector<detail::Trace>& with(const Case& c) const {
    return c.rehearsed > 0 ? rehearsals : runs;
  }
};

/// The model of runs and rehearsals, and its report.
/// \throws Error  if nothing can be fitted
Report report_of(const StudyPlan& plan, const StudyTraces& traces,
                 const detail::Provenance& provenance);

/// The next size to run; none where none would help. Powers cannot be told apart where the largest
/// size is less than 16 times the smallest: then it is a fourth of the smallest. Else, where likely
/// forms of a block answer what is asked apart, it is the size that tells which is right.
std::optional<std::string> next_size(const StudyPlan& plan, const StudyTraces& traces);

/// Answers by the law what is asked and was left out, by each likely form, and notes that. What
/// comes first is on the asked ranks.
void answer_left_out(Report& report, const StudyPlan& plan, const StudyTraces& traces);

/// Makes the folder and fills it with the machine and the traces; those of runs that were made from
/// the same stay. In what is left of the budget further sizes are added to the plan and run.
/// \throws Stopped  after Ctrl-C, with what is kept
/// \throws Error    if a run fails, with its last line
StudyTraces run_study(StudyPlan& plan);

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
