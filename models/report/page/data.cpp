// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "models/report/answer.hpp"
#include "models/report/page/page.hpp"
#include "models/report/tables.hpp"
#include "models/theory/prediction_json.hpp"
#include "models/theory/what_if.hpp"

namespace cleave::models {

using nlohmann::json;

namespace {

/// Also of names that are no UTF-8.
std::string text_of(const json& object) {
  return object.dump(-1, ' ', false, json::error_handler_t::replace);
}

/// Sizes with what was fitted of them; the controls begin at `start`.
json sizes_of(const Model& model) {
  const NamedSizes largest = largest_fitted(model);
  json sizes = json::array();
  for (const std::string& name : model.size_names()) {
    std::int64_t minimum = largest.at(name);
    std::int64_t maximum = minimum;
    for (const RunOfModel& run : model.fitted) {
      minimum = std::min(minimum, run.sizes.at(name));
      maximum = std::max(maximum, run.sizes.at(name));
    }
    json& size = sizes.emplace_back(json{
        {"name", name}, {"start", largest.at(name)}, {"minimum", minimum}, {"maximum", maximum}});
    if (const auto step = model.steps.find(name); step != model.steps.end()) {
      size["step"] = {{"text", step->second.text()},
                      {"is_of_powers", step->second.is_of_powers()},
                      {"number", step->second.number()}};
    }
  }
  return sizes;
}

json controls_of(const Report& report) {
  const Model& model = report.model;
  json networks = json::array();
  for (const AssumableNetwork& network : assumable_networks()) {
    networks.push_back(network.name);
  }
  std::set<int> threads;
  for (const RunOfModel& run : model.fitted) {
    threads.insert(run.threads);
  }
  return {{"sizes", sizes_of(model)},
          {"max_ranks", model.max_ranks()},
          {"is_search", model.search() != nullptr},
          {"is_table", model.table() != nullptr},
          {"threads", threads},
          {"start_threads", model.threads},
          {"blocks", changeable_blocks(model)},
          {"networks", std::move(networks)},
          {"usual_network", kAssumedForAnswers},
          {"knows_between_hosts", model.network.knows_between_hosts()},
          {"model", report.origin.model},
          {"machine", report.origin.machine}};
}

json runs_of(const Report& report) {
  json runs = json::array();
  for (const JudgedRun& c : report.comparisons) {
    runs.push_back(to_json(c));
  }
  return runs;
}

json residuals_of(const Report& report) {
  json residuals = json::array();
  for (const Residual& r : report.residuals) {
    residuals.push_back({{"block", r.block},
                         {"sizes", r.run_sizes},
                         {"measured_s", r.measured_s},
                         {"relative", r.relative}});
  }
  return residuals;
}

}  // namespace

std::string data_json(const Report& report) {
  json examples = json::array();
  for (const Answer& answer : report.answers) {
    if (answer.prediction && answer.prediction->is_answer()) {
      examples.push_back(to_json(*answer.prediction));
    }
  }
  json workers = json::array();
  for (const WorkerShares& shares : report.worker_shares) {
    workers.push_back(
        {{"ranks", shares.ranks}, {"threads", shares.threads}, {"of_even", shares.of_even}});
  }
  return text_of({{"controls", controls_of(report)},
                  {"runs", runs_of(report)},
                  {"residuals", residuals_of(report)},
                  {"messages", patterns_json(report.model.network)},
                  {"examples", std::move(examples)},
                  {"workers", std::move(workers)}});
}

}  // namespace cleave::models
