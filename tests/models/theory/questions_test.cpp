// SPDX-License-Identifier: Apache-2.0
// Plans, changed constants and memory, on models of synthetic runs.
#include <gtest/gtest.h>

#include <cleave/error.hpp>

#include "models/theory/fit.hpp"
#include "models/theory/model.hpp"
#include "models/theory/prediction.hpp"
#include "tests/models/synthetic_runs.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

const Model& fitted_sort() {
  static const Model model = [] {
    SyntheticApp app;
    app.noise = 0.01;
    return fit_model(collect_measurements(synthetic_traces(app, {1, 2, 4}, sort_sizes())),
                     std::nullopt, {}, Provenance{});
  }();
  return model;
}

const NamedSizes kAsked = {{"N", 32 << 20}};
/// All ranks on one host.
PredictOptions on_one_host(int ranks) { return {.ranks_per_host = ranks}; }

double true_seconds(int ranks) {
  return static_cast<double>(synthetic_trace({}, ranks, kAsked).repetitions.back().elapsed_ns) *
         1e-9;
}

TEST(Plan, TakesTheFewestRanksThatKeepADeadline) {
  PlanRequest request{.sizes = kAsked, .ranks = {1, 2, 4}};
  request.deadline_s = 1.15 * true_seconds(4);
  const Plan plan = make_plan(fitted_sort(), request);
  ASSERT_TRUE(plan.chosen.has_value());
  const PlanChoice& chosen = plan.choices[*plan.chosen];
  EXPECT_EQ(chosen.prediction.ranks, 4);
  EXPECT_LE(chosen.prediction.run_high, *request.deadline_s);
  EXPECT_NEAR(chosen.core_hours, 4 * chosen.prediction.seconds / 3600, 1e-9);
  request.deadline_s = 1e-6;
  EXPECT_FALSE(make_plan(fitted_sort(), request).chosen.has_value());
  EXPECT_THROW(make_plan(fitted_sort(), {.sizes = kAsked, .ranks = {1}}), UsageError);
}

TEST(Plan, TakesTheMostRanksThatAreUsedWell) {
  PlanRequest request{.sizes = kAsked, .ranks = {1, 2, 4, 8, 16, 32}, .options = on_one_host(32)};
  request.efficiency = 0.7;
  const Plan plan = make_plan(fitted_sort(), request);
  ASSERT_TRUE(plan.chosen.has_value());
  for (std::size_t i = 0; i < plan.choices.size(); ++i) {
    EXPECT_EQ(plan.choices[i].efficiency >= 0.7, plan.choices[i].fits);
    EXPECT_FALSE(plan.choices[i].fits && i > *plan.chosen);
  }
}

TEST(WhatIf, MultipliesConstants) {
  const WhatIf what_if = parse_what_if("g=0.5x,l=10x,sequential=2x");
  const Model model = changed(fitted_sort(), what_if);
  const auto before = predict(fitted_sort(), 1, kAsked).seconds;
  EXPECT_NEAR(predict(model, 1, kAsked).seconds, 2 * before, 1e-9 * before);
  EXPECT_NEAR(model.network.exchange[0].gap_s_per_byte,
              0.5 * fitted_sort().network.exchange[0].gap_s_per_byte, 1e-18);
  for (const char* wrong : {"", "g", "g=", "g=2", "g=0x", "g=-1x", "speed=2x", "g=1x,", "g=nanx"}) {
    EXPECT_THROW(parse_what_if(wrong), UsageError) << wrong;
  }
}

TEST(WhatIf, RefusesWhatWouldChangeNothing) {
  EXPECT_THROW(changed(fitted_sort(), parse_what_if("steal=2x")), UsageError);
  EXPECT_THROW(changed(fitted_sort(), parse_what_if("wait=2x")), UsageError);
  Model without = fitted_sort();
  without.network = {};
  EXPECT_THROW(changed(without, parse_what_if("l=2x")), UsageError);
  EXPECT_EQ(changeable_blocks(fitted_sort()),
            (std::vector<std::string_view>{"divide", "exchange", "combine", "sequential"}));
}

/// Runs of 1M to 32M elements of 12 bytes, in a program of 20 MiB.
std::optional<Law> memory_of_elements(bool replicated) {
  std::vector<RunPoint> points;
  for (const int ranks : {1, 2, 4}) {
    for (std::int64_t n = 1 << 20; n <= 32 << 20; n *= 2) {
      const std::int64_t bytes = (20 << 20) + 12 * (replicated ? n : n / ranks);
      points.push_back({.ranks = ranks, .sizes = {{"N", n}}, .peak_memory_bytes = bytes});
    }
  }
  return fit_memory(points);
}

TEST(Memory, ReplicatedDataStaysWholeAndDistributedDataIsShared) {
  for (const bool replicated : {true, false}) {
    const auto fit = memory_of_elements(replicated);
    ASSERT_TRUE(fit.has_value());
    const double n = 1 << 28;
    const double expected = (20 << 20) + 12 * (replicated ? n : n / 64);
    EXPECT_NEAR(memory_bytes(*fit, 64, {{"N", 1 << 28}}).value(), expected, 0.01 * expected);
  }
  EXPECT_FALSE(fit_memory({{.ranks = 1, .sizes = {{"N", 1}}}}).has_value());
}

TEST(Memory, ACacheIsLeftThatHeldTheDataOfEveryFittedRun) {
  Model model = fitted_sort();  // fitted to 384 MiB of data on one rank
  model.memory = memory_of_elements(false);
  constexpr std::int64_t kMiB = 1 << 20;
  model.cache_bytes = {2 * kMiB, 390 * kMiB, 500 * kMiB};
  const auto left = [&](int ranks, std::int64_t n) {
    return predict(model, ranks, {{"N", n}}).cache_left_bytes;
  };
  EXPECT_EQ(left(1, 32 << 20), std::nullopt);
  EXPECT_EQ(left(1, 40 << 20), 390 * kMiB);
  EXPECT_EQ(left(1, 64 << 20), 500 * kMiB);
  EXPECT_EQ(left(2, 64 << 20), std::nullopt) << "each rank has half";
  model.cache_bytes.clear();
  EXPECT_EQ(left(1, 64 << 20), std::nullopt);
}

}  // namespace
}  // namespace cleave::models
