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
  EXPECT_NEAR(said.seconds / law(beyond), 1, 0.05) << fitted.table()->law.has_value();
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

/// The scale of Student's t and the median, as another implementation of the method has them, with
/// all subsets of the terms and the full product of all laws of the work.
TEST(TableModel, CarriesPointsOnAsTheSlowMethodDoes) {
  struct Asked {
    std::string table;
    NamedValues sizes;
    double seconds;
    double scale;
  };
  const std::string strong = "ranks,seconds\n1,103\n2,52.6\n4,27.1\n8,14.9\n16,8.3\n";
  const std::string sizes = "N,seconds\n1000,1.02\n2000,2.2\n4000,4.6\n8000,9.9\n16000,20.7\n";
  const std::string grid =
      "ranks,N,seconds\n1,100,1.04\n8,100,.15\n1,200,8.3\n8,200,1.09\n64,200,.17\n8,400,8.4\n"
      "64,400,1.12\n";
  const std::string weak = "ranks,seconds\n2,10.2\n8,11.1\n32,12.3\n128,13.1\n";
  for (const auto& [table, asked, seconds, scale] :
       std::vector<Asked>{{strong, {{"ranks", 32}}, 5.05054122, 0.0545560604},
                          {strong, {{"ranks", 64}}, 3.42455356, 0.148941292},
                          {strong, {{"ranks", 3}}, 35.5905217, 0.0153853113},
                          {sizes, {{"N", 64000}}, 86.8069866, 0.0832412577},
                          {grid, {{"ranks", 512}, {"N", 400}}, 0.264199613, 1.62778886},
                          {grid, {{"ranks", 64}, {"N", 800}}, 8.54777271, 0.0155850181},
                          {grid, {{"ranks", 512}, {"N", 800}}, 0.969722043, 1.36467953},
                          {weak, {{"ranks", 1024}}, 14.3223805, 0.0951470038}}) {
    const Estimate answer = fit_table(measurements(table).points).at(asked);
    EXPECT_NEAR(answer.median / seconds, 1, 1e-6) << table;
    EXPECT_NEAR(std::log(answer.high / answer.low) / (2 * 3.182) / scale, 1, 1e-6) << table;
  }
}

TEST(TableModel, FallsWithAnyColumnAndTakesTheWholeSizeBesideRanks) {
  const auto by_threads = [](const Values& v) { return 1e-6 * v[0] / v[1] + 0.01; };
  for (const Values& sizes : {Values{1e5, 2e5, 4e5}, Values{5e4, 1e5, 15e4, 2e5, 3e5, 4e5}}) {
    const Model threads = model(table({"N", "threads"}, grid({sizes, {1, 2, 4, 8}}), by_threads));
    EXPECT_NEAR(predict(threads, 1, {{"N", 400000}, {"threads", 16}}).seconds, 0.035, 0.003);
  }
  const auto weak = [](const Values& v) { return 2 + 0.1 * std::log2(v[0]); };
  const Model whole =
      model(table({"ranks", "N"}, {{1, 1000}, {2, 2000}, {4, 4000}, {8, 8000}, {16, 16000}}, weak));
  EXPECT_NEAR(predict(whole, 64, {{"N", 64000}}).seconds, 2.6, 0.1);
}

TEST(TableModel, WithSidesOfAGridCubesThemWhateverTheirRange) {
  const auto cells = [](const Values& v) { return 1e-7 * v[1] * v[1] * v[1] / v[0] + 0.2; };
  const Model fitted = model(table({"ranks", "side"}, grid({{4, 8, 16}, {512, 768}}), cells));
  EXPECT_NEAR(predict(fitted, 32, {{"side", 1536}}).seconds / cells({32, 1536}), 1, 0.05);
}

std::string findings(const std::vector<double>& times) {
  std::string text = "ranks,seconds\n";
  for (std::size_t i = 0; i < times.size(); ++i) {
    for (const double noise : {0.995, 1.0, 1.005}) {
      text += fmt::format("{},{}\n", 1 << i, times[i] * noise);
    }
  }
  Measurements rows = measurements(text);
  leave_out_odd(rows);
  std::ranges::copy(findings_of(fit_table(rows.points)), std::back_inserter(rows.notes));
  return fmt::format("{}", fmt::join(rows.notes, "\n"));
}

