// SPDX-License-Identifier: Apache-2.0
// Models of the hypercube that are asked by what their runs were given.
#include "models/theory/asked_sizes.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/host/provenance_here.hpp>

#include "models/theory/fit.hpp"
#include "models/theory/model_file.hpp"
#include "models/theory/prediction.hpp"
#include "models/theory/rehearsed.hpp"
#include "tests/models/synthetic_runs.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

SyntheticApp quiet_app() {
  SyntheticApp app;
  app.noise = 0.01;
  return app;
}

/// The option that gives these sizes.
std::map<std::string, std::string> giving(const NamedSizes& sizes) {
  std::string text;
  for (const auto& [name, value] : sizes) {
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name, value);
  }
  return {{"size", text}};
}

using SizesOf = std::function<NamedSizes(const NamedSizes& given)>;

Model fit(const SyntheticApp& app, const std::vector<NamedSizes>& all_given, const SizesOf& sizes,
          const std::vector<int>& all_ranks = {1, 2, 4}) {
  std::vector<Trace> traces;
  for (const NamedSizes& given : all_given) {
    for (const int ranks : all_ranks) {
      traces.push_back(synthetic_trace(app, ranks, sizes(given)));
      traces.back().run.options = giving(given);
    }
  }
  return fit_model(collect_measurements(traces), std::nullopt, {},
                   provenance_here("test", "test", "none"));
}

std::vector<NamedSizes> sides(std::vector<std::int64_t> counts) {
  std::vector<NamedSizes> all;
  for (const std::int64_t side : counts) {
    all.push_back({{"side", side}});
  }
  return all;
}

/// The half of a square below its diagonal: its logarithm has a constant below 0.
NamedSizes triangle(const NamedSizes& given) {
  const std::int64_t side = given.at("side");
  return {{"N", side * (side + 1) / 2}};
}

Model model_of_triangles() {
  return fit(quiet_app(), sides({500, 700, 1000, 1400, 2000}), triangle);
}

std::string error_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const Error& e) {
    return e.what();
  }
  return "nothing was thrown";
}

/// What is asked by the sizes that were given is as what is asked by all, but for a wider interval.
void expect_wider(const Prediction& asked, const Prediction& known) {
  EXPECT_NEAR(asked.seconds, known.seconds, 0.05 * known.seconds);
  EXPECT_LT(asked.low, known.low);
  EXPECT_GT(asked.high, known.high);
}

TEST(AskedSizes, OfOneThatWasTheSameInAllRunsIsRefused) {
  std::vector<Trace> traces;
  for (const std::int64_t n : {1000, 2000, 4000}) {
    for (const std::int64_t depth : {3, 3}) {
      traces.push_back(synthetic_trace(quiet_app(), 1, {{"N", n}, {"depth", depth}}));
    }
  }
  const Model model = fit_model(collect_measurements(traces), std::nullopt, {},
                                provenance_here("test", "test", "none"));
  EXPECT_GT(predict(model, 1, {{"N", 3000}, {"depth", 3}}).seconds, 0);
  EXPECT_EQ(error_of([&] {
              predict(model, 1, {{"N", 3000}, {"depth", 5}});
            }),
            "size depth was 3 in every fitted run, so that nothing is known of 5: measure other "
            "values of it");
}

TEST(AskedSizes, OfTheHypercubeMayBeWhatItsRunsWereGiven) {
  const Model model = model_of_triangles();
  const NamedSizes given = {{"side", 8000}};
  const Prediction known = predict(model, 4, triangle(given));
  const Prediction asked = predict(model, 4, given);
  expect_wider(asked, known);
  EXPECT_LT(asked.run_low, known.run_low);
  EXPECT_GT(asked.run_high, known.run_high);
  EXPECT_TRUE(asked.is_answer());
  EXPECT_EQ(asked.sizes.at("side"), 8000);
  ASSERT_FALSE(asked.remarks.empty());
  EXPECT_NE(asked.remarks.back().find(" N (95 %: "), std::string::npos) << asked.remarks.back();
  EXPECT_NE(asked.remarks.back().find("), by a fit to the N of the runs"), std::string::npos);
  const ::cleave::testing::TemporaryFolder folder;
  write_model(folder / "x.model.json", model);
  EXPECT_EQ(predict(read_model(folder / "x.model.json"), 4, given).high, asked.high);
}

TEST(AskedSizes, MayBeAProductOfWhatWasGiven) {
  std::vector<NamedSizes> all;
  for (const std::int64_t rows : {300, 600, 1200}) {
    for (const std::int64_t columns : {500, 1000, 1500}) {
      all.push_back({{"rows", rows}, {"columns", columns}});
    }
  }
  const auto area = [](const NamedSizes& given) {
    return NamedSizes{{"N", given.at("rows") * given.at("columns")}};
  };
  const Model model = fit(quiet_app(), all, area);
  const Prediction asked = predict(model, 4, {{"rows", 2400}, {"columns", 600}});
  EXPECT_NEAR(static_cast<double>(asked.sizes.at("N")), 1440000, 0.02 * 1440000);
  EXPECT_EQ(error_of([&] {
              predict(model, 4, {{"rows", 2400}});
            }),
            "size N is missing: this model's sizes are N, or columns, rows");
}

