// SPDX-License-Identifier: Apache-2.0
#include "models/theory/model_file.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include <cleave/error.hpp>
#include <cleave/host/host.hpp>

#include "models/theory/fit.hpp"
#include "models/theory/prediction.hpp"
#include "tests/models/synthetic_runs.hpp"
#include "tests/models/theory/synthetic_searches.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

using nlohmann::json;

std::vector<Model> models() {
  const Provenance provenance = provenance_here("test", "", "none");
  const auto graphs = synthetic_traces(synthetic_components(), {1, 2}, graph_sizes());
  const auto searches = search_traces({.noise = 0.02}, {{1, 1}, {1, 2}, {2, 1}, {4, 1}},
                                      {1 << 18, 1 << 20, 1 << 22, 1 << 24});
  return {fit_model(collect_measurements(graphs), std::nullopt, {}, provenance),
          fit_model(collect_measurements(searches), std::nullopt, {}, provenance)};
}

TEST(ModelFile, KeepsWhatAPredictionNeeds) {
  const testing::TemporaryFolder folder;
  for (const Model& model : models()) {
    write_model(folder / "x.model.json", model);
    const Model read = read_model(folder / "x.model.json");
    EXPECT_EQ(model_text(read), model_text(model));
    EXPECT_FALSE(read.known.empty());
    EXPECT_FALSE(read.verdict.checks.empty());
    const NamedSizes sizes =
        read.search() ? NamedSizes{{"nodes", 1 << 25}} : NamedSizes{{"N", 777777}, {"M", 3333333}};
    for (const int ranks : {1, 2, 3, 16}) {
      const PredictOptions options{.ranks_per_host = ranks};
      const Prediction expected = predict(model, ranks, sizes, options);
      const Prediction found = predict(read, ranks, sizes, options);
      EXPECT_EQ(found.seconds, expected.seconds);
      EXPECT_EQ(found.low, expected.low);
      EXPECT_EQ(found.run_high, expected.run_high);
      EXPECT_EQ(found.remarks, expected.remarks);
      EXPECT_EQ(found.state, expected.state);
    }
  }
}

TEST(ModelFile, WhatCannotBeEvaluatedIsRefusedByName) {
  const json whole = json::parse(model_text(models().front()));
  const json::json_pointer first("/hypercube/blocks/0/law/forms/0");
  const std::vector<std::pair<json::json_pointer, json>> kTable = {
      {first / "coefficients", {1, 1, 1, 1, 1}},
      {first / "coefficients", json::array()},
      {first / "coefficients", {-1}},
      {first / "covariance", {1, 2, 3}},
      {first / "deviation", 0},
      {first / "freedom", 0.5},
      {first / "terms", {"N"}},
      {first / "terms", json::parse(R"([[{"size": "N", "is_log": false, "power": 99}]])")},
      {first / "terms", std::vector(5, json::array())},
      {first / "ranks_per_host_factors", {{"two", 1}}},
      {first.parent_pointer(), json::array()},
      {json::json_pointer("/version"), 99},
      {json::json_pointer("/format"), "cleave-machine"}};
  for (const auto& [field, value] : kTable) {
    json damaged = whole;
    damaged[field] = value;
    try {
      model_from("x.model.json", damaged.dump());
      ADD_FAILURE() << field << " " << value;
    } catch (const FileError& e) {
      const std::string said = e.what();
      EXPECT_NE(said.find(field.back()), std::string::npos) << said;
      EXPECT_NE(said.find("x.model.json"), std::string::npos) << said;
    }
  }
}

}  // namespace
}  // namespace cleave::models
