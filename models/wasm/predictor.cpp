// SPDX-License-Identifier: Apache-2.0
// Predictions inside a page: `cleave predict` compiled to WebAssembly, called by
// wasm/predictor.js. Texts go in by a buffer and come out as a pointer and a length. An
// exception ends the call as an error of JavaScript's (runtime.cpp).
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include <cleave/error.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/span.hpp>

#include "models/theory/model_file.hpp"
#include "models/theory/prediction.hpp"
#include "models/theory/prediction_json.hpp"
#include "models/theory/what_if.hpp"

namespace cleave::models {

namespace {

using nlohmann::json;

std::string input;
std::string output;
Model as_fitted;

/// A model as a question changes it, kept for the next question that changes it alike.
struct Changed {
  std::string by;
  Model model;
};
std::optional<Changed> changed_model;

double factor_of(const json& change, const std::string& name) {
  const double factor = change.value(name, 1.0);
  if (!(factor > 0)) {
    throw UsageError(name + " must be multiplied by more than 0");
  }
  return factor;
}

WhatIf what_if_from(const json& change) {
  WhatIf what_if{.latency = factor_of(change, "l"), .gap = factor_of(change, "g")};
  const json blocks = change.value("blocks", json::object());
  for (const auto& [name, factor] : blocks.items()) {
    if (const std::optional<detail::Block> block = detail::block_named(name)) {
      what_if.blocks[*block] = factor_of(blocks, name);
    }
  }
  return what_if;
}

const Model& model_for(const json& question) {
  const json change = question.value("change", json::object());
  const auto network = question.value("assume_network", std::string());
  const std::string by = change.dump() + network;
  if (!changed_model || changed_model->by != by) {
    changed_model.reset();  // before an error can leave it half made
    Model model = as_fitted;
    if (!network.empty()) {
      model.network = with_assumed(std::move(model.network), network);
    }
    changed_model = {by, changed(std::move(model), what_if_from(change))};
  }
  return changed_model->model;
}

Prediction answer(const json& question) {
  PredictOptions options;
  if (question.contains("ranks_per_host")) {
    options.ranks_per_host = question["ranks_per_host"].get<int>();
  }
  if (question.contains("threads")) {
    options.threads = question["threads"].get<int>();
  }
  return predict(model_for(question), question.at("ranks").get<int>(),
                 question.at("sizes").get<NamedSizes>(), options);
}

}  // namespace

}  // namespace cleave::models

using cleave::models::input;
using cleave::models::output;

extern "C" {

/// Where the caller writes the text of `bytes` that the next call reads.
[[clang::export_name("buffer")]] char* cleave_buffer(std::size_t bytes) {
  input.resize(bytes);
  return input.data();
}

/// Reads the text of a model file.
[[clang::export_name("open")]] void cleave_open() {
  cleave::models::as_fitted = cleave::models::model_from("the model of this page", input);
  cleave::models::changed_model.reset();
}

/// Answers the question in the buffer, an object as predictor.js describes it; the answer is an
/// entry of `cleave predict --json`.
[[clang::export_name("ask")]] const char* cleave_ask() {
  output = to_json(cleave::models::answer(nlohmann::json::parse(input))).dump();
  return output.data();
}

[[clang::export_name("answer_bytes")]] std::size_t cleave_answer_bytes() { return output.size(); }

}  // extern "C"
