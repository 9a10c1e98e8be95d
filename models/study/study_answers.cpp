// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include <cleave/dc_type.hpp>
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

/// The questions that were not rehearsed and can be answered by the law.
std::vector<std::pair<int, NamedSizes>> asked_of_law(const StudyPlan& plan, const Model& model,
                                                     const StudyTraces& traces) {
  std::vector<std::pair<int, NamedSizes>> asked;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    const Case& c = plan.cases[i];
    const NamedSizes sizes = counts_of(c.size).value_or(NamedSizes());
    const auto has = [&](const std::string& name) { return sizes.contains(name); };
    if (c.is_asked && traces.of_case[i].empty() && std::ranges::all_of(model.size_names(), has)) {
      asked.emplace_back(c.rehearsed, sizes);
    }
  }
  return asked;
}

Measurements measurements_of(const StudyPlan& plan, const StudyTraces& traces) {
  Measurements measurements = collect_measurements(traces.runs, traces.rehearsals);
  return plan.arguments.allow_oversubscribed ? measurements
                                             : without_oversubscribed(std::move(measurements));
}

Model fitted_model(const StudyPlan& plan, const Measurements& measurements,
                   const detail::Provenance& provenance) {
  const std::filesystem::path machine = plan.folder / kMachineOfStudy;
  return fit_model(measurements,
                   std::filesystem::exists(machine) ? std::optional(detail::read_machine(machine))
                                                    : std::nullopt,
                   {}, provenance);
}

}  // namespace

Report report_of(const StudyPlan& plan, const StudyTraces& traces,
                 const detail::Provenance& provenance) {
  const Measurements measurements = measurements_of(plan, traces);
  return make_report(fitted_model(plan, measurements, provenance), measurements);
}

std::optional<std::string> next_size(const StudyPlan& plan, const StudyTraces& traces) {
  constexpr std::int64_t kSpan = 16;  // of sizes over a factor of 4, N^1.25 fits what is flat
  constexpr std::int64_t kStep = 4;
  NamedSizes next;
  const NamedSizes first = counts_of(plan.study.sizes.front()).value_or(NamedSizes());
  if (plan.program.type == name_of(DC_Type::hypercube) && first.size() == 1) {
    const auto& [name, of_first] = *first.begin();
    std::int64_t least = of_first;
    std::int64_t most = of_first;
    for (const std::string& size : plan.study.sizes) {
      least = std::min(least, counts_of(size)->at(name));
      most = std::max(most, counts_of(size)->at(name));
    }
    if (most / least < kSpan && least >= kStep) {
      next[name] = least / kStep;
    } else {
      const Model model = fitted_model(plan, measurements_of(plan, traces), {});
      for (const auto& [ranks, sizes] : asked_of_law(plan, model, traces)) {
        const Answer answer = answer_or_reason(model, {ranks, model.threads, sizes});
        next = answer.telling.empty() ? next : answer.telling;
      }
    }
  }
  const std::string size = next.empty() ? "" : format_sizes(next, ",");
  const bool is_there = std::ranges::find(plan.study.sizes, size) != plan.study.sizes.end();
  return next.empty() || is_there ? std::nullopt : std::optional(size);
}

void answer_left_out(Report& report, const StudyPlan& plan, const StudyTraces& traces) {
  const auto is_asked = [&](const Answer& answer) {
    return std::ranges::find(plan.arguments.at, answer.ranks) != plan.arguments.at.end();
  };
  if (std::ranges::any_of(report.answers, is_asked)) {
    std::ranges::for_each(report.answers, [&](Answer& a) { a.comes_first = is_asked(a); });
  }
  std::vector<std::string> left_out;
  for (std::size_t i = 0; i < plan.cases.size(); ++i) {
    const Case& c = plan.cases[i];
    if (traces.of_case[i].empty()) {
      left_out.push_back(fmt::format("{} {} {}", c.size, c.rehearsed > 0 ? "rehearsed for" : "on",
                                     detail::format_ranks(std::max(c.rehearsed, c.workers.ranks))));
    }
  }
  for (const auto& [ranks, sizes] : asked_of_law(plan, report.model, traces)) {
    report.asked.push_back(answer_or_reason(report.model, {ranks, report.model.threads, sizes}));
  }
  if (!left_out.empty()) {
    report.notes.insert(
        report.notes.begin(),
        {.text = fmt::format("left out, as --budget {} has no time for it: {}",
                             detail::format_seconds(plan.budget_s), fmt::join(left_out, ", "))});
  }
}

}  // namespace cleave::models
