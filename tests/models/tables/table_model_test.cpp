// SPDX-License-Identifier: Apache-2.0
// From a table of run times to a model of it, and to what that predicts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/host/provenance_here.hpp>

#include "models/tables/table_runs.hpp"
#include "models/theory/fit.hpp"
#include "models/theory/model_file.hpp"
#include "models/theory/plan.hpp"
#include "models/theory/prediction.hpp"

namespace cleave::models {
namespace {

class TableModelTest : public ::testing::Test {
 protected:
  void SetUp() override {
    file_ = std::filesystem::path(::testing::TempDir()) /
            fmt::format("{}.csv", ::testing::UnitTest::GetInstance()->current_test_info()->name());
  }
  void TearDown() override { std::filesystem::remove(file_); }

  Measurements measurements(const std::string& text, const TableChoice& choice = {}) const {
    write_file(file_, text);
    return measurements_of_tables({file_.string()}, choice);
  }

  Model model(const std::string& text) const {
    return fit_model(measurements(text), std::nullopt, {},
                     detail::provenance_here("test", "", "none"));
  }

  /// Times of three repetitions that lie 1 % apart.
  static std::string table(const std::function<double(double, int)>& seconds,
                           const std::vector<int>& ranks) {
    std::string text = "N,ranks,seconds\n";
    for (double n = 1e5; n <= 16e5; n *= 2) {
      for (const int p : ranks) {
        for (const double noise : {1.0, 1.01, 1.02}) {
          text += fmt::format("{},{},{}\n", n, p, noise * seconds(n, p));
        }
      }
    }
    return text;
  }

  std::filesystem::path file_;
};

TEST_F(TableModelTest, FindsWorkThatRanksShareAndMessagesThatGrowWithThem) {
  const auto law = [](double n, int p) {
    return 1e-8 * n * std::log2(n) / p + 2e-3 * std::log2(p);
  };
  const Model fitted = model(table(law, {1, 2, 4, 8, 16}));
  EXPECT_EQ(fitted.table()->law.form().size(), 2U) << fitted.table()->law.text();
  for (const int p : {1, 8, 64}) {
    const Prediction said = predict(fitted, p, {{"N", 3200000}});
    EXPECT_NEAR(said.seconds / (1.005 * law(3.2e6, p)), 1, 0.03) << p;
    EXPECT_LE(said.low, 1.005 * law(3.2e6, p));
    EXPECT_GE(said.high, 1.005 * law(3.2e6, p));
    EXPECT_TRUE(said.shares.empty());
  }
}

TEST_F(TableModelTest, PlansByTheSameLaw) {
  const auto law = [](double n, int p) { return 1e-6 * n / p + 0.01; };
  const Plan plan =
      make_plan(model(table(law, {1, 2, 4, 8})),
                {.sizes = {{"N", 1600000}}, .ranks = {1, 2, 4, 8}, .deadline_s = 0.5});
  EXPECT_EQ(plan.choices[plan.chosen.value()].prediction.ranks, 4);
}

TEST_F(TableModelTest, IsReadBackAsItWasWritten) {
  const Model fitted = model(table([](double n, int p) { return n / p; }, {1, 2, 4}));
  const Model read = model_from("x.model.json", model_text(fitted));
  EXPECT_EQ(model_text(read), model_text(fitted));
  EXPECT_EQ(predict(read, 8, {{"N", 1000000}}).seconds,
            predict(fitted, 8, {{"N", 1000000}}).seconds);
}

TEST_F(TableModelTest, OfOneNumberOfRanksKnowsNoOther) {
  const Model fitted = model(table([](double n, int) { return 1e-7 * n; }, {4}));
  EXPECT_NEAR(predict(fitted, 4, {{"N", 3200000}}).seconds, 0.3216, 0.01);
  EXPECT_THROW(predict(fitted, 8, {{"N", 3200000}}), UsageError);
}

TEST_F(TableModelTest, WhoseRanksAloneVaryHoldsOutSomeOfThem) {
  std::string text = "ranks,seconds\n";
  for (int p = 1; p <= 64; p *= 2) {
    text += fmt::format("{0},{1}\n{0},{1}\n", p, 1.0 / p);
  }
  const Model fitted =
      fit_model(measurements(text), std::nullopt, {.hold_out = HoldOut::every_second},
                detail::provenance_here("test", "", "none"));
  EXPECT_EQ(fitted.held_out.size(), 3U);
  EXPECT_EQ(fitted.fitted.size(), 4U);
  EXPECT_EQ(fitted.verdict.held_out, 3);
  EXPECT_NEAR(predict(fitted, 32, {}).seconds, 1.0 / 32, 1e-3 / 32);
}

TEST_F(TableModelTest, OfOneSizeIsRefused) {
  EXPECT_THROW(model("N,seconds\n8,1\n8,1.1\n"), Error);
}

TEST_F(TableModelTest, CountsATimeAsOftenAsItSays) {
  const Measurements found = measurements("N,seconds,repetitions\n8,1,4\n8,9,1\n16,2,1\n");
  EXPECT_EQ(found.points.front().seconds, (std::vector<double>{1, 1, 1, 1, 9}));
}

TEST_F(TableModelTest, KnowsItsRounds) {
  EXPECT_EQ(measurements("N,seconds,round\n8,1,0\n8,1.01,1\n").points.front().disturbed, 0.005);
  EXPECT_EQ(measurements("N,seconds\n8,1\n8,1.01\n").points.front().disturbed, 0.1);
}

TEST_F(TableModelTest, TakesTheRanksFromTheirSize) {
  EXPECT_EQ(measurements("N,p,seconds\n8,2,1\n").points.front().ranks, 2);
  const RunPoint point =
      measurements("N,p,procs,seconds\n8,2,4,1\n", {.ranks_size = "procs"}).points.front();
  EXPECT_EQ(point.ranks, 4);
  EXPECT_EQ(point.sizes, (NamedSizes{{"N", 8}, {"p", 2}}));
  EXPECT_THROW(measurements("N,seconds\n8,1\n", {.ranks_size = "procs"}), UsageError);
}

TEST_F(TableModelTest, AsksWhichOfSeveralSeriesIsMeant) {
  const std::string text = "name,N,seconds\nsort,8,1\nscan,8,2\n";
  EXPECT_THROW(measurements(text), UsageError);
  EXPECT_THROW(measurements(text, {.only = "sorts"}), UsageError);
  const Measurements found = measurements(text, {.only = "scan"});
  EXPECT_EQ(found.app, "scan");
  EXPECT_EQ(found.points.front().seconds, std::vector<double>{2});
}

TEST_F(TableModelTest, RefusesRowsOfOtherSizes) {
  EXPECT_THROW(
      measurements("{\"params\":{\"n\":1},\"value\":1}\n{\"params\":{\"m\":1},\"value\":1}\n"),
      UsageError);
}

}  // namespace
}  // namespace cleave::models
