// SPDX-License-Identifier: Apache-2.0
#include "models/ask/questions.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/machine_file.hpp>

#include "models/ask/arguments.hpp"
#include "models/study/study_folder.hpp"
#include "models/theory/model_file.hpp"
#include "models/theory/what_if.hpp"

namespace cleave::models {

void QuestionArguments::add_to(CLI::App& command) {
  command.add_option("study", study, "A study's folder, or a model (*.model.json)");
  command.add_option("--model", model, "A model, instead of the one above");
  command.add_option(
      "--machine", machine,
      fmt::format("Another machine's latency and gap instead of the model's: a file, "
                  "or between hosts a usual network: {}",
                  fmt::join(preset_names(), ", ")));
  command.add_option("--what-if", what_if,
                     "Multiply l, g or the time of a block, e.g. g=0.1x,l=10x,sequential=0.5x");
  command.add_option("--ranks-per-host", ranks_per_host,
                     "How many ranks of a host compute at once");
  command
      .add_option("--threads", threads, "Threads of a rank; of the hypercube those of the traces")
      ->check(CLI::Range(1, 1024));
}

void QuestionArguments::require_model(const std::string& example) const {
  require_option(study + model, "a model or a study's folder", example);
  if (!study.empty() && !model.empty()) {
    throw UsageError(fmt::format("two models are given, {} and {}: give one", study, model));
  }
}

Model QuestionArguments::read() const {
  const std::optional<WhatIf> change =
      what_if.empty() ? std::nullopt : std::optional(parse_what_if(what_if));
  const std::optional<detail::Machine> other =
      is_preset(machine)
          ? std::optional(preset_machine(machine))
          : read_machine_if_given(machine.empty() ? "" : machine_of(machine).string());
  Model result = read_model(model_of(model.empty() ? study : model));
  if (result.table() != nullptr && !(machine + what_if + ranks_per_host).empty()) {
    throw UsageError(
        "the model is of a table, which has no network and no blocks: --machine, "
        "--what-if and --ranks-per-host change nothing in it");
  }
  if (result.search() != nullptr && !machine.empty()) {
    throw UsageError(
        "the model is of a search, whose efficiency is that of the network of its runs: --machine "
        "changes nothing in it; rehearse it on that network by --rehearse");
  }
  if (other) {
    result.network = with_machine(result.network, *other);
  }
  return change ? changed(std::move(result), *change) : result;
}

PredictOptions QuestionArguments::options(const Model& asked) const {
  PredictOptions options{.threads = threads, .messages = messages_in(study, asked)};
  if (what_if.empty()) {
    options.rehearsed = rehearsed_in(study, asked);
  }
  if (!ranks_per_host.empty()) {
    const std::vector<int> given = parse_ranks("--ranks-per-host", ranks_per_host);
    if (given.size() != 1) {
      throw UsageError(fmt::format("--ranks-per-host takes one number, not '{}'", ranks_per_host));
    }
    options.ranks_per_host = given.front();
  }
  return options;
}

std::string sizes_text(const NamedSizes& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes) {
    const std::string short_form = format_count(value);
    const std::string exact = fmt::format("{}", value);
    text += fmt::format("{}{}={}", text.empty() ? "" : ", ", name,
                        short_form == exact ? exact : fmt::format("{} ({})", short_form, exact));
  }
  return text;
}

std::string fitted_range_text(const Prediction& prediction, bool has_details) {
  std::string text = prediction.outside_fitted_range ? "outside" : "inside";
  if (!has_details) {
    return text;
  }
  if (prediction.cache_left_bytes) {
    const auto bytes = static_cast<double>(*prediction.cache_left_bytes);
    text += fmt::format(", past {:.4g} MiB cache", bytes / (1 << 20));
  }
  if (!prediction.assumed_network.empty()) {
    text += fmt::format(", {} assumed", prediction.assumed_network);
  }
  return text;
}

}  // namespace cleave::models
