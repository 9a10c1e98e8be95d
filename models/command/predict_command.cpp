// cleave predict: a model to times, on numbers of ranks and sizes that were never run.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "models/command/arguments.hpp"
#include "models/command/commands.hpp"
#include "models/command/questions.hpp"
#include "models/report/format.hpp"
#include "models/report/text.hpp"
#include "skeleton/trace/count.hpp"

namespace cleave {

namespace {

struct Arguments {
  QuestionArguments question;
  std::string ranks;
  std::vector<std::string> sizes;
  bool shares = false;
  bool json = false;
};

const char* composition_of(const Forecast& f) {
  return f.is_path ? "critical_path" : "sum_of_maxima";
}

void print_json(const std::vector<Forecast>& forecasts) {
  nlohmann::json array = nlohmann::json::array();
  for (const Forecast& f : forecasts) {
    const Prediction& p = f.prediction;
    nlohmann::json shares = nlohmann::json::array();
    for (const BlockShare& share : p.shares) {
      shares.push_back(
          {{"block", name_of(share.block)}, {"level", share.level}, {"seconds", share.seconds}});
    }
    array.push_back({{"ranks", p.ranks},
                     {"sizes", p.sizes},
                     {"seconds", f.seconds},
                     {"interval", {f.low, f.high}},
                     {"outside_fitted_range", p.outside_fitted_range},
                     {"composition", composition_of(f)},
                     {"sum_of_maxima", p.seconds},
                     {"shares", std::move(shares)}});
    if (f.path) {
      array.back()["critical_path"] = f.path->seconds;
    }
    if (f.memory_bytes) {
      array.back()["memory_bytes_per_rank"] = *f.memory_bytes;
    }
  }
  fmt::print("{}\n", nlohmann::json{{"predictions", std::move(array)}}.dump());
}

Cell cell(std::string text) { return {text, text}; }

void print_table(const std::vector<Forecast>& forecasts) {
  Table table{.columns = {{"ranks", true},
                          {"sizes"},
                          {"seconds", true},
                          {"95 % from", true},
                          {"to", true},
                          {"fitted range"},
                          {"eq. 6", true},
                          {"path", true},
                          {"memory per rank", true}}};
  for (const Forecast& f : forecasts) {
    const Prediction& p = f.prediction;
    table.rows.push_back(
        {cell(fmt::format("{}", p.ranks)), cell(sizes_text(p.sizes)),
         cell(format_seconds(f.seconds)), cell(format_seconds(f.low)), cell(format_seconds(f.high)),
         cell(p.outside_fitted_range ? "outside" : "inside"), cell(format_seconds(p.seconds)),
         cell(f.path ? format_seconds(f.path->seconds) : ""),
         cell(f.memory_bytes ? fmt::format("{:.0f} MiB", *f.memory_bytes / (1 << 20)) : "")});
  }
  fmt::print("{}", to_terminal(table));
}

/// What each block takes of equation 6 at each scale: what holds a run back.
void print_shares(const std::vector<Forecast>& forecasts) {
  std::vector<Block> blocks;
  for (const Forecast& f : forecasts) {
    for (const BlockShare& share : f.prediction.shares) {
      if (std::find(blocks.begin(), blocks.end(), share.block) == blocks.end()) {
        blocks.push_back(share.block);
      }
    }
  }
  Table table{.columns = {{"ranks", true}, {"sizes"}}};
  for (const Block block : blocks) {
    table.columns.push_back({std::string(name_of(block)), true});
  }
  table.columns.push_back({"most"});
  for (const Forecast& f : forecasts) {
    std::vector<Cell> row = {cell(fmt::format("{}", f.prediction.ranks)),
                             cell(sizes_text(f.prediction.sizes))};
    double most = -1;
    Block largest = blocks.front();
    for (const Block block : blocks) {
      double of_block = 0;
      for (const BlockShare& share : f.prediction.shares) {
        of_block += share.block == block ? share.seconds : 0;
      }
      if (of_block > most) {
        most = of_block;
        largest = block;
      }
      const double part = f.prediction.seconds > 0 ? of_block / f.prediction.seconds : 0;
      row.push_back(cell(fmt::format("{:.1f} %", 100 * part)));
    }
    row.push_back(cell(std::string(name_of(largest))));
    table.rows.push_back(std::move(row));
  }
  fmt::print("\nShare of each block\n\n{}", to_terminal(table));
}

void print_remarks(const std::vector<Forecast>& forecasts) {
  std::vector<std::string> remarks;
  for (const Forecast& f : forecasts) {
    for (const std::string& remark : f.prediction.remarks) {
      if (std::find(remarks.begin(), remarks.end(), remark) == remarks.end()) {
        remarks.push_back(remark);
        fmt::print("note: {}\n", remark);
      }
    }
  }
}

void run(const Arguments& arguments) {
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
  print_remarks(forecasts);
}

}  // namespace

void add_predict_command(CLI::App& program) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("predict", "Predict run times from a model");
  arguments->question.add_to(*command);
  command->add_option("--ranks", arguments->ranks, "Numbers of ranks, e.g. 8,16 or 8,16,...,1024")
      ->required();
  command
      ->add_option("--size", arguments->sizes,
                   "Sizes of the whole problem, e.g. N=1G or N=1G,M=2G; K, M, G are 1024-based")
      ->required()
      ->take_all();
  command->add_flag("--shares", arguments->shares, "Also print what each block takes");
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace cleave
