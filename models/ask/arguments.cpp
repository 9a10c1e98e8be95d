// SPDX-License-Identifier: Apache-2.0
#include "models/ask/arguments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <regex>
#include <sstream>

#include <cleave/command_line/output.hpp>
#include <cleave/file.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/json_fields.hpp>

#include "models/study/study_folder.hpp"
#include "models/theory/model.hpp"
#include "models/theory/model_file.hpp"

namespace cleave::models {

using detail::JsonFields;

namespace {

using detail::kMaxRanks;

/// Goes on from the last two of `ranks` to `last`.
void continue_series(std::vector<int>& ranks, int last) {
  constexpr std::size_t kMaxNumbers = 10000;
  const std::int64_t before = ranks[ranks.size() - 2];
  const std::int64_t first = ranks.back();
  const bool is_ratio = first > before && first % before == 0;
  std::int64_t next = first;
  while (next < last && first > before && ranks.size() < kMaxNumbers) {
    next = is_ratio ? next * (first / before) : next + (first - before);
    ranks.push_back(static_cast<int>(std::min<std::int64_t>(next, kMaxRanks)));
  }
  if (next != last) {
    throw UsageError(fmt::format("{},{},... does not come to {} in {} steps or fewer", before,
                                 first, last, kMaxNumbers));
  }
}

}  // namespace

std::vector<int> parse_ranks(const std::string& text) {
  std::vector<int> ranks;
  std::istringstream parts(text + ',');
  for (std::string part; std::getline(parts, part, ',');) {
    const bool goes_on = part == "..." && ranks.size() >= 2 && std::getline(parts, part, ',');
    const std::int64_t count = parse_count(part);
    if (count < 1 || count > kMaxRanks) {
      throw UsageError(fmt::format("'{}' is not a number of ranks: 1 to {}", part, kMaxRanks));
    }
    if (goes_on) {
      continue_series(ranks, static_cast<int>(count));
    } else {
      ranks.push_back(static_cast<int>(count));
    }
  }
  return ranks;
}

CLI::Option* add_numbers(CLI::App& command, const std::string& name, std::vector<int>& numbers,
                         const std::string& description) {
  return command
      .add_option_function<std::string>(
          name, [&numbers](const std::string& text) { numbers = parse_ranks(text); }, description)
      ->check(detail::ParsedBy(parse_ranks))
      ->default_str(fmt::format("{}", fmt::join(numbers, ",")));
}

std::vector<detail::Trace> read_traces(const std::vector<std::string>& files) {
  std::vector<detail::Trace> traces;
  for (const std::string& file : files) {
    traces.push_back(detail::read_trace(file));
  }
  return traces;
}

std::optional<detail::Machine> read_machine_if_given(const std::string& file) {
  return file.empty() ? std::nullopt : std::optional(detail::read_machine(file));
}

bool are_tables(const std::vector<std::string>& files) {
  return is_table(read_file(files.front()));
}

Measurements read_measurements(const std::vector<std::string>& files, const TableChoice& choice) {
  if (are_tables(files)) {
    return measurements_of_tables(files, choice);
  }
  if (!choice.only.empty()) {
    throw UsageError("--only is for tables, not for traces");
  }
  return collect_measurements(read_traces(files));
}

void QuestionArguments::add_to(CLI::App& command) {
  command.add_option("study", study, "A study's folder, or a model (*.model.json)");
  command.add_option(
      "--machine", machine,
      fmt::format("Another machine's latency and gap instead of the model's: a file, "
                  "or between hosts a usual network: {}",
                  fmt::join(preset_names(), ", ")));
  command
      .add_option("--ranks-per-host", ranks_per_host, "How many ranks of a host compute at once")
      ->check(CLI::Range(1, kMaxRanks));
  command
      .add_option("--threads", threads, "Threads of a rank; of the hypercube those of the traces")
      ->check(CLI::Range(1, 1024));
}

Model QuestionArguments::read() const {
  const std::optional<detail::Machine> other =
      is_preset(machine)
          ? std::optional(preset_machine(machine))
          : read_machine_if_given(machine.empty() ? "" : machine_of(machine).string());
  Model result = read_model(model_of(study));
  if (result.table() != nullptr && (!machine.empty() || ranks_per_host)) {
    throw UsageError(
        "the model is of a table, which has no network and no hosts: --machine and "
        "--ranks-per-host change nothing in it");
  }
  if (result.search() != nullptr && !machine.empty()) {
    throw UsageError(
        "the model is of a search, whose efficiency is that of the network of its runs: --machine "
        "changes nothing in it; rehearse it on that network by --rehearse");
  }
  if (other) {
    result.set_network(with_machine(result.network, *other));
  }
  return result;
}

NamedSizes sizes_asked(const Model& model, const std::string& text, const std::vector<int>& ranks) {
  const std::string name = text.substr(0, text.find('='));
  const std::string value = text.substr(std::min(name.size() + 1, text.size()));
  const std::string& made_by = model.provenance.command_line;
  if (value.find_first_of("0123456789-,") == 0 || value.empty() || model.fitted_range(name) ||
      model.provenance.program != "cleave study") {
    return text.empty() ? NamedSizes() : parse_sizes(text);
  }
  const std::size_t own = std::min(made_by.find(" -- "), made_by.size());
  throw UsageError(fmt::format(
      "no law answers by {}; this rehearses it, within its --budget (60 s by itself): {} --at {} "
      "--size={}{}",
      text, std::regex_replace(made_by.substr(0, own), std::regex(" --at[= ][^ ]+"), ""),
      fmt::join(ranks, ","), detail::quote(fmt::format("--{} {}", name, value)),
      made_by.substr(own)));
}

/// The words of a verdict in colours, where a person looks at a terminal.
static std::string coloured(std::string text) {
  const char* const without = std::getenv("NO_COLOR");
  const bool is_plain = ::isatty(STDOUT_FILENO) != 1 || (without != nullptr && *without != '\0');
  for (const auto& [words, colour] : {std::pair("\\bchecked\\b", "\x1b[32m$&\x1b[0m"),
                                      std::pair("\\bfailed\\b", "\x1b[31m$&\x1b[0m"),
                                      std::pair("(not\\s+)\x1b\\[32m", "$1\x1b[33m")}) {
    text = is_plain ? text : std::regex_replace(text, std::regex(words), colour);
  }
  return text;
}

void Answering::add_to(CLI::App& command) {
  command.add_flag("--json", json, "Print one JSON object on one line instead");
}

void Answering::say(const std::string& text) const {
  if (is_for_people()) {
    detail::write_out(coloured(text));
  }
}

void Answering::print(const std::function<void(JsonFields&)>& write) const {
  if (json) {
    detail::write_out(detail::json_text([&](JsonFields& object) { write(object("version", 1)); }) +
                      '\n');
  }
}

void Answering::set_output(const std::string& option, const std::string& file,
                           const std::vector<std::string>& inputs) {
  detail::check_is_not_read(option, file, inputs);
  gives_file = is_standard_output(file);
  detail::check_has_standard_output(option, file, json);
}

std::string told(const Report& report, const std::string& page) {
  const std::string written = wrapped(fmt::format(
      "written: {}, which has every run, block and coefficient", detail::visible(page)));
  constexpr std::ptrdiff_t kLines = 22;
  return fmt::format("{}\n{}", answers_text(report, kLines - std::ranges::count(written, '\n')),
                     written);
}

static void fields(JsonFields& object, const BlockShare& share) {
  object("block", share.name())("level", share.level)("seconds", share.seconds);
}

void fields(JsonFields& object, const Prediction& p) {
  object("ranks", p.ranks)("threads", p.threads)("ranks_per_host", p.ranks_per_host);
  object("sizes", p.sizes)("seconds", p.seconds)("interval", std::pair(p.low, p.high));
  object("as_the_host_was", std::pair(p.run_low, p.run_high))("state", name_of(p.state));
  object("times_beyond", std::exp2(p.reach))("remarks", p.remarks)("shares", p.shares);
  if (!p.assumed_network.empty()) {
    object("assumed_network", p.assumed_network);
  }
  object("memory_bytes_per_rank", p.memory_bytes);
}

void fields(JsonFields& object, const PlanChoice& choice) {
  fields(object, choice.prediction);
  object("speedup", choice.speedup)("efficiency", choice.efficiency);
  object("core_hours", choice.core_hours)("fits", choice.fits())("missed", choice.missed);
  object("nodes", choice.nodes)("node_bytes", choice.node_bytes);
}

void fields(JsonFields& object, const JudgedRun& judged) {
  const Prediction& p = judged.prediction;
  object("ranks", judged.run.ranks)("threads", judged.run.threads)("sizes", judged.run.sizes);
  object("measured", judged.measured_s)("spread", judged.spread)("predicted", p.seconds);
  object.or_null("sum_of_maxima", p.sum_of_maxima_s);
  object("interval", std::pair(p.low, p.high));
  object("inside", judged.inside)("relative_error", judged.relative_error);
  object("held_out", judged.held_out);
}

void verdict_field(JsonFields& object, const Model& model, const std::vector<Answer>& answers,
                   double reach) {
  const std::vector<Check>& checks = model.verdict.checks;
  const auto [state, sentence] = verdict_of(model, answers, reach);
  std::vector<double> errors;
  std::ranges::transform(checks, std::back_inserter(errors), &Check::error);
  object("verdict", [&](JsonFields& fields) {
    fields("state", name_of(state))("sentence", sentence)("held_out", checks.size());
    fields("inside", std::ranges::count(checks, true, &Check::is_inside));
    fields.or_null("median_error",
                   errors.empty() ? std::nullopt : std::optional(detail::median(errors)));
  });
}

static void fields(JsonFields& object, const Answer& answer) {
  object("text", answer.line).or_null("prediction", answer.prediction);
  object("verdict", answer.verdict)("notes", answer.notes);
}

void fields(JsonFields& object, const Report& report) {
  const std::vector<Answer> answers = first_answers(report);
  verdict_field(object, report.model, answers, reach_of(report));
  std::vector<std::string> notes;
  std::ranges::transform(report.notes, std::back_inserter(notes), &Note::text);
  object("answers", answers)("runs", report.comparisons)("notes", notes);
}

}  // namespace cleave::models
