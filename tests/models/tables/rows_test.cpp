// SPDX-License-Identifier: Apache-2.0
#include "models/tables/rows.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <random>

#include <cleave/error.hpp>

namespace cleave::models {
namespace {

/// "series N=1,p=2 seconds" of each row.
std::vector<std::string> texts_of(std::string_view file) {
  std::vector<std::string> texts;
  for (const TableRow& row : rows_of("table", file)) {
    texts.push_back(fmt::format("{} {} {:.6g}", row.series, format_sizes(row.sizes), row.seconds));
  }
  return texts;
}

void expect_refused(std::string_view file, const std::string& message) {
  try {
    rows_of("table", file);
    ADD_FAILURE() << file;
  } catch (const FileError& e) {
    EXPECT_NE(std::string(e.what()).find(message), std::string::npos) << e.what();
  }
}

using Texts = std::vector<std::string>;

constexpr const char* kCsv = "N,ranks,seconds\n1000,2,0.5\n2000,4,1e-3\n";
constexpr const char* kExtraP =
    "# a comment\nPARAMETER p n\nPOINTS (1 10) (2 10)\nPOINTS (4 10)\nMETRIC time\n"
    "REGION main->solve\nDATA 8 8.5\nDATA 4\n\nDATA 2\n"
    "METRIC bytes\nREGION main\nDATA 1\nDATA 1\nDATA 1\n";
constexpr const char* kJsonLines =
    R"({"params":{"p":4},"callpath":"main","metric":"time","value":[2,3]})"
    "\n\n"
    R"({"params":{"p":8},"value":1.5})"
    "\n";
constexpr const char* kGoogleBenchmark = R"({"context": {"num_cpus": 2}, "benchmarks": [
 {"name": "BM_Sort/1024", "run_name": "BM_Sort/1024", "run_type": "iteration", "real_time": 2000,
  "cpu_time": 1, "time_unit": "ns"},
 {"name": "BM_Sort/1024_mean", "run_name": "BM_Sort/1024", "run_type": "aggregate",
  "aggregate_name": "mean", "real_time": 9, "time_unit": "ns"},
 {"name": "BM_Grid<int>/case_a/N:8/3/repeats:2/threads:4/real_time", "real_time": 1.5,
  "time_unit": "ms"},
 {"name": "BM_Pair/4/5", "real_time": 7, "time_unit": "s"},
 {"name": "BM_Pair_BigO", "cpu_coefficient": 1, "real_coefficient": 1, "big_o": "N",
  "time_unit": "ns"},
 {"name": "BM_Bad/1", "error_occurred": true, "error_message": "no"}]})";

TEST(CsvRows, AreTheLinesUnderTheNames) {
  EXPECT_EQ(texts_of(kCsv), (Texts{" N=1000, ranks=2 0.5", " N=2000, ranks=4 0.001"}));
}

TEST(CsvRows, MayHaveOtherSeparatorsQuotesAndNames) {
  EXPECT_EQ(texts_of("\xEF\xBB\xBFname;seconds;N\r\n\"a; \"\"b\"\"\";2;8\r\n"),
            Texts{"a; \"b\" N=8 2"});
}

TEST(CsvRows, SayHowOftenTheyCountAndInWhichRound) {
  const std::vector<TableRow> rows =
      rows_of("table", "N,seconds,repetitions,round\n1,2,3,0\n1,2,1,7\n");
  EXPECT_EQ(rows[0].repetitions, 3);
  EXPECT_EQ(rows[1].round, 7);
}

TEST(CsvRows, AreRefusedWithTheLineAndTheColumn) {
  expect_refused("N,time\n1,2\n", "line 1: one column must be called seconds");
  expect_refused("N,seconds\n1,2\nx,2\n", "line 3: N is 'x', which is not a number");
  expect_refused("N,seconds\n1.5,2\n", "line 2: N is 1.5: a size is a whole number");
  expect_refused("N,seconds\n1,0\n", "line 2: seconds is 0: a time is above 0");
  expect_refused("N,seconds\n1,nan\n", "seconds is nan");
  expect_refused("N,seconds\n1\n", "line 2: 1 fields, where the header has 2");
  expect_refused("N,seconds\n\"1,2\n", "line 2: a quote is not closed");
  expect_refused("N M,seconds\n1,2\n", "'N M' cannot name a size");
  expect_refused("N,N,seconds\n1,1,2\n", "column N is there twice");
  expect_refused("N,seconds,repetitions\n1,1,2.5\n", "repetitions is 2.5: allowed are 1 to 1000");
  expect_refused("N,seconds\n", "holds no run time");
}

