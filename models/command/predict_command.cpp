// cleave predict: a model to times, on numbers of ranks and sizes that were never run.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "models/command/arguments.hpp"
#include "models/command/commands.hpp"
#include "models/model_file.hpp"
#include "models/omega.hpp"
#include "models/report/format.hpp"
#include "models/report/text.hpp"
#include "skeleton/trace/count.hpp"
#include "skeleton/trace/error.hpp"

namespace cleave {

namespace {

struct Arguments {
  std::string model;
  std::string machine;
  std::string ranks;
  std::vector<std::string> sizes;
  std::string ranks_per_host;
  bool json = false;
};

void print_json(const std::vector<Prediction>& predictions) {
  nlohmann::json array = nlohmann::json::array();
  for (const Prediction& p : predictions) {
    array.push_back({{"ranks", p.ranks},
                     {"sizes", p.sizes},
                     {"seconds", p.seconds},
                     {"interval", {p.low, p.high}},
                     {"outside_fitted_range", p.outside_fitted_range}});
  }
  fmt::print("{}\n", nlohmann::json{{"predictions", std::move(array)}}.dump());
}

void print_table(const std::vector<Prediction>& predictions) {
  Table table{.id = "",
              .title = "",
              .note = "",
              .columns = {{"ranks", true},
                          {"sizes"},
                          {"seconds", true},
                          {"95 % from", true},
                          {"to", true},
                          {"fitted range"}}};
  std::vector<std::string> remarks;
  for (const Prediction& p : predictions) {
    std::string sizes;
    for (const auto& [name, value] : p.sizes) {
      const std::string short_form = format_count(value);
      const std::string exact = fmt::format("{}", value);
      sizes += fmt::format("{}{}={}", sizes.empty() ? "" : ", ", name,
                           short_form == exact ? exact : fmt::format("{} ({})", short_form, exact));
    }
    const auto cell = [](std::string text) { return Cell{text, text}; };
    table.rows.push_back({cell(fmt::format("{}", p.ranks)), cell(sizes),
                          cell(format_seconds(p.seconds)), cell(format_seconds(p.low)),
                          cell(format_seconds(p.high)),
                          cell(p.outside_fitted_range ? "outside" : "inside")});
    for (const std::string& remark : p.remarks) {
      if (std::find(remarks.begin(), remarks.end(), remark) == remarks.end()) {
        remarks.push_back(remark);
      }
    }
  }
  fmt::print("{}", to_terminal(table));
  for (const std::string& remark : remarks) {
    fmt::print("note: {}\n", remark);
  }
}

void run(const Arguments& arguments) {
  const std::vector<int> ranks = parse_ranks(arguments.ranks);
  std::vector<NamedSizes> sizes;
  for (const std::string& text : arguments.sizes) {
    sizes.push_back(parse_sizes(text));
  }
  PredictOptions options;
  if (!arguments.ranks_per_host.empty()) {
    const std::vector<int> given = parse_ranks(arguments.ranks_per_host);
    if (given.size() != 1) {
      throw UsageError(
          fmt::format("--ranks-per-host takes one number, not '{}'", arguments.ranks_per_host));
    }
    options.ranks_per_host = given.front();
  }
  if (const auto machine = read_machine_if_given(arguments.machine)) {
    options.latency_gaps = latency_gaps_of(*machine);
  }
  const Model model = read_model(arguments.model);
  std::vector<Prediction> predictions;
  for (const NamedSizes& size : sizes) {
    for (const int p : ranks) {
      predictions.push_back(predict(model, p, size, options));
    }
  }
  if (arguments.json) {
    print_json(predictions);
  } else {
    print_table(predictions);
  }
}

}  // namespace

void add_predict_command(CLI::App& program) {
  auto arguments = std::make_shared<Arguments>();
  CLI::App* command = program.add_subcommand("predict", "Predict run times from a model");
  command->add_option("--model", arguments->model, "A model (*.model.json)")->required();
  command->add_option("--machine", arguments->machine,
                      "Another machine's latency and gap instead of the model's");
  command->add_option("--ranks", arguments->ranks, "Numbers of ranks, e.g. 8,16")->required();
  command
      ->add_option("--size", arguments->sizes,
                   "Sizes of the whole problem, e.g. N=1G or N=1G,M=2G; K, M, G are 1024-based")
      ->required()
      ->take_all();
  command->add_option("--ranks-per-host", arguments->ranks_per_host,
                      "How many ranks of a host compute at once");
  command->add_flag("--json", arguments->json, "Print one JSON object");
  command->callback([arguments] { run(*arguments); });
}

}  // namespace cleave
