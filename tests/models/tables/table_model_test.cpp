// SPDX-License-Identifier: Apache-2.0
// From a table of run times to its rows, to a model of it, and to what that predicts.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <random>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/host/host.hpp>

#include "models/tables/table.hpp"
#include "models/theory/fit.hpp"
#include "models/theory/model_file.hpp"
#include "models/theory/prediction.hpp"
#include "tests/support/temporary_folder.hpp"

namespace cleave::models {
namespace {

Measurements measurements(const std::string& text, const TableChoice& choice = {}) {
  const testing::TemporaryFolder folder;
  write_file(folder / "times.csv", text);
  return measurements_of_tables({(folder / "times.csv").string()}, choice);
}

Model model(const std::string& text) {
  return fit_model(measurements(text), std::nullopt, {},
                   detail::provenance_here("test", "", "none"));
}

using Values = std::vector<double>;
using Law = std::function<double(const Values&)>;

/// Three repetitions at each of `points` under `columns`; their noise is below 1 %.
std::string table(const std::vector<std::string>& columns, const std::vector<Values>& points,
                  const Law& law) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> noise(0.99, 1.01);
  std::string text = fmt::format("{},seconds\n", fmt::join(columns, ","));
  for (const Values& point : points) {
    for (int repetition = 0; repetition < 3; ++repetition) {
      text += fmt::format("{},{}\n", fmt::join(point, ","), noise(random) * law(point));
    }
  }
  return text;
}

std::vector<Values> grid(const std::vector<Values>& lists) {
  std::vector<Values> points = {{}};
  for (const Values& list : lists) {
    std::vector<Values> longer;
    for (const Values& point : points) {
      for (const double value : list) {
        longer.push_back(point);
        longer.back().push_back(value);
      }
    }
    points = std::move(longer);
  }
  return points;
}

/// Points from 4, 10 and 8 to 16, 16 and 256 times as much.
std::vector<Values> scattered() {
  std::mt19937 random(2);
  std::uniform_real_distribution<double> exponent(0, 1);
  std::vector<Values> points(60);
  for (Values& point : points) {
    for (const auto& [least, times] : {std::pair(4, 16), std::pair(10, 16), std::pair(8, 256)}) {
      point.push_back(std::round(least * std::pow(times, exponent(random))));
    }
  }
  return points;
}

struct Case {
  std::vector<std::string> columns;
  std::vector<Values> points;
  Law law;
  Values beyond;
};

std::vector<Case> cases() {
  const auto shared = [](const Values& v) {  // work that ranks share, messages that grow with them
    return 1e-8 * v[0] * std::log2(v[0]) / v[1] + 2e-3 * std::log2(v[1]);
  };
  const auto mixed = [](const Values& v) {  // and what each rank does whole
    return 2e-8 * v[0] * v[1] / v[2] + 3e-4 * v[1] * std::log2(v[2]) + 1e-8 * v[0];
  };
  const auto product = [](const Values& v) {
    return 7 + 1e-3 * std::pow(v[0], 0.75) * std::pow(v[1], 5.0 / 3) * std::log2(v[2]);
  };
  const auto sum = [](const Values& v) {
    return 50 + 0.2 * std::pow(v[0], 4.0 / 3) + 3 * v[1] * std::log2(v[1]) +
           9 * std::pow(v[2], 2.0 / 3);
  };
  const Values sizes = {1e5, 2e5, 4e5, 8e5};
  const Values ranks = {1, 2, 4, 8, 16};
  const auto cube = grid({{4, 8, 16, 32, 64}, {10, 20, 40, 80, 160}, {8, 32, 128, 512, 2048}});
  return {{{"N", "ranks"}, grid({sizes, ranks}), shared, {32e5, 64}},
          {{"N", "ranks"}, grid({sizes, ranks}), shared, {32e5, 1}},
          {{"N", "K", "ranks"}, grid({sizes, {4, 16, 64}, ranks}), mixed, {16e5, 64, 64}},
          {{"a", "b", "c"}, cube, product, {128, 320, 4096}},
          {{"a", "b", "c"}, cube, sum, {128, 320, 4096}},
          {{"a", "b", "c"}, scattered(), product, {128, 320, 4096}},
          {{"a", "b", "c"}, scattered(), sum, {128, 320, 4096}}};
}

class TableLaw : public ::testing::TestWithParam<std::size_t> {};

/// Beyond the table the predicted time is the law's.
TEST_P(TableLaw, IsFound) {
  const auto [columns, points, law, beyond] = cases()[GetParam()];
  const Model fitted = model(table(columns, points, law));
  NamedSizes asked;
  for (std::size_t i = 0; i < columns.size(); ++i) {
    asked[columns[i]] = static_cast<std::int64_t>(beyond[i]);
  }
  const int on = asked.contains("ranks") ? static_cast<int>(asked["ranks"]) : 1;
  asked.erase("ranks");
  const Prediction said = predict(fitted, on, asked);
  EXPECT_NEAR(said.seconds / law(beyond), 1, 0.05) << fitted.table()->law.text();
  EXPECT_LE(said.low, law(beyond));
  EXPECT_GE(said.high, law(beyond));
  const Model read = model_from("x.model.json", model_text(fitted));
  EXPECT_EQ(predict(read, on, asked).seconds, said.seconds);
}

INSTANTIATE_TEST_SUITE_P(OfEachKind, TableLaw, ::testing::Range<std::size_t>(0, cases().size()));

TEST(TableModel, OfOneNumberOfRanksKnowsNoOther) {
  const Model fitted = model(table({"N", "ranks"}, grid({{1e5, 2e5, 4e5, 8e5, 16e5}, {4}}),
                                   [](const Values& v) { return 1e-7 * v[0]; }));
  EXPECT_NEAR(predict(fitted, 4, {{"N", 3200000}}).seconds, 0.32, 0.01);
  EXPECT_THROW(predict(fitted, 8, {{"N", 3200000}}), UsageError);
  EXPECT_THROW(model("N,seconds\n8,1\n8,1.1\n"), Error) << "one size";
}

TEST(TableModel, WhoseRanksAloneVaryHoldsOutTheMost) {
  const std::string text =
      table({"ranks"}, grid({{1, 2, 4, 8, 16, 32, 64}}), [](const Values& v) { return 1 / v[0]; });
  const Model fitted = model(text);
  ASSERT_EQ(fitted.verdict.checks.size(), 1U);
  EXPECT_EQ(fitted.verdict.checks.front().ranks, 64);
  EXPECT_EQ(fitted.verdict.checks.front().reach, 1);
  EXPECT_NEAR(32 * predict(fitted, 32, {}).seconds, 1, 0.02);
}

TEST(TableRuns, AreRowsWithTheirCountsRoundsAndRanks) {
  EXPECT_EQ(
      measurements("N,seconds,repetitions\n8,1,4\n8,9,1\n16,2,1\n").points.front().wall_seconds,
      (Values{1, 1, 1, 1, 9}));
  EXPECT_EQ(measurements("N,seconds,round\n8,1,0\n8,1.01,1\n").points.front().seconds,
            (Values{1, 1.01}));
  EXPECT_EQ(measurements("N,seconds\n8,1\n8,1.01\n").points.front().disturbed, kDisturbed);
  EXPECT_EQ(measurements("N,p,seconds\n8,2,1\n").points.front().ranks, 2);
  const RunPoint point =
      measurements("N,p,procs,seconds\n8,2,4,1\n", {.only = "", .ranks_size = "procs"})
          .points.front();
  EXPECT_EQ(point.ranks, 4);
  EXPECT_EQ(point.sizes, (NamedSizes{{"N", 8}, {"p", 2}}));
  const Measurements scan = measurements("name,N,seconds\nsort,8,1\nscan,8,2\n", {.only = "scan"});
  EXPECT_EQ(scan.app, "scan");
  EXPECT_EQ(scan.points.front().wall_seconds, Values{2});
}

TEST(TableRuns, OfWhichItIsNotClearWhatIsMeantAreRefused) {
  const std::string series = "name,N,seconds\nsort,8,1\nscan,8,2\n";
  EXPECT_THROW(measurements(series), UsageError);
  EXPECT_THROW(measurements(series, {.only = "sorts"}), UsageError);
  EXPECT_THROW(measurements("N,seconds\n8,1\n", {.only = "", .ranks_size = "procs"}), UsageError);
  const testing::TemporaryFolder folder;
  write_file(folder / "n.csv", "n,seconds\n1,1\n");
  write_file(folder / "m.csv", "m,seconds\n1,1\n");
  EXPECT_THROW(
      measurements_of_tables({(folder / "n.csv").string(), (folder / "m.csv").string()}, {}),
      UsageError);
}

constexpr const char* kTable =
    "# a comment\nname,N,ranks,seconds,repetitions,round\n\"a, \"\"b\"\"\",8,1,2,3,0\r\n\nc,8, "
    "1,2e-3,1,7\n";

TEST(TableRows, AreTheLinesUnderTheNames) {
  std::vector<std::string> texts;
  for (const TableRow& row : rows_of("table", kTable)) {
    texts.push_back(fmt::format("{}|{}|{}|{}|{}", row.series, format_sizes(row.sizes), row.seconds,
                                row.repetitions, row.round));
  }
  EXPECT_EQ(texts,
            (std::vector<std::string>{"a, \"b\"|N=8, ranks=1|2|3|0", "c|N=8, ranks=1|0.002|1|7"}));
}

TEST(TableRows, AreRefusedWithTheLineAndTheColumn) {
  const std::string convert = "are converted by: python -m cleave.convert table";
  const std::vector<std::pair<std::string, std::string>> refused = {
      {"N,time\n1,2\n", "line 1: 'N,time' is no header of a CSV table of sizes and seconds"},
      {"N;seconds\n1;2\n", convert},
      {"PARAMETER p\n", convert},
      {"{\"params\":{\"p\":4},\"value\":2}\n", convert},
      {"N,seconds\n1,2\nx,2\n", "line 3: N is 'x', which is not a number"},
      {"N,seconds\n1.5,2\n", "line 2: N is 1.5: whole numbers from 1 to"},
      {"N,seconds\n1,0\n", "line 2: seconds is 0: a time is above 0"},
      {"N,seconds\n1,nan\n", "seconds is nan"},
      {"N,seconds\n1\n", "line 2: 1 fields, where the header has 2"},
      {"N,seconds\n\"1,2\n", "line 2: a quote is not closed"},
      {"N M,seconds\n1,2\n", "'N M' cannot name a size"},
      {"N,N,seconds\n1,1,2\n", "column N is there twice"},
      {"N,seconds,repetitions\n1,1,2.5\n", "repetitions is 2.5: whole numbers from 1 to 1000"},
      {"N,seconds\n", "holds no run time"}};
  for (const auto& [text, message] : refused) {
    try {
      rows_of("table", text);
      ADD_FAILURE() << text;
    } catch (const FileError& e) {
      EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what();
    }
  }
}

TEST(Tables, AreToldFromCleavesOwnFiles) {
  EXPECT_TRUE(is_table(kTable));
  EXPECT_TRUE(is_table("{\"benchmarks\": []}"));
  EXPECT_FALSE(is_table("{\"format\":\"cleave-trace\",\"version\":3}\n"));
}

}  // namespace
}  // namespace cleave::models
