// SPDX-License-Identifier: Apache-2.0
// Tables as text: what a terminal of 80 columns holds.
#include <gtest/gtest.h>

#include "models/report/table.hpp"

namespace cleave::models {
namespace {

TEST(Text, IsBrokenAtBlanksAndGoesOnIndented) {
  const std::string word(30, 'x');
  EXPECT_EQ(wrapped("short"), "short\n");
  EXPECT_EQ(wrapped(""), "\n");
  EXPECT_EQ(wrapped("  a " + word + ' ' + word + "  " + word + ' ' + word + " end", 4),
            "  a " + word + ' ' + word + "\n    " + word + ' ' + word + " end\n");
  const std::string long_word(100, 'y');
  EXPECT_EQ(wrapped("a " + long_word + " b"), "a\n  " + long_word + "\n  b\n") << "no word is cut";
}

Table table_of(std::size_t columns, const std::string& name, const std::string& cell) {
  Table table;
  table.rows.resize(1);
  for (std::size_t i = 0; i < columns; ++i) {
    table.columns.push_back({name, true});
    table.rows[0].push_back({cell, cell});
  }
  return table;
}

TEST(Text, OfATableThatIsWideHasHeadsOfSeveralLines) {
  EXPECT_EQ(to_terminal(table_of(2, "time (s)", "1.5 s")), " time   time\n1.5 s  1.5 s\n");
  const std::string narrow = to_terminal(table_of(9, "time [s]", "1.50 s"));
  EXPECT_TRUE(narrow.starts_with("   time     time ")) << narrow;
  EXPECT_EQ(narrow.find('\n'), 80U) << narrow;
  EXPECT_EQ(to_terminal(table_of(20, "time [s]", "1.5 s")).find('\n'), 198U) << "as it is";
}

TEST(Text, OfATableHasUnitsInItsCellsAndSecondsInItsFile) {
  const Table table{.columns = {{"measured (s)", true}}, .rows = {{seconds(2.5e-6)}}};
  EXPECT_EQ(to_terminal(table), "measured\n  2.5 us\n");
  EXPECT_EQ(to_markdown(table), "| measured |\n| ---: |\n| 2.5 us |\n");
  EXPECT_EQ(to_csv(table), "measured (s)\r\n2.5e-06\r\n");
}

TEST(Text, OfATableLeavesOutDetails) {
  Table table = table_of(2, "n", "1");
  table.columns[1].is_detail = true;
  EXPECT_EQ(to_terminal(table), "n\n1\n");
}

TEST(Text, OfATableBreaksProductsWhereItIsTooWide) {
  Table table{.columns = {{"term"}, {"value", true}}};
  const std::string factor(50, 'x');
  table.rows = {{{factor + '*' + factor, ""}, {"1.5", ""}}, {{"N*M", ""}, {"2", ""}}};
  EXPECT_EQ(to_terminal(table), "term" + std::string(71, ' ') + "value\n" +  //
                                    factor + " *" + std::string(25, ' ') + "1.5\n" + factor + "\n" +
                                    "N * M" + std::string(74, ' ') + "2\n");
  table.rows.erase(table.rows.begin());
  EXPECT_EQ(to_terminal(table), "term  value\nN*M       2\n");
}

TEST(Text, OfATableBreaksSentencesRatherThanNumbers) {
  Table table{.columns = {{"block"}, {"reason"}}};
  const std::string reason = std::string(40, 'x') + ' ' + std::string(40, 'y');
  table.rows = {{{"sort", "sort"}, {reason, reason}}};
  EXPECT_EQ(to_terminal(table), "block  reason\nsort   " + std::string(40, 'x') + "\n       " +
                                    std::string(40, 'y') + '\n');
}

}  // namespace
}  // namespace cleave::models
