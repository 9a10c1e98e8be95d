// SPDX-License-Identifier: Apache-2.0
// cleave predict: a model to times, on numbers of ranks and sizes that were never run.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <memory>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/words.hpp>

#include "models/ask/answering.hpp"
#include "models/ask/arguments.hpp"
#include "models/ask/commands.hpp"
#include "models/ask/questions.hpp"
#include "models/report/answer.hpp"
#include "models/report/table.hpp"
#include "models/theory/rehearsed.hpp"

namespace cleave::models {

namespace {

struct PredictArguments {
  QuestionArguments question;
  std::string ranks;
  std::vector<std::string> sizes;
  std::vector<std::string> rehearsals;
  std::vector<std::string> messages;
  bool shares = false;
  bool details = false;
  Answering answering;
};

bool any_by_law(const std::vector<Prediction>& predictions) {
  return !std::ranges::all_of(predictions, &Prediction::is_rehearsed);
}

void print_json(const Answering& answering, const Model& model,
                const std::vector<Prediction>& predictions) {
  Json array = Json::array();
  for (const Prediction& p : predictions) {
    array.push_back(Json(to_json(p)));
  }
  answering.print({{"verdict", to_json(model.verdict, any_by_law(predictions))},
                   {"predictions", std::move(array)}});
}

/// A column of the table of predictions.
struct ShownColumn {
  Column column;
  std::function<Cell(const Prediction&)> cell;
};

/// What fits a terminal; all with --details.
void print_table(const std::vector<Prediction>& predictions, bool is_search, bool has_details) {
  using P = const Prediction&;
  const std::vector<ShownColumn> all = {
      {{"ranks", true}, [](P p) { return whole(p.ranks); }},
      {{"threads", true, !is_search && predictions.front().threads == 1},
       [](P p) { return whole(p.threads); }},
      {{"sizes"},
       [&](P p) { return text(has_details ? sizes_text(p.sizes) : format_sizes(p.sizes)); }},
      {{"time", true}, time_of},
      {{"95 % from", true}, [](P p) { return known(p.is_answer(), seconds(p.low)); }},
      {{"to", true}, [](P p) { return known(p.is_answer(), seconds(p.high)); }},
      {{"a run from", true, true}, [](P p) { return known(p.knows_runs(), seconds(p.run_low)); }},
      {{"a run to", true}, [](P p) { return known(p.knows_runs(), seconds(p.run_high)); }},
      {{"fitted range"}, [&](P p) { return text(fitted_range_text(p, has_details)); }},
      {{"memory per rank", true, true}, [](P p) {
         return text(p.memory_bytes ? fmt::format("{:.0f} MiB", *p.memory_bytes / (1 << 20)) : "");
       }}};
  Table table;
  table.rows.resize(predictions.size());
  for (const ShownColumn& shown : all) {
    table.columns.push_back(shown.column);
    for (std::size_t i = 0; i < predictions.size(); ++i) {
      table.rows[i].push_back(shown.cell(predictions[i]));
    }
  }
  fmt::print("{}", to_terminal(table, has_details));
}

/// What each block takes of a run: what holds it back.
void print_shares(const std::vector<Prediction>& predictions) {
  std::vector<std::string_view> names;
  for (const Prediction& p : predictions) {
    for (const auto& [name, seconds] : seconds_by_block(p)) {
      if (std::find(names.begin(), names.end(), name) == names.end()) {
        names.push_back(name);
      }
    }
  }
  Table table{.columns = {{"ranks", true}, {"sizes"}}};
  for (const std::string_view name : names) {
    table.columns.push_back({std::string(name), true});
  }
  table.columns.push_back({"most"});
  for (const Prediction& p : predictions) {
    std::vector<Cell> row = {whole(p.ranks), text(format_sizes(p.sizes))};
    const auto blocks = seconds_by_block(p);
    using NamedTime = std::pair<std::string_view, double>;
    for (const std::string_view name : names) {
      const auto found = std::ranges::find(blocks, name, &NamedTime::first);
      const double seconds = found == blocks.end() ? 0 : found->second;
      row.push_back(text(fmt::format("{:.1f} %", 100 * seconds / p.seconds)));
    }
    const auto most = std::ranges::max_element(blocks, {}, &NamedTime::second);
    row.push_back(text(most == blocks.end() ? "" : std::string(most->first)));
    table.rows.push_back(std::move(row));
  }
  fmt::print("\nShare of each block\n\n{}", to_terminal(table));
}

/// Of a table whose runs are on one number of ranks that one need not be given.
std::vector<int> ranks_asked(const Model& model, const std::string& given) {
  if (given.empty() && model.table() != nullptr && model.min_ranks() == model.max_ranks()) {
    return {model.max_ranks()};
  }
  require_option(given, "--ranks", "--ranks 1,2");
  return parse_ranks("--ranks", given);
}

/// Refuses the rehearsals or messages of an option where none is of what is asked.
template <class Of>
void require_asked(const char* option, const std::vector<Of>& given,
                   const std::vector<Prediction>& predictions) {
  const auto is_of = [](const Of& of, const Prediction& p) {
    return of.ranks == p.ranks && std::ranges::all_of(p.sizes, [&](const auto& size) {
             const auto found = of.sizes.find(size.first);
             return found == of.sizes.end() || found->second == size.second;
           });
  };
  const bool is_used = std::ranges::any_of(given, [&](const Of& of) {
    return std::ranges::any_of(predictions, [&](const Prediction& p) { return is_of(of, p); });
  });
  if (!is_used) {
    throw UsageError(fmt::format("{} has {} on {}, which is not asked about", option,
                                 format_sizes(given.front().sizes),
                                 detail::format_ranks(given.front().ranks)));
  }
}

void run(const PredictArguments& arguments) {
  arguments.question.require_model("cleave predict sort-study --ranks 1,2 --size N=1G");
  std::vector<NamedSizes> sizes;
  for (const std::string& text : arguments.sizes) {
    sizes.push_back(parse_sizes(text));
  }
  if (!arguments.rehearsals.empty() && !arguments.question.what_if.empty()) {
    throw UsageError("--what-if changes blocks that --rehearsal gives as measured: give one");
  }
  const Model model = arguments.question.read();
  PredictOptions options = arguments.question.options(model);
  if (!arguments.rehearsals.empty()) {
    options.rehearsed = rehearsed_runs(model, read_traces(arguments.rehearsals));
  }
  if (!arguments.messages.empty()) {
    options.messages = measured_messages(model, read_traces(arguments.messages));
  }
  const std::vector<int> ranks = ranks_asked(model, arguments.ranks);
  if (sizes.empty() && model.size_names().empty()) {
    sizes.resize(1);  // of a table of ranks and times
  }
  require_option(sizes, "--size", "--size N=1G");
  std::vector<Prediction> predictions;
  for (const NamedSizes& size : sizes) {
    for (const int p : ranks) {
      predictions.push_back(predict(model, p, size, options));
    }
  }
  if (!arguments.rehearsals.empty()) {
    require_asked("--rehearsal", options.rehearsed, predictions);
  }
  if (!arguments.messages.empty()) {
    require_asked("--messages", options.messages, predictions);
  }
  if (!arguments.answering.is_for_people()) {
    print_json(arguments.answering, model, predictions);
    return;
  }
  fmt::print("{}\n", wrapped(model.verdict.sentence(any_by_law(predictions))));
  constexpr std::size_t kMostAnswers = 10;  // more are read better in the table
  if (predictions.size() <= kMostAnswers) {
    for (const Prediction& p : predictions) {
      fmt::print("{}", wrapped(answer_line(p)));
    }
    fmt::print("\n");
  }
  print_table(predictions, model.search() != nullptr, arguments.details);
  if (arguments.shares) {
    print_shares(predictions);
  }
  fmt::print("{}", notes_text(remarks_of(predictions)));
}

}  // namespace

void add_predict_command(CLI::App& program) {
  auto arguments = std::make_shared<PredictArguments>();
  CLI::App* command = program.add_subcommand("predict", "Predict run times from a model");
  arguments->question.add_to(*command);
  command->add_option("--ranks", arguments->ranks, "Numbers of ranks, e.g. 8,16 or 8,16,...,1024");
  command
      ->add_option("--size", arguments->sizes,
                   "Sizes of the whole problem, e.g. N=1G or N=1G,M=2G; K, M, G are 1024-based")
      ->take_all();
  command
      ->add_option(
          "--rehearsal", arguments->rehearsals,
          "Traces of --rehearse at these sizes and ranks, whose blocks are taken as measured; "
          "without it those in the study's folder")
      ->delimiter(',')
      ->take_all();
  command
      ->add_option("--messages", arguments->messages,
                   "What cleave-calibrate --like wrote for these sizes and ranks, in place of l, g "
                   "and factor; without it what the study was given")
      ->delimiter(',')
      ->take_all();
  command->add_flag("--shares", arguments->shares, "Also print what each block takes");
  command->add_flag("--details", arguments->details,
                    "Print all columns: exact sizes, memory, caches and networks, too");
  arguments->answering.add_to(*command);
  command->footer(
      "Examples:\n"
      "  cleave predict sort-study --ranks 1,2 --size N=1G\n"
      "  cleave predict sort-study --ranks 8,16,...,1024 --size N=1G --shares \\\n"
      "    --machine ethernet-10g\n"
      "  cleave predict sort.model.json --ranks 2 --size N=1G --what-if g=0.1x --json");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace cleave::models
