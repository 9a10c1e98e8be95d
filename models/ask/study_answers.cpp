// SPDX-License-Identifier: Apache-2.0
#include "models/ask/study_answers.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <cleave/trace/words.hpp>

#include "models/ask/study_folder.hpp"
#include "models/theory/rehearsed.hpp"
#include "models/theory/trace_run.hpp"

namespace cleave::models {

namespace {

/// Of a case that was run or rehearsed.
const detail::Trace& trace_of(const StudyRun& run, const Case& c) {
  return run.traces_with(c)[c.traces.front()];
}

/// Whether a case solves the problem of these options, whose sizes are among `sizes`.
bool solves(const StudyRun& run, const Case& c, const std::map<std::string, std::string>& options,
            const NamedSizes& sizes) {
  const detail::Trace& trace = trace_of(run, c);
  return problem_options(trace.run.options) == options &&
         std::ranges::includes(sizes, lasting_sizes(trace.run, trace.repetitions.back().sizes));
}

/// What was rehearsed so far, with what is asked of it.
std::vector<RehearsedRun> rehearsed_so_far(Model model, const StudyRun& run) {
  model.options.clear();  // sizes may be options
  std::vector<RehearsedRun> rehearsed = rehearsed_runs(model, run.rehearsals());
  for (const Case& c : run.plan().cases) {
    for (RehearsedRun& of : rehearsed) {
      of.is_asked = of.is_asked ||
                    (c.is_asked && of.ranks == c.rehearsed && solves(run, c, of.options, of.sizes));
    }
  }
  return rehearsed;
}

bool is_wide(const Answer& answer, double within) {
  return answer.prediction && answer.prediction->half_width_of_measured > within;
}

std::string wider_than_asked(const Prediction& p, double within) {
  return fmt::format("{} on {}: measured within {:.0f} %, {:.0f} % was asked for; {}",
                     format_sizes(p.sizes), detail::format_ranks(p.ranks),
                     100 * p.half_width_of_measured, 100 * within, narrower_by(p));
}

/// Of a host that others used meanwhile, for as much of its cores.
std::string host_text(double used) {
  constexpr double kMuch = 0.1;
  return used > kMuch
             ? fmt::format("others used {:.0f} % of this host's cores meanwhile", 100 * used)
             : "";
}

/// Whether it is what took longer: the run, or the rehearsal that predicts it.
bool is_longer_of(const StudyRun& run, const Case& c, const JudgedRun& judged) {
  const bool is_run = judged.relative_error < 0;
  return (c.rehearsed == 0) == is_run && c.workers.threads == judged.run.threads &&
         (is_run ? c.workers.ranks : c.rehearsed) == judged.run.ranks &&
         solves(run, c, judged.run.options, judged.run.sizes);
}

bool is_rehearsal_of(const StudyRun& run, const Case& c, const Prediction& answer) {
  const detail::Trace& trace = trace_of(run, c);
  return c.is_asked && c.rehearsed == answer.ranks &&
         std::ranges::includes(trace.repetitions.back().sizes,
                               lasting_sizes(trace.run, answer.sizes));
}

}  // namespace

Report report_of(const StudyRun& run, const FitArguments& fit, double within,
                 const detail::Provenance& provenance) {
  const Measurements measurements = fit.measurements(collect_measurements(run.traces()));
  const Model model = fit_model(measurements, read_machine_if_given(run.machine_file()),
                                run.plan().fit, provenance);
  Report report = make_report(model, measurements, std::nullopt,
                              {.rehearsed = rehearsed_so_far(model, run),
                               .messages = messages_in(run.plan().folder, model)});
  report.verdict.host = host_text(run.used_by_others());
  if (report.verdict.host.empty() && run.has_earlier()) {
    report.verdict.host = host_told_in(run.plan().folder);
  }
  report.model.verdict = report.verdict;
  for (const Answer& answer : report.asked) {
    if (is_wide(answer, within)) {
      report.notes.push_back({.text = wider_than_asked(*answer.prediction, within)});
    }
  }
  return report;
}

std::vector<Case*> cases_again(StudyRun& run, const Report& report, double within) {
  std::vector<Case*> again;
  for (Case& c : run.cases()) {
    const bool is_wide_answer = std::ranges::any_of(report.asked, [&](const Answer& answer) {
      return is_wide(answer, within) && is_wide_by_blocks(*answer.prediction) &&
             is_rehearsal_of(run, c, *answer.prediction);
    });
    const bool is_longer = std::ranges::any_of(report.comparisons, [&](const JudgedRun& judged) {
      return judged.held_out && !judged.inside && is_longer_of(run, c, judged);
    });
    if (is_wide_answer || is_longer) {
      again.push_back(&c);
    }
  }
  return again;
}

}  // namespace cleave::models
