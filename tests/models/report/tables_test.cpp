// SPDX-License-Identifier: Apache-2.0
#include "models/report/tables.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "models/report/answer.hpp"
#include "models/report/cells.hpp"
#include "models/report/text.hpp"
#include "models/theory/fit.hpp"
#include "tests/models/synthetic_runs.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

/// What the column of a table shows in a row.
std::string shown_in(const Table& table, const std::string& column, std::size_t row = 0) {
  const auto found = std::ranges::find(table.columns, column, &Column::name);
  return table.rows.at(row).at(static_cast<std::size_t>(found - table.columns.begin())).shown;
}

TEST(Tables, LeaveOutWhatIsNoAnswer) {
  const Measurements measurements =
      collect_measurements(synthetic_traces({}, {1, 2}, sort_sizes()));
  const Model model = fit_model(measurements, std::nullopt, {.forms = Forms::paper}, {});
  std::vector<JudgedRun> runs = make_report(model, measurements, std::nullopt).comparisons;
  runs.resize(3);
  runs[0].prediction.low /= 3;
  runs[0].prediction.high *= 3;
  runs[1].prediction.run_high *= 9;
  const Network network{.exchange = {{.ranks = 2, .latency_s = -1e-6, .r_squared = -0.3}}};
  const std::vector<Table> tables = make_tables(model, measurements, runs, network);
  const Table& predictions = tables.front();
  EXPECT_EQ(shown_in(predictions, "predicted (s)"), "not known");
  for (const char* column : {"95 % from (s)", "to (s)", "a run to (s)", "eq. 6 (s)", "error"}) {
    EXPECT_EQ(shown_in(predictions, column), "") << column;
    EXPECT_NE(shown_in(predictions, column, 2), "") << column;
  }
  EXPECT_NE(shown_in(predictions, "to (s)", 1), "");
  EXPECT_EQ(shown_in(predictions, "a run to (s)", 1), "");
  const Table& messages = tables.back();
  EXPECT_EQ(shown_in(messages, "l (s)"), "");
  EXPECT_EQ(shown_in(messages, "R²"), "");
  EXPECT_EQ(to_csv(messages).find("-0.3"), std::string::npos);
  EXPECT_NE(answer_line(runs[1].prediction).find("the times of single runs are not known"),
            std::string::npos);
}

TEST(Tables, HaveThePapersFiguresOfItsFormsAlone) {
  const Measurements measurements =
      collect_measurements(synthetic_traces({}, {1, 2}, sort_sizes()));
  for (const Forms forms : {Forms::automatic, Forms::paper}) {
    const Model model = fit_model(measurements, std::nullopt, {.forms = forms}, {});
    const std::vector<Table> tables = make_report(model, measurements, std::nullopt).tables;
    const auto has = [](const Table& table, const char* name) {
      return std::ranges::find(table.columns, name, &Column::name) != table.columns.end();
    };
    const bool is_papers = forms == Forms::paper;
    EXPECT_EQ(has(tables.at(0), "eq. 6 (s)"), is_papers);
    EXPECT_EQ(tables.at(1).id, "coefficients");
    EXPECT_EQ(has(tables.at(1), "R²"), is_papers);
    EXPECT_EQ(tables.at(1).rows.front().size(), tables.at(1).columns.size());
  }
}

TEST(Tables, HaveUnitsInTheirCellsAndSecondsInTheirFiles) {
  const Table table{.columns = {{"measured (s)", true}}, .rows = {{seconds(2.5e-6)}}};
  EXPECT_EQ(to_terminal(table), "measured\n  2.5 us\n");
  EXPECT_EQ(to_markdown(table), "| measured |\n| ---: |\n| 2.5 us |\n");
  EXPECT_EQ(to_csv(table), "measured (s)\r\n2.5e-06\r\n");
}

}  // namespace
}  // namespace cleave::models
