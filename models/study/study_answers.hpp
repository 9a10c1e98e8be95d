// SPDX-License-Identifier: Apache-2.0
// The answers that the traces of a study give, and the cases that they leave in doubt.
#pragma once

#include <vector>

#include <cleave/trace/provenance.hpp>
#include <cleave/trace/trace_file.hpp>

#include "models/report/report.hpp"
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

}  // namespace cleave::models