TEST(ExtraPRows, ArePointsWithTheValuesOfTheirDataLines) {
  EXPECT_EQ(texts_of(kExtraP),
            (Texts{"main->solve n=10, p=1 8", "main->solve n=10, p=1 8.5",
                   "main->solve n=10, p=2 4", "main->solve n=10, p=4 2", "main, bytes n=10, p=1 1",
                   "main, bytes n=10, p=2 1", "main, bytes n=10, p=4 1"}));
}

TEST(ExtraPRows, OfOneParameterNeedNoParentheses) {
  EXPECT_EQ(texts_of("PARAMETER n\nPOINTS 1 2\nREGION r\nDATA 5\nDATA 6\n"),
            (Texts{"r n=1 5", "r n=2 6"}));
}

TEST(ExtraPRows, AreRefusedWithTheLineAndTheSection) {
  expect_refused("PARAMETER p\nPOINTS (1) (2)\nREGION a\nDATA 1\nREGION b\n",
                 "line 5: region 'a' has 1 lines of DATA for 2 points");
  expect_refused("PARAMETER p\nPOINTS (1)\nREGION a\nDATA 1\nDATA 1\n",
                 "line 5: region 'a' has more DATA than the 1 points");
  expect_refused("PARAMETER p q\nPOINTS (1 2) (3)\n", "line 2: POINTS has 3 numbers");
  expect_refused("PARAMETER p\nPOINT (1)\n", "line 2: 'POINT' is none of");
  expect_refused("PARAMETER p\nPOINTS (1)\nREGION a\nDATA -1\n", "line 4: DATA is -1");
}

TEST(JsonLinesRows, AreOneOrSeveralValuesALine) {
  EXPECT_EQ(texts_of(kJsonLines), (Texts{"main p=4 2", "main p=4 3", " p=8 1.5"}));
}

TEST(JsonLinesRows, AreRefusedWithTheLineAndTheField) {
  expect_refused("{\"params\":{\"p\":4}}\n", "line 1: field 'value' is missing");
  expect_refused("{\"params\":{\"p\":\"4\"},\"value\":1}\n",
                 "line 1: in 'params': field 'p' must be");
  expect_refused("{\"params\":{\"p\":4},\"value\":1}\n{\"value\":1}\n",
                 "line 2: field 'params' is missing");
}

TEST(GoogleBenchmarkRows, AreTheRepetitionsWithTheArgumentsOfTheirNames) {
  EXPECT_EQ(texts_of(kGoogleBenchmark),
            (Texts{"BM_Sort N=1K 2e-06", "BM_Grid<int>/case_a N=8, N1=3, threads=4 0.0015",
                   "BM_Pair N1=4, N2=5 7"}));
}

TEST(GoogleBenchmarkRows, AreRefusedWithTheEntryAndTheField) {
  expect_refused(
      "{\n\"benchmarks\": [{\"name\": \"a/1\", \"real_time\": 1, \"time_unit\": \"h\"}]}",
      "time_unit");
  expect_refused("{\n\"benchmarks\": [{\"name\": \"a/0\", \"real_time\": 1}]}",
                 "benchmarks[0]: an argument is 0: a size is a whole number");
  expect_refused("{\n\"benchmarks\": [{\"name\": \"a/1\"}]}", "field 'real_time' is missing");
  expect_refused("{\n}", "field 'benchmarks' is missing");
}

TEST(Tables, AreToldFromCleavesOwnFiles) {
  EXPECT_TRUE(is_table(kCsv));
  EXPECT_TRUE(is_table(kGoogleBenchmark));
  EXPECT_FALSE(is_table("{\"format\":\"cleave-trace\",\"version\":3}\n"));
}

/// Whatever is done to a table, it is read, or refused in one line.
TEST(Tables, DamagedInAnyWayAreReadOrRefused) {
  std::mt19937 random(3);
  for (const std::string whole : {kCsv, kExtraP, kJsonLines, kGoogleBenchmark}) {
    for (int trial = 0; trial < 1000; ++trial) {
      std::string damaged = whole.substr(0, 1 + random() % whole.size());
      for (int i = 0; i < trial % 4; ++i) {
        damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
      }
      try {
        for (const TableRow& row : rows_of("table", damaged)) {
          EXPECT_GT(row.seconds, 0);
        }
      } catch (const FileError& e) {
        EXPECT_EQ(std::string(e.what()).find('\n'), std::string::npos) << e.what();
      }
    }
  }
}

}  // namespace
}  // namespace cleave::models
