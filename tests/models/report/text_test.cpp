// SPDX-License-Identifier: Apache-2.0
// Reports as text: what a terminal of 80 columns holds.
#include "models/report/text.hpp"

#include <gtest/gtest.h>

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

TEST(Text, OfATableLeavesOutDetailsThatNobodyAskedFor) {
  Table table = table_of(2, "n", "1");
  table.columns[1].is_detail = true;
  EXPECT_EQ(to_terminal(table), "n\n1\n");
  EXPECT_EQ(to_terminal(table, true), "n  n\n1  1\n");
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