TEST(TableFindings, NameEachRowThatDoesNotFollowAndWhereARegimeBegins) {
  const std::vector<double> smooth = {101, 51, 26, 13.5, 7.25, 4.12, 2.56, 1.78, 1.39};
  EXPECT_EQ(findings(smooth).find("regime"), std::string::npos) << findings(smooth);
  EXPECT_EQ(findings(smooth).find("follow"), std::string::npos) << findings(smooth);
  for (const double factor : {0.6, 1.7}) {
    std::vector<double> odd = smooth;
    odd[4] *= factor;
    EXPECT_EQ(findings(odd).find("ranks=16 does not follow: measured"), 0) << findings(odd);
    EXPECT_EQ(findings(odd).find("does not follow", 30), std::string::npos) << findings(odd);
  }
  const std::string broken = findings({64, 32, 16, 8, 4, 2, 2.8, 4, 5.6});
  EXPECT_EQ(broken.find("a regime begins at ranks=32: times go as ranks^0.5"), 0) << broken;
  EXPECT_EQ(broken.find("follow"), std::string::npos) << broken;
}

TEST(TableFindings, LeaveOutAPointOfAGridThatDoesNotFollow) {
  std::string text = "N,ranks,seconds\n";
  for (const int n : {1000, 2000, 4000, 8000, 16000}) {
    for (const int ranks : {1, 2, 4, 8}) {
      text += fmt::format("{},{},{}\n", n, ranks,
                          1e-3 * n / ranks * (n == 4000 && ranks == 2 ? 0.1 : 1));
    }
  }
  Measurements rows = measurements(text);
  leave_out_odd(rows);
  ASSERT_EQ(rows.notes.size(), 1U) << fmt::format("{}", fmt::join(rows.notes, "\n"));
  EXPECT_EQ(rows.notes[0].find("N=4000, ranks=2 does not follow: measured 200 ms, fitted 2 s"), 0)
      << rows.notes[0];
  const Estimate far = fit_table(rows.points).at({{"N", 32000}, {"ranks", 16}});
  EXPECT_NEAR(far.median, 2, 0.1);
}

TEST(TableFindings, NameTheNextRun) {
  const TableModel once =
      fit_table(measurements("ranks,seconds\n1,103\n2,52.6\n4,27.1\n8,14.9\n").points);
  const std::string advice = advice_on(once, {{"ranks", 64}});
  EXPECT_EQ(advice.find("measure ranks=16 next"), 0) << advice;
  EXPECT_EQ(advice_on(once, {{"ranks", 4}}), "") << "within what was measured";
  TableModel more = once;
  more.points.push_back({.sizes = {{"ranks", 16}}, .value = once.at({{"ranks", 16}}).median});
  const auto ratio = [](const Estimate& e) { return e.high / e.low; };
  EXPECT_LT(ratio(more.at({{"ranks", 64}})), ratio(once.at({{"ranks", 64}})));
}

TEST(TableRuns, AreRowsWithTheirCountsRoundsAndRanks) {
  EXPECT_EQ(
      measurements("N,seconds,repetitions\n8,1,4\n8,9,1\n16,2,1\n").points.front().wall_seconds,
      (Values{1, 1, 1, 1, 9}));
  EXPECT_EQ(measurements("N,seconds,round\n8,1,0\n8,1.01,1\n").points.front().seconds,
            (Values{1, 1.01}));
  EXPECT_EQ(measurements("N,ranks,seconds\n8,2,1\n").points.front().ranks, 2);
  EXPECT_EQ(measurements("N,p,seconds\n8,2,1\n").points.front().ranks, 1) << "not named";
  const std::string several = "name,N,seconds\nsort,8,1\nscan,8,2\n";
  for (const TableChoice& choice : {TableChoice{.only = "scan"}, {.only = "", .usual = "scan"}}) {
    EXPECT_EQ(measurements(several, choice).app, "scan");
    EXPECT_EQ(measurements(several, choice).points.front().wall_seconds, Values{2});
  }
  EXPECT_EQ(measurements("N,seconds\n8,1\n", {.only = "", .usual = "scan"}).points.size(), 1U);
}

TEST(TableRuns, OfWhichItIsNotClearWhatIsMeantAreRefused) {
  const std::string series = "name,N,seconds\nsort,8,1\nscan,8,2\n";
  EXPECT_THROW(measurements(series), UsageError);
  EXPECT_THROW(measurements(series, {.only = "sorts"}), UsageError);
  EXPECT_EQ(measurements("a,b,c,d,e,f,seconds\n1,1,1,1,1,1,1\n").points.size(), 1U);
  EXPECT_THROW(measurements("a,b,c,d,e,f,g,seconds\n1,1,1,1,1,1,1,1\n"), UsageError);
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