/// N is given, and the work that its halves share is a power of it.
NamedSizes with_work(const NamedSizes& given) {
  const auto n = static_cast<double>(given.at("N"));
  return {{"N", given.at("N")}, {"work", std::llround(3 * std::pow(n, 1.585))}};
}

TEST(AskedSizes, MayBeSomeOfTheModels) {
  SyntheticApp app = quiet_app();
  app.size_halved = "work";
  app.sequential = [](const NamedSizes& s) { return 1e-9 * static_cast<double>(s.at("work")); };
  const Model model = fit(app,
                          {{{"N", 10000}},
                           {{"N", 14000}},
                           {{"N", 20000}},
                           {{"N", 28000}},
                           {{"N", 40000}},
                           {{"N", 56000}}},
                          with_work);
  const NamedSizes given = {{"N", 160000}};
  const Prediction known = predict(model, 4, with_work(given));
  const Prediction asked = predict(model, 4, given);
  expect_wider(asked, known);
  EXPECT_EQ(error_of([&] {
              predict(model, 4, {{"work", 1000000}});
            }),
            "size N is missing: this model's sizes are N, work");
}

TEST(AskedSizes, AreThoseOfARehearsalThatWasGivenThem) {
  const Model model = model_of_triangles();
  const NamedSizes given = {{"side", 4000}};
  std::vector<Trace> rehearsals = {synthetic_rehearsal(quiet_app(), 8, triangle(given))};
  rehearsals.front().run.options = giving(given);
  PredictOptions options{.ranks_per_host = 8};
  options.rehearsed = rehearsed_runs(model, rehearsals);
  const Prediction asked = predict(model, 8, given, options);
  EXPECT_TRUE(asked.is_rehearsed);
  EXPECT_EQ(asked.sizes.at("N"), triangle(given).at("N"));
  EXPECT_EQ(asked.high, predict(model, 8, triangle(given), options).high);
  EXPECT_FALSE(predict(model, 8, {{"side", 4001}}, options).is_rehearsed);
}

TEST(AskedSizes, AreNotTakenFromARehearsalWhereTheyMayBeGiven) {
  std::vector<NamedSizes> all;
  for (const std::int64_t n : {100000, 200000, 400000}) {
    for (const std::int64_t edges : {n, 3 * n}) {
      all.push_back({{"N", n}, {"M", edges}});
    }
  }
  const auto same = [](const NamedSizes& given) { return given; };
  const Model model = fit(synthetic_components(), all, same);
  std::vector<Trace> rehearsals = {synthetic_rehearsal(synthetic_components(), 8, all.back())};
  rehearsals.front().run.options = giving(all.back());
  PredictOptions options{.ranks_per_host = 8};
  options.rehearsed = rehearsed_runs(model, rehearsals);
  EXPECT_TRUE(predict(model, 8, all.back(), options).is_rehearsed);
  EXPECT_EQ(error_of([&] {
              predict(model, 8, {{"N", all.back().at("N")}}, options);
            }),
            "size M is missing: this model's sizes are M, N");
}

TEST(AskedSizes, OfTwoRunsTellNone) {
  const Model model = fit(quiet_app(), sides({1000, 2000}), triangle);
  EXPECT_EQ(error_of([&] {
              predict(model, 4, {{"side", 4000}});
            }),
            "size side is not one of this model's: N");
}

TEST(AskedSizes, GoTogetherWhereTheyFollowFromOne) {
  SyntheticApp app = synthetic_components();
  const auto with_edges = [](const NamedSizes& given) {
    const std::int64_t n = given.at("N");
    return NamedSizes{{"N", n}, {"M", 2 * n}, {"work", n * n / 1000}};
  };
  const std::vector<std::int64_t> counts = {100000, 200000, 400000};
  std::vector<NamedSizes> alone;
  std::vector<NamedSizes> both;
  for (const std::int64_t n : counts) {
    alone.push_back({{"N", n}});
    both.push_back({{"N", n}, {"M", 2 * n}});
  }
  const Model model = fit(app, alone, with_edges, {1, 2});
  EXPECT_TRUE(model.refused.empty());
  const Prediction asked = predict(model, 2, {{"N", 300000}});
  const double truth =
      1e-9 * static_cast<double>(
                 synthetic_trace(app, 2, with_edges({{"N", 300000}})).repetitions[1].elapsed_ns);
  EXPECT_LT(asked.low, truth);
  EXPECT_GT(asked.high, truth);
  EXPECT_LT(asked.high, 1.3 * asked.low);
  // Either could be asked for alone.
  const auto same = [](const NamedSizes& given) { return given; };
  const Model of_both = fit(app, both, same, {1, 2});
  EXPECT_EQ(of_both.reason_of(Block::divide),
            "columns M and N are dependent: every sample has N = 0.5*M; vary them independently");
}

TEST(AskedSizes, ThatTellTooMuchAreRefused) {
  const auto doubling = [](const NamedSizes& given) {
    return NamedSizes{{"N", std::int64_t{1} << given.at("side")}};
  };
  const Model model = fit(quiet_app(), sides({16, 17, 18, 19, 20}), doubling);
  EXPECT_NEAR(std::log2(predict(model, 4, {{"side", 24}}).sizes.at("N")), 24, 0.1);
  const std::string message = error_of([&] { predict(model, 4, {{"side", 80}}); });
  EXPECT_TRUE(message.starts_with("side=80: N cannot be told, up to e^")) << message;
}

}  // namespace
}  // namespace cleave::models
