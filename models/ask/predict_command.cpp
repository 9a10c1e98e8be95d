// SPDX-License-Identifier: Apache-2.0
// cleave predict: a model to times, on numbers of ranks and sizes that were never run.
#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/words.hpp>

#include "models/ask/arguments.hpp"
#include "models/report/answer.hpp"
#include "models/report/table.hpp"
#include "models/study/study_plan.hpp"
#include "models/theory/prediction.hpp"

namespace cleave::models {

namespace {

struct PredictArguments {
  QuestionArguments question;
  std::vector<int> ranks;
  std::vector<std::string> sizes;
  Answering answering;
};

void run(PredictArguments& arguments) {
  require_option(arguments.question.study, "a model or a study's folder",
                 "cleave predict sort-study --ranks 1,2 --size N=1G");
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
  std::vector<std::string> questions = questions_of(arguments.sizes);
  questions.resize(std::max<std::size_t>(questions.size(), 1));
  std::vector<Answer> answers;
  double reach = 0;
  for (const std::string& question : questions) {
    const NamedSizes size = sizes_asked(model, question, ranks);
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
    verdict_field(object, model, answers, reach);
    std::vector<Prediction> predictions;
    for (const Answer& answer : answers) {
      predictions.push_back(*answer.prediction);
      predictions.back().remarks = answer.notes;
    }
    object("predictions", predictions);
  });
  std::string text = wrapped(verdict_of(model, answers, reach).second) + '\n';
  if (answers.size() > 3) {  // which are read better in a table
    text += to_terminal(answers_table(answers));
  } else {
    for (const Answer& answer : answers) {
      text += wrapped(answer.line);
    }
  }
  arguments.answering.say(text + notes_text(notes_of(answers)));
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
  command->footer("Examples:\n  cleave predict sort-study --ranks 2,8,...,512 --size N=1G");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace cleave::models
