// SPDX-License-Identifier: Apache-2.0
// cleave predict: a model to times, on numbers of ranks and sizes that were never run.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include <cleave/sizes.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/words.hpp>

#include "models/ask/arguments.hpp"
#include "models/report/answer.hpp"
#include "models/report/table.hpp"
#include "models/theory/prediction.hpp"

namespace cleave::models {

namespace {

struct PredictArguments {
  QuestionArguments question;
  std::vector<int> ranks;
  std::vector<std::string> sizes;
  Answering answering;
};

void print_table(const std::vector<Answer>& answers, bool is_search) {
  const bool has_threads = is_search || answers.front().prediction->threads > 1;
  Table table{.columns = {{"ranks", true},
                          {"threads", true, !has_threads},
                          {"sizes"},
                          {"time", true},
                          {"95 % from", true},
                          {"to", true},
                          {"a run to", true},
                          {"verdict"}}};
  for (const Answer& answer : answers) {
    const Prediction& p = *answer.prediction;
    table.rows.push_back({whole(p.ranks), whole(p.threads), text(format_sizes(p.sizes)),
                          seconds(p.seconds), seconds(p.low), seconds(p.high), seconds(p.run_high),
                          text(std::string(name_of(p.state)))});
  }
  fmt::print("{}", to_terminal(table));
}

void run(PredictArguments& arguments) {
  require_option(arguments.question.study, "a model or a study's folder",
                 "cleave predict sort-study --ranks 1,2 --size N=1G");
  std::vector<NamedSizes> sizes(1);
  for (const std::string& each : arguments.sizes) {
    NamedSizes again = parse_sizes(each);
    sizes.back().merge(again);
    sizes.insert(sizes.end(), again.empty() ? 0 : 1, again);  // of another question
  }
  const Model model = arguments.question.read();
  // A table's one number of ranks need not be given.
  std::vector<int>& ranks = arguments.ranks;
  if (ranks.empty() && model.table() != nullptr && model.min_ranks() == model.max_ranks()) {
    ranks = {model.max_ranks()};
  }
  require_option(ranks, "--ranks", "--ranks 1,2");
  if (!model.size_names().empty()) {  // as a table of ranks and times has none
    require_option(arguments.sizes, "--size", "--size N=1G");
  }
  std::vector<Answer> answers;
  double reach = 0;
  for (const NamedSizes& size : sizes) {
    for (const int p : ranks) {
      answers.push_back(answer_of(model, predict(model, p, size, arguments.question.options())));
      reach = std::max(reach, answers.back().prediction->reach);
    }
  }
  if (const TableModel* table = model.table()) {
    const Prediction& last = *answers.back().prediction;
    answers.back().notes.push_back(advice_on(*table, table_sizes(last.ranks, last.sizes)));
    std::erase(answers.back().notes, "");
  }
  arguments.answering.print([&](detail::JsonFields& object) {
    verdict_field(object, model.verdict, reach);
    std::vector<Prediction> predictions;
    for (const Answer& answer : answers) {
      predictions.push_back(*answer.prediction);
      predictions.back().remarks = answer.notes;
    }
    object("predictions", predictions);
  });
  if (!arguments.answering.is_for_people()) {
    return;
  }
  fmt::print("{}\n", wrapped(sentence_of(model.verdict, reach)));
  if (answers.size() > 3) {  // which are read better in a table
    print_table(answers, model.search() != nullptr);
  } else {
    for (const Answer& answer : answers) {
      fmt::print("{}", wrapped(answer.line));
    }
  }
  fmt::print("{}", notes_text(notes_of(answers)));
}

}  // namespace

void add_predict_command(CLI::App& program) {
  auto arguments = std::make_shared<PredictArguments>();
  CLI::App* command = program.add_subcommand("predict", "Predict run times from a model");
  arguments->question.add_to(*command);
  add_numbers(*command, "--ranks", arguments->ranks,
              "Numbers of ranks, e.g. 8,16 or 8,16,...,1024");
  command
      ->add_option("--size", arguments->sizes,
                   "Sizes of the whole problem, e.g. N=10^9 or N=1G,M=2G (1024-based)")
      ->take_all();
  arguments->answering.add_to(*command);
  command->footer(
      "Examples:\n"
      "  cleave predict sort-study --ranks 1,2 --size N=1G\n"
      "  cleave predict sort-study --ranks 8,16,...,1024 --size N=1G \\\n"
      "    --machine ethernet-10g\n"
      "  cleave predict sort.model.json --ranks 2 --size N=1G --json");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace cleave::models
