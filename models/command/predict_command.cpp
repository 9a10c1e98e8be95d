// SPDX-License-Identifier: Apache-2.0
// cleave predict: a model to times, on numbers of ranks and sizes that were never run.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/command/arguments.hpp"
#include "models/command/commands.hpp"
#include "models/command/questions.hpp"
#include "models/files.hpp"
#include "models/remarks.hpp"
#include "models/report/format.hpp"
#include "models/report/text.hpp"

namespace cleave::models {

namespace {

struct Arguments {
  QuestionArguments question;
  std::string ranks;
  std::vector<std::string> sizes;
  bool shares = false;
  bool json = false;
};

const char* composition_of(const Forecast& f) {
  return f.is_path ? "critical_path" : f.is_search ? "sum_of_means" : "sum_of_maxima";
}

void print_json(const std::vector<Forecast>& forecasts) {
  nlohmann::json array = nlohmann::json::array();
  for (const Forecast& f : forecasts) {
    const Prediction& p = f.prediction;
    nlohmann::json shares = nlohmann::json::array();
    for (const BlockShare& share : p.shares) {
      shares.push_back(
          {{"block", share.name()}, {"level", share.level}, {"seconds", share.seconds}});
    }
    array.push_back({{"ranks", p.ranks},
                     {"threads", p.threads},
                     {"sizes", p.sizes},
                     {"seconds", f.seconds},
                     {"interval", {f.low, f.high}},
                     {"outside_fitted_range", p.outside_fitted_range},
                     {"composition", composition_of(f)},
                     {"remarks", p.remarks},
                     {"shares", std::move(shares)}});
    if (!f.is_search) {
      array.back()["sum_of_maxima"] = p.seconds;
    }
    if (f.path) {
      array.back()["critical_path"] = f.path->seconds;
    }
    if (f.memory_bytes) {
      array.back()["memory_bytes_per_rank"] = *f.memory_bytes;
    }
    if (f.cache_left_bytes) {
      array.back()["cache_left_bytes"] = *f.cache_left_bytes;
    }
  }
  fmt::print("{}\n", nlohmann::json{{"predictions", std::move(array)}}.dump());
}

Cell cell(std::string text) { return {text, text}; }

void print_table(const std::vector<Forecast>& forecasts) {
  const bool is_search = forecasts.front().is_search;
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
    table.columns.push_back({"path", true});
  }
  for (const Forecast& f : forecasts) {
    const Prediction& p = f.prediction;
    std::vector<Cell> row = {cell(fmt::format("{}", p.ranks))};
    if (is_search) {
      row.push_back(cell(fmt::format("{}", p.threads)));
    }
    row.insert(
        row.end(),
        {cell(sizes_text(p.sizes)), cell(format_seconds(f.seconds)), cell(format_seconds(f.low)),
         cell(format_seconds(f.high)), cell(fitted_range_text(f)),
         cell(f.memory_bytes ? fmt::format("{:.0f} MiB", *f.memory_bytes / (1 << 20)) : "")});
    if (!is_search) {
      row.push_back(cell(format_seconds(p.seconds)));
      row.push_back(cell(f.path ? format_seconds(f.path->seconds) : ""));
    }
    table.rows.push_back(std::move(row));
  }
  fmt::print("{}", to_terminal(table));
}

/// What each block takes of equation 6, or of a search, at each scale: what holds a run back.
void print_shares(const std::vector<Forecast>& forecasts) {
  std::vector<std::string_view> names;
  for (const Forecast& f : forecasts) {
    for (const BlockShare& share : f.prediction.shares) {
      if (std::find(names.begin(), names.end(), share.name()) == names.end()) {
        names.push_back(share.name());
      }
    }
  }
  Table table{.columns = {{"ranks", true}, {"sizes"}}};
  for (const std::string_view name : names) {
    table.columns.push_back({std::string(name), true});
  }
  table.columns.push_back({"most"});
  for (const Forecast& f : forecasts) {
    std::vector<Cell> row = {cell(fmt::format("{}", f.prediction.ranks)),
                             cell(sizes_text(f.prediction.sizes))};
    double maximum = -1;
    std::string_view largest = names.front();
    for (const std::string_view name : names) {
      double seconds = 0;
      for (const BlockShare& share : f.prediction.shares) {
        seconds += share.name() == name ? share.seconds : 0;
      }
      if (seconds > maximum) {
        maximum = seconds;
        largest = name;
      }
      const double part = f.prediction.seconds > 0 ? seconds / f.prediction.seconds : 0;
      row.push_back(cell(fmt::format("{:.1f} %", 100 * part)));
    }
    row.push_back(cell(std::string(largest)));
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
  std::vector<Forecast> forecasts;
  for (const NamedSizes& size : sizes) {
    for (const int p : ranks) {
      forecasts.push_back(forecast(model, p, size, options, arguments.question.which()));
    }
  }
  if (arguments.json) {
    print_json(forecasts);
    return;
  }
  print_table(forecasts);
  if (arguments.shares) {
    print_shares(forecasts);
  }
  Remarks remarks;
  for (const Forecast& f : forecasts) {
    remarks.add(f.prediction);
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
