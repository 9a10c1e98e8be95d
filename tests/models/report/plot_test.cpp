// SPDX-License-Identifier: Apache-2.0
// The plot of a terminal: where its marks are, and what it does not print where it must not.
#include "models/report/plot.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>
#include <string>
#include <vector>

namespace cleave::models {
namespace {

TerminalPlot example() {
  TerminalPlot plot{.title = "N=1M"};
  for (const double ranks : {1.0, 2.0, 4.0, 8.0}) {
    plot.predicted.push_back(
        {.ranks = ranks, .seconds = 8 / ranks, .low = 7 / ranks, .high = 9 / ranks});
  }
  plot.measured = {{.ranks = 1, .seconds = 8}, {.ranks = 8, .seconds = 2}};
  return plot;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    lines.push_back(line);
  }
  return lines;
}

TEST(Plot, HasATitleTwelveLinesAndAnAxis) {
  const auto lines = lines_of(to_terminal(example(), {.columns = 60}));
  ASSERT_EQ(lines.size(), 15U);
  EXPECT_EQ(lines.front(), "N=1M");
  EXPECT_EQ(lines.back().find("ranks"), 5U);
  EXPECT_NE(lines.back().find('8'), std::string::npos);
}

TEST(Plot, StaysWithinItsColumns) {
  for (const int columns : {40, 60, 100}) {
    for (const std::string& line : lines_of(to_terminal(example(), {.columns = columns}))) {
      EXPECT_LE(line.size(), static_cast<std::size_t>(columns)) << line;
    }
  }
}

TEST(Plot, FallsFromLeftToRightAndShowsWhatWasMeasured) {
  const auto lines = lines_of(to_terminal(example(), {.columns = 60}));
  std::size_t last = 0;
  for (std::size_t row = 1; row <= 12; ++row) {
    const std::size_t at = lines[row].find_first_of("-o", 12);
    if (at != std::string::npos && lines[row][at] == '-') {
      EXPECT_GE(at, last) << lines[row];
      last = at;
    }
  }
  const std::string all = to_terminal(example(), {.columns = 60});
  EXPECT_EQ(std::count(all.begin(), all.end(), 'o'), 2);
}

TEST(Plot, IsPlainWhereNothingElseIsAskedFor) {
  const std::string text = to_terminal(example(), {.columns = 60});
  EXPECT_TRUE(std::ranges::all_of(text, [](char c) { return c == '\n' || (c >= 32 && c < 127); }));
}

TEST(Plot, HasColourAndUnicodeWhereAsked) {
  const std::string text =
      to_terminal(example(), {.columns = 60, .is_unicode = true, .has_colour = true});
  EXPECT_NE(text.find("\033[36m"), std::string::npos);
  EXPECT_NE(text.find("●"), std::string::npos);
  EXPECT_EQ(std::ranges::count(text, '\033') % 2, 0);
}

TEST(Plot, LeavesOutWhatIsNotKnown) {
  std::vector<Prediction> predictions;
  for (const int ranks : {1, 2, 4}) {
    predictions.push_back(
        {.ranks = ranks, .sizes = {{"N", 8}}, .seconds = 1, .low = 0.9, .high = 1.1});
  }
  predictions.back().high = 1e17;
  const TerminalPlot plot = plot_of(Model{}, predictions, {});
  ASSERT_EQ(plot.predicted.size(), 2U);
  EXPECT_EQ(plot.predicted.back().ranks, 2);
  predictions = {predictions.back()};
  EXPECT_TRUE(plot_of(Model{}, predictions, {}).predicted.empty());
}

TEST(Plot, OfOneNumberOfRanksIsNone) {
  TerminalPlot plot = example();
  plot.predicted.resize(1);
  EXPECT_EQ(to_terminal(plot, {}), "");
}

}  // namespace
}  // namespace cleave::models
