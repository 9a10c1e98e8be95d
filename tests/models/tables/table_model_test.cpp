// SPDX-License-Identifier: Apache-2.0
// From a table of run times to a model of it, and to what that predicts.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <filesystem>
#include <functional>
#include <random>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/host/provenance_here.hpp>

#include "models/tables/table.hpp"
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

TEST_F(TableModelTest, FindsWorkOfTwoSizesMessagesOfOneOfThemAndWhatEachRankDoesWhole) {
  const auto law = [](double n, double k, double p) {
    return 2e-8 * n * k / p + 3e-4 * k * std::log2(p) + 1e-8 * n;
  };
  std::string text = "N,K,ranks,seconds\n";
  for (double n = 1e5; n <= 8e5; n *= 2) {
    for (const double k : {4, 16, 64}) {
      for (double p = 1; p <= 16; p *= 2) {
        for (const double noise : {1.0, 1.01, 1.02}) {
          text += fmt::format("{},{},{},{}\n", n, k, p, noise * law(n, k, p));
        }
      }
    }
  }
  const Prediction said = predict(model(text), 64, {{"N", 1600000}, {"K", 64}});
  EXPECT_NEAR(said.seconds / (1.005 * law(16e5, 64, 64)), 1, 0.03);
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

/// `f` at the next values after five of each of a, b and c, predicted from runs at `at`.
class TableOfThreeSizesTest : public TableModelTest {
 protected:
  using Function = std::function<double(double, double, double)>;

  static double product(double a, double b, double c) {
    return 7 + 1e-3 * std::pow(a, 0.75) * std::pow(b, 5.0 / 3) * std::log2(c);
  }
  static double sum(double a, double b, double c) {
    return 50 + 0.2 * std::pow(a, 4.0 / 3) + 3 * b * std::log2(b) + 9 * std::pow(c, 2.0 / 3);
  }

  double predicted(const Function& f, const std::vector<std::array<double, 3>>& at) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> noise(0.98, 1.02);
    std::string text = "a,b,c,seconds\n";
    for (const auto& [a, b, c] : at) {
      for (int repetition = 0; repetition < 3; ++repetition) {
        text += fmt::format("{},{},{},{}\n", a, b, c, noise(random) * f(a, b, c));
      }
    }
    return predict(model(text), 1, {{"a", 128}, {"b", 320}, {"c", 4096}}).seconds;
  }

  void expect_found(const std::vector<std::array<double, 3>>& at) {
    for (const auto f : {&product, &sum}) {
      EXPECT_NEAR(predicted(f, at) / f(128, 320, 4096), 1, 0.05);
    }
  }
};

TEST_F(TableOfThreeSizesTest, OnAGridHasTheirSumsAndProducts) {
  std::vector<std::array<double, 3>> at;
  for (const double a : {4, 8, 16, 32, 64}) {
    for (const double b : {10, 20, 40, 80, 160}) {
      for (const double c : {8, 32, 128, 512, 2048}) {
        at.push_back({a, b, c});
      }
    }
  }
  expect_found(at);
}

TEST_F(TableOfThreeSizesTest, AtScatteredSizesHasTheirSumsAndProducts) {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> exponent(0, 1);
  std::vector<std::array<double, 3>> at;
  for (int i = 0; i < 60; ++i) {
    at.push_back({std::round(4 * std::pow(16, exponent(random))),
                  std::round(10 * std::pow(16, exponent(random))),
                  std::round(8 * std::pow(256, exponent(random)))});
  }
  expect_found(at);
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
  const std::filesystem::path other = file_.string() + ".csv";
  write_file(file_, "n,seconds\n1,1\n");
  write_file(other, "m,seconds\n1,1\n");
  EXPECT_THROW(measurements_of_tables({file_.string(), other.string()}, {.only = ""}), UsageError);
  std::filesystem::remove(other);
}

}  // namespace
}  // namespace cleave::models
