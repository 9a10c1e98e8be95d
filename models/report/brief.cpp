// SPDX-License-Identifier: Apache-2.0
#include "models/report/brief.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include <cleave/trace/duration.hpp>

#include "models/report/cells.hpp"
#include "models/report/text.hpp"

namespace cleave::models {

namespace {

/// A run or an answer.
struct BriefLine {
  const Prediction* prediction = nullptr;
  std::string measured;
};

using BriefLines =
    std::map<std::tuple<int, int, NamedSizes>, BriefLine>;  // ranks, threads of each, sizes

BriefLine& line_of(BriefLines& lines, const Model& model, const Prediction& p) {
  NamedSizes sizes;
  for (const std::string& name : model.size_names()) {
    sizes[name] = p.sizes.at(name);
  }
  BriefLine& line = lines[{p.ranks, p.threads, sizes}];
  line.prediction = &p;
  return line;
}

/// The longest run on most ranks and threads, and the answers.
BriefLines lines_of(const Report& report, const std::vector<Answer>& answers) {
  BriefLines lines;
  const auto by_workers = [](const JudgedRun& c) {
    return std::tuple(c.run.ranks, c.run.threads, c.measured_s);
  };
  if (const auto run = std::ranges::max_element(report.comparisons, {}, by_workers);
      run != report.comparisons.end()) {
    line_of(lines, report.model, run->prediction).measured =
        detail::format_seconds(run->measured_s);
  }
  for (const Answer& answer : answers) {
    if (answer.prediction) {
      line_of(lines, report.model, *answer.prediction);
    }
  }
  return lines;
}

/// What is to be done about a model that is not trusted, without a count of runs; what leaves out
/// more comes later.
std::vector<std::string> verdict_texts(const Report& report) {
  const Verdict& verdict = report.verdict;
  if (verdict.trusted.value_or(true)) {
    return {verdict.sentence(first_answers_by_law(report)), verdict.sentence()};
  }
  if (verdict.host.empty()) {
    return {fmt::format("not trusted: {}. {}", verdict.worst, verdict.advice),
            fmt::format("not trusted. {}", verdict.advice)};
  }
  return {fmt::format("{}; not trusted: {}. Measure again on an idle host", verdict.host,
                      verdict.worst),
          fmt::format("{}; not trusted. Measure again on an idle host", verdict.host)};
}

/// The first that two lines hold, else the last.
std::string verdict_lines(const Report& report) {
  constexpr int kMostLines = 2;
  std::string lines;
  for (const std::string& text : verdict_texts(report)) {
    lines = wrapped(fmt::format("{}: {}", report.model.app, text));
    if (std::ranges::count(lines, '\n') <= kMostLines) {
      break;
    }
  }
  return lines;
}

}  // namespace

std::string to_brief(const Report& report) {
  const std::vector<Answer> answers = first_answers(report);
  Table table{
      .columns = {
          {"  sizes"}, {"workers"}, {"measured", true}, {"predicted", true}, {"+- (95 %)", true}}};
  for (const auto& [of, line] : lines_of(report, answers)) {
    const auto& [ranks, threads, sizes] = of;
    const Prediction& p = *line.prediction;
    table.rows.push_back(
        {text("  " + format_sizes(sizes)), text(format_workers(ranks, threads)),
         text(line.measured), time_of(p),
         known(p.is_answer(), text(fmt::format("{:.1f} %", 100 * p.half_width())))});
  }
  std::string brief = verdict_lines(report);
  brief += to_terminal(table);
  for (const Answer& answer : answers) {
    if (!answer.prediction) {
      brief += wrapped("  " + answer.line, 4);
    }
  }
  return brief;
}

}  // namespace cleave::models
