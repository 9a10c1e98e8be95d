// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include <cleave/trace.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/words.hpp>

#include "models/study/study_folder.hpp"
#include "models/study/study_run.hpp"
#include "models/theory/fit.hpp"
#include "models/theory/prediction.hpp"
#include "models/theory/samples.hpp"

namespace cleave::models {

namespace {

constexpr double kWithin = 0.05;  ///< half width of an answer that is narrow enough, relative

/// The first trace of a case that was run or rehearsed.
const detail::Trace& trace_of(const StudyPlan& plan, const StudyTraces& traces, std::size_t i) {
  return traces.with(plan.cases[i])[traces.of_case[i].front()];
}

/// Whether `trace` is of the problem of these options, whose sizes are among `sizes`.
bool solves(const detail::Trace& trace, const std::map<std::string, std::string>& options,
            const NamedSizes& sizes) {
  return problem_options(trace.run.options) == options &&
         std::ranges::includes(sizes, lasting_sizes(trace.run, trace.repetitions.back().sizes));
}

/// The rehearsals, with what is asked of them.
std::vector<RehearsedRun> rehearsed_of(Model model, const StudyPlan& plan,
                                       const StudyTraces& traces) {
  model.options.clear();  // sizes may be options
  std::vector<RehearsedRun> rehearsed = rehearsed_runs(model, traces.rehearsals);
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    for (RehearsedRun& run : rehearsed) {
      run.is_asked |= plan.cases[i].is_asked && plan.cases[i].rehearsed == run.ranks &&
                      solves(trace_of(plan, traces, i), run.options, run.sizes);
    }
  }
  return rehearsed;
}

bool is_wide(const Answer& answer) {
  return answer.prediction && answer.prediction->half_width_of_measured > kWithin;
}

/// Whether the two quickest rounds of a case differ by more than 3 %.
bool is_unsettled(const Case& c, const StudyTraces& traces, std::size_t i) {
  constexpr double kAgree = 0.03;
  std::vector<double> medians;
  for (const std::size_t trace : traces.of_case[i]) {
    std::vector<double> seconds;
    for (const detail::Trace::Run& run : traces.with(c)[trace].repetitions) {
      if (!run.warm_up) {
        seconds.push_back(seconds_of(run.elapsed_ns));
      }
    }
    if (!seconds.empty()) {
      medians.push_back(detail::median(std::move(seconds)));
    }
  }
  std::ranges::sort(medians);
  return medians.size() < 2 || medians[1] / std::max(medians[0], kShortest_s) - 1 > kAgree;
}

/// Whether a case is what took longer: the run, or the rehearsal that predicts it.
bool is_longer_of(const Case& c, const detail::Trace& trace, const JudgedRun& judged) {
  const bool is_run = judged.relative_error < 0;
  return (c.rehearsed == 0) == is_run && c.workers.threads == judged.run.threads &&
         (is_run ? c.workers.ranks : c.rehearsed) == judged.run.ranks &&
         solves(trace, judged.run.options, judged.run.sizes);
}

bool is_rehearsal_of(const Case& c, const detail::Trace& trace, const Prediction& answer) {
  return c.is_asked && c.rehearsed == answer.ranks &&
         std::ranges::includes(trace.repetitions.back().sizes,
                               lasting_sizes(trace.run, answer.sizes));
}

}  // namespace

Report report_of(const StudyPlan& plan, const StudyTraces& traces,
                 const detail::Provenance& provenance) {
  Measurements measurements = collect_measurements(traces.runs);
  if (!plan.arguments.allow_oversubscribed) {
    measurements = without_oversubscribed(std::move(measurements));
  }
  const std::filesystem::path machine = plan.folder / kMachineOfStudy;
  const Model model =
      fit_model(measurements,
                std::filesystem::exists(machine) ? std::optional(detail::read_machine(machine))
                                                 : std::nullopt,
                {}, provenance);
  Report report = make_report(model, measurements, std::nullopt,
                              {.rehearsed = rehearsed_of(model, plan, traces)});
  report.model.verdict = report.verdict;
  for (const Answer& answer : report.asked) {
    if (is_wide(answer)) {
      const Prediction& p = *answer.prediction;
      report.notes.push_back(
          {.text = fmt::format("{} on {}: measured within {:.0f} %, {:.0f} % is wanted; {}",
                               format_sizes(p.sizes), detail::format_ranks(p.ranks),
                               100 * p.half_width_of_measured, 100 * kWithin, narrower_by(p))});
    }
  }
  return report;
}

std::vector<std::size_t> cases_again(const StudyPlan& plan, const StudyTraces& traces) {
  const Report report = report_of(plan, traces, {});
  std::vector<std::size_t> again;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    const Case& c = plan.cases[i];
    const detail::Trace& trace = trace_of(plan, traces, i);
    if ((!c.is_asked && is_unsettled(c, traces, i)) ||
        std::ranges::any_of(report.asked,
                            [&](const Answer& answer) {
                              return is_wide(answer) && is_wide_by_blocks(*answer.prediction) &&
                                     is_rehearsal_of(c, trace, *answer.prediction);
                            }) ||
        std::ranges::any_of(report.comparisons, [&](const JudgedRun& judged) {
          return judged.held_out && !judged.inside && is_longer_of(c, trace, judged);
        })) {
      again.push_back(i);
    }
  }
  return again;
}

}  // namespace cleave::models
