// SPDX-License-Identifier: Apache-2.0
// cleave predict: a model to times, on numbers of ranks and sizes that were never run.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/command/arguments.hpp"
#include "models/command/commands.hpp"
#include "models/command/questions.hpp"
#include "models/predict/prediction_json.hpp"
#include "models/predict/remarks.hpp"
#include "models/report/answer.hpp"
#include "models/report/format.hpp"
#include "models/report/text.hpp"
#include "models/traces/files.hpp"

namespace cleave::models {

namespace {

struct Arguments {
  QuestionArguments question;
  std::string ranks;
  std::vector<std::string> sizes;
  bool shares = false;
  bool json = false;
};

void print_json(const std::vector<Prediction>& predictions) {
  nlohmann::json array = nlohmann::json::array();
  for (const Prediction& p : predictions) {
    array.push_back(to_json(p));
  }
  fmt::print("{}\n", nlohmann::json{{"predictions", std::move(array)}}.dump());
}

Cell cell(std::string text) { return {text, text}; }

void print_table(const std::vector<Prediction>& predictions) {
  const bool is_search = !predictions.front().sum_of_maxima_s;
  Table table{.columns = {{"ranks", true}}};
  if (is_search) {
    table.columns.push_back({"threads", true});
  }
  for (const Column& column : std::vector<Column>{{"sizes"},
                                                  {"seconds", true},
                                                  {"95 % from", true},
                                                  {"to", true},
                                                  {"fitted range"},
                                                  {"memory per rank", true}}) {
    table.columns.push_back(column);
  }
  if (!is_search) {
    table.columns.push_back({"eq. 6", true});
  }
  for (const Prediction& p : predictions) {
    std::vector<Cell> row = {cell(fmt::format("{}", p.ranks))};
    if (is_search) {
      row.push_back(cell(fmt::format("{}", p.threads)));
    }
    row.insert(
        row.end(),
        {cell(sizes_text(p.sizes)), cell(format_seconds(p.seconds)), cell(format_seconds(p.low)),
         cell(format_seconds(p.high)), cell(fitted_range_text(p)),
         cell(p.memory_bytes ? fmt::format("{:.0f} MiB", *p.memory_bytes / (1 << 20)) : "")});
    if (!is_search) {
      row.push_back(cell(format_seconds(p.sum_of_maxima_s.value_or(0))));
    }
    table.rows.push_back(std::move(row));
  }
  fmt::print("{}", to_terminal(table));
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
    std::vector<Cell> row = {cell(fmt::format("{}", p.ranks)), cell(sizes_text(p.sizes))};
    const auto blocks = seconds_by_block(p);
    using Block = std::pair<std::string_view, double>;
    for (const std::string_view name : names) {
      const auto found = std::ranges::find(blocks, name, &Block::first);
      const double seconds = found == blocks.end() ? 0 : found->second;
      row.push_back(cell(fmt::format("{:.1f} %", 100 * seconds / p.seconds)));
    }
    const auto most = std::ranges::max_element(blocks, {}, &Block::second);
    row.push_back(cell(most == blocks.end() ? "" : std::string(most->first)));
    table.rows.push_back(std::move(row));
  }
  fmt::print("\nShare of each block\n\n{}", to_terminal(table));
}

void run(const Arguments& arguments) {
  arguments.question.require_model("cleave predict sort-study --ranks 2,4,8 --size N=1G");
  require_option(arguments.ranks, "--ranks", "--ranks 2,4,8");
  require_option(arguments.sizes, "--size", "--size N=1G");
  const std::vector<int> ranks = parse_ranks(arguments.ranks);
  std::vector<NamedSizes> sizes;
  for (const std::string& text : arguments.sizes) {
    sizes.push_back(parse_sizes(text));
  }
  const PredictOptions options = arguments.question.options();
  const Model model = arguments.question.read();
  std::vector<Prediction> predictions;
  for (const NamedSizes& size : sizes) {
    for (const int p : ranks) {
      predictions.push_back(predict(model, p, size, options));
    }
  }
  if (arguments.json) {
    print_json(predictions);
    return;
  }
  constexpr std::size_t kMostAnswers = 10;  // more are read better in the table
  if (predictions.size() <= kMostAnswers) {
    for (const Prediction& p : predictions) {
      fmt::print("{}\n", answer_line(p));
    }
    fmt::print("\n");
  }
  print_table(predictions);
  if (arguments.shares) {
    print_shares(predictions);
  }
  Remarks remarks;
  for (const Prediction& p : predictions) {
    remarks.add(p);
  }
  fmt::print("{}", notes_text(remarks.texts()));
}

}  // namespace

void add_predict_command(CLI::App& program) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("predict", "Predict run times from a model");
  arguments->question.add_to(*command);
  command->add_option("--ranks", arguments->ranks, "Numbers of ranks, e.g. 8,16 or 8,16,...,1024");
  command
      ->add_option("--size", arguments->sizes,
                   "Sizes of the whole problem, e.g. N=1G or N=1G,M=2G; K, M, G are 1024-based")
      ->take_all();
  command->add_flag("--shares", arguments->shares, "Also print what each block takes");
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace cleave::models
