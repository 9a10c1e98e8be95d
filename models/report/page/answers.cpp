// SPDX-License-Identifier: Apache-2.0
// The page's answer to a question. The build compiles this file for tests, and to WebAssembly.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <map>
#include <optional>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/words.hpp>

#include "models/report/answer.hpp"
#include "models/report/page/page.hpp"
#include "models/report/table.hpp"
#include "models/theory/model.hpp"
#include "models/theory/prediction.hpp"

namespace cleave::models {

using detail::JsonFields;

namespace {

using Texts = std::map<std::string, std::string>;  ///< of the fields of a question, by their ids

/// A whole number of at least 1, or none of an empty text.
std::optional<int> whole_in(const std::string& text) {
  if (text.empty()) {
    return std::nullopt;
  }
  const std::int64_t value = parse_count(text);
  if (value < 1 || value > detail::kMaxRanks) {
    throw UsageError(
        fmt::format("{} is not allowed: 1 to {} are", format_count(value), detail::kMaxRanks));
  }
  return static_cast<int>(value);
}

/// The commands that ask the same: `cleave predict`, and `cleave plan` with the deadline, else for
/// the most ranks that are used half.
std::vector<std::string> commands_of(Texts asked, const NamedSizes& sizes) {
  std::string options;
  if (!sizes.empty()) {
    std::vector<std::string> texts;
    for (const auto& [name, value] : sizes) {
      texts.push_back(fmt::format("{}={}", name, format_count(value)));
    }
    options += " --size " + detail::quote(fmt::format("{}", fmt::join(texts, ",")));
  }
  const auto add = [&](const char* option, const char* field) {
    if (const std::string text = asked[field]; !text.empty()) {
      options += fmt::format(" {} {}", option, detail::quote(text));
    }
  };
  add("--threads", "threads");
  add("--ranks-per-host", "ranks-per-host");
  add("--machine", asked["network"].empty() ? "machine" : "network");
  const std::string file = detail::quote(asked["file"]);
  const std::string deadline = asked["deadline"];
  const std::string memory =
      asked["memory"].empty() ? "" : " --memory " + detail::quote(asked["memory"]);
  return {
      fmt::format("cleave predict {} --ranks {}{}", file, asked["ranks"], options),
      fmt::format("cleave plan {} {}{}{} --slurm job.sh", file,
                  deadline.empty() ? "--efficiency 0.5" : "--deadline " + detail::quote(deadline),
                  options, memory)};
}

/// Sentences on all that an answer rests on and nobody measured.
std::vector<std::string> grounds_of(const Model& model, const Answer& answer) {
  const Prediction& p = *answer.prediction;
  std::vector<std::string> grounds;
  for (const auto& [name, value] : p.sizes) {
    const auto range = model.fitted_range(name);
    if (range && (value < range->first || value > range->second)) {
      const bool is_larger = value > range->second;
      const auto times = static_cast<double>(value) /
                         static_cast<double>(is_larger ? range->second : range->first);
      grounds.push_back(fmt::format("{}={} is {:.3g} times the {} that was fitted ({})", name,
                                    format_count(value), times, is_larger ? "largest" : "smallest",
                                    format_count(is_larger ? range->second : range->first)));
    }
  }
  if (p.ranks > model.max_ranks()) {
    grounds.push_back(fmt::format("{} are more than were fitted ({})",
                                  detail::format_ranks(p.ranks), model.max_ranks()));
  }
  grounds.insert(grounds.end(), answer.notes.begin(), answer.notes.end());
  return grounds;
}

/// Whether the deadline is kept: a look, and a sentence.
std::pair<std::string, std::string> deadline_text(const Prediction& p, double deadline_s,
                                                  const std::string& text) {
  if (p.run_high <= deadline_s) {
    return {"yes", fmt::format("Keeps {} with 95 % probability.", text)};
  }
  return {"no", p.run_low > deadline_s ? fmt::format("Misses {} with 95 % probability.", text)
                                       : fmt::format("May miss {}: the interval ends at {}.", text,
                                                     detail::format_seconds(p.run_high))};
}

/// A row of the plan, under kPlanHeads: each cell exactly, and as people read it.
std::vector<std::pair<double, std::string>> row_of(const PlanChoice& choice) {
  const Prediction& p = choice.prediction;
  std::vector<std::pair<double, std::string>> row;
  const auto add = [&](double value, const std::string& shown) { row.emplace_back(value, shown); };
  add(p.ranks, std::to_string(p.ranks));
  for (const double time : {p.seconds, p.low, p.high}) {
    add(time, detail::format_seconds(time));
  }
  add(choice.speedup, fmt::format("{:.3g} ×", choice.speedup));
  add(choice.efficiency, fmt::format("{:.3g} %", 100 * choice.efficiency));
  add(choice.core_hours,
      choice.core_hours < 0.01 ? "<0.01" : fmt::format("{:.3g}", choice.core_hours));
  const auto most = held_back_by(p).value_or(std::pair("", 0.0));
  add(most.second,
      most.second > 0 ? fmt::format("{}, {:.0f} %", most.first, 100 * most.second) : "");
  add(p.memory_bytes.value_or(0), p.memory_bytes ? bytes_text(*p.memory_bytes) : "");
  return row;
}

}  // namespace

std::string page_answer(const Model& as_fitted, const std::string& text, std::string& field) {
  Texts asked;
  std::vector<int> choices;
  JsonFields::parse("the question", "", text)("fields", asked)("choices", choices);
  const auto text_of = [&](const std::string& id) { return asked[field = id]; };
  Model model = as_fitted;
  if (const std::string network = text_of("network"); is_preset(network)) {
    model.set_network(with_machine(model.network, preset_machine(network)));
  }
  PlanRequest request;
  for (const std::string& name : model.size_names()) {
    request.sizes[name] = parse_count(text_of("size-" + name));
  }
  request.options.threads = whole_in(text_of("threads"));
  request.options.ranks_per_host = whole_in(text_of("ranks-per-host"));
  const std::string deadline = text_of("deadline");
  if (deadline.empty()) {
    request.efficiency = 0;
  } else {
    request.deadline_s = detail::parse_duration(deadline);
  }
  const std::string memory = text_of("memory");
  if (!memory.empty()) {
    request.max_node_bytes = static_cast<double>(parse_count(memory));
  }
  request.ranks = {whole_in(text_of("ranks")).value_or(1)};
  field.clear();
  const PlanChoice choice = make_plan(model, request).choices.front();
  request.ranks = choices;
  const Plan plan = choices.empty() || deadline.empty() ? Plan() : make_plan(model, request);
  const Answer answer = answer_of(model, choice.prediction);
  const Prediction& p = choice.prediction;
  return detail::json_text([&](JsonFields& object) {
    object("asked", fmt::format("{}{}{}", format_sizes(p.sizes), p.sizes.empty() ? "" : " on ",
                                format_workers(p.ranks, p.threads)));
    object("time", detail::format_seconds(p.seconds));
    object("interval", fmt::format("when quiet, 95 %: {} to {}", detail::format_seconds(p.low),
                                   detail::format_seconds(p.high)));
    object("verdict", answer.verdict)("state", name_of(p.state));
    object("grounds", grounds_of(model, answer))("commands", commands_of(asked, request.sizes));
    object("row", row_of(choice));
    // For figures and the plan.
    object("ranks", p.ranks)("threads", p.threads)("sizes", p.sizes);
    object("seconds", p.seconds)("low", p.low)("high", p.high)("efficiency", choice.efficiency);
    object("blocks", seconds_by_block(p));
    object("chosen", plan.chosen ? plan.choices[*plan.chosen].prediction.ranks : 0);
    object("run", "As this host was: " + runs_text(p));
    if (request.deadline_s) {
      object("deadline", deadline_text(p, *request.deadline_s, deadline));
    }
    if (!memory.empty()) {
      object("memory",
             std::pair(choice.node_bytes > request.max_node_bytes ? "no" : "yes",
                       fmt::format("Needs {} of {} a node.", bytes_text(choice.node_bytes),
                                   bytes_text(request.max_node_bytes))));
    }
  });
}

}  // namespace cleave::models
