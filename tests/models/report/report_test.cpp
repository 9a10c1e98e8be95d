// SPDX-License-Identifier: Apache-2.0
// Reports, their tables as text, what their pages hold and answer; tests/page has a browser.
#include "models/report/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <regex>

#include <cleave/error.hpp>

#include "models/report/page/page.hpp"
#include "models/report/table.hpp"
#include "models/theory/fit.hpp"
#include "tests/models/synthetic_runs.hpp"

namespace cleave::models {
using namespace cleave::detail;
namespace {

Check check_of(bool is_inside) {
  return {.ranks = 2,
          .sizes = {{"N", 8}},
          .reach = 3,
          .measured_s = is_inside ? 1 : 1.3,
          .predicted_s = 1,
          .low = 0.95,
          .high = 1.05};
}

TEST(Verdict, SaysHowFarItReaches) {
  Verdict verdict;
  EXPECT_EQ(
      sentence_of(verdict, 0),
      "not checked: nothing was held out; runs of three sizes or more, or rehearsals, are needed "
      "for it");
  verdict.checks.assign(6, check_of(true));
  EXPECT_EQ(sentence_of(verdict, 1),
            "checked: 6 of 6 held out lie in their intervals, up to 8 times beyond, median error "
            "0.0 %");
  EXPECT_EQ(sentence_of(verdict, 12),
            "not checked: 4096 times beyond what is known; 6 of 6 held out lie in their intervals, "
            "up to 8 times beyond, median error 0.0 %");
  verdict.checks.resize(10, check_of(false));
  EXPECT_EQ(sentence_of(verdict, 0),
            "failed: 6 of 10 held out lie in their intervals, up to 8 times beyond, median error "
            "0.0 %; 2 ranks, N=8 measured 1.3 s, predicted 1 s (950 ms to 1.05 s). Run or rehearse "
            "sizes nearer to those asked about");
  verdict.checks = {{.measured_s = 1, .predicted_s = 1, .low = 0.1, .high = 1.1}};
  EXPECT_TRUE(sentence_of(verdict, 0).starts_with("not checked: nothing that far lies in an"));
}

Answer at(int ranks, std::vector<std::string> notes) {
  return {.ranks = ranks, .notes = std::move(notes)};
}

TEST(Notes, NameTheRanksThatTheyAreOfUnlessItIsAll) {
  using Texts = std::vector<std::string>;
  EXPECT_EQ(notes_of({at(16, {"l"}), at(64, {"l"}), at(64, {"l"})}), Texts{"l"});
  EXPECT_EQ(notes_of({at(8, {}), at(16, {"l"}), at(64, {"l", "g"}), at(256, {"l"})}),
            (Texts{"at 16 to 256 ranks: l", "at 64 ranks: g"}));
  EXPECT_EQ(notes_of({at(1, {"l"}), at(2, {})}), Texts{"at 1 rank: l"});
  EXPECT_EQ(notes_of({at(2, {"l"}), at(4, {"l"}), at(8, {}), at(16, {"l"})}),
            Texts{"at 2, 4, 16 ranks: l"});
  EXPECT_EQ(notes_of({at(2, {})}), Texts{});
}

Report report_of(const SyntheticApp& app, const FitOptions& options = {}) {
  const Measurements measurements =
      collect_measurements(synthetic_traces(app, {1, 2}, sort_sizes()));
  Report report = make_report(fit_model(measurements, std::nullopt, options, {}), measurements);
  report.origin.model = "a study";
  return report;
}

/// The text in a column and row of a table.
std::string shown_in(const Table& table, const std::string& column, std::size_t row = 0) {
  const auto found = std::ranges::find(table.columns, column, &Column::name);
  return table.rows.at(row).at(static_cast<std::size_t>(found - table.columns.begin())).shown;
}

TEST(Tables, SayWhatHoldsARunBackAndHowGoodTheFitIs) {
  const std::vector<Table> tables = report_of({}).tables;
  std::vector<std::string> ids;
  for (const Table& table : tables) {
    ids.push_back(table.id);
    EXPECT_TRUE(std::ranges::all_of(table.rows, [&](const std::vector<Cell>& row) {
      return row.size() == table.columns.size();
    })) << table.id;
  }
  EXPECT_EQ(ids, (std::vector<std::string>{"predictions", "blocks", "coefficients"}));
  EXPECT_EQ(tables[1].rows.size(), 1U + 4U) << "of 2 ranks also divide, exchange and combine";
  EXPECT_EQ(shown_in(tables[1], "workers", 4), "2 ranks");
}

TEST(Tables, ShowAnIntervalAsWideAsItIs) {
  Report report = report_of({}, {.forms = Forms::paper});
  Prediction& wide = report.comparisons.front().prediction;
  wide.low = wide.seconds / 9;
  wide.high = wide.seconds * 9;
  const Table predictions = make_tables(report.model, {}, report.comparisons).front();
  EXPECT_EQ(shown_in(predictions, "predicted (s)"), detail::format_seconds(wide.seconds));
  EXPECT_EQ(shown_in(predictions, "to (s)"), detail::format_seconds(9 * wide.seconds));
  EXPECT_NE(
      answer_line(wide).find(fmt::format("(95 %: {} to", detail::format_seconds(wide.seconds / 9))),
      std::string::npos)
      << answer_line(wide);
}

TEST(Answers, NameTheFormsThatAnswerApartAndARunThatTellsWhichIsRight) {
  SyntheticApp app;
  app.noise = 0.03;
  app.sequential = [](const NamedSizes& s) { return 2e-9 * static_cast<double>(s.at("N")); };
  const auto model_of = [&](std::vector<std::int64_t> counts) {
    std::vector<NamedSizes> sizes;
    for (const std::int64_t n : counts) {
      sizes.push_back({{"N", n << 20}});
    }
    return fit_model(collect_measurements(synthetic_traces(app, {1, 2}, sizes)), std::nullopt, {},
                     {});
  };
  const NamedSizes asked = {{"N", std::int64_t{1} << 33}};
  const auto apart_at = [](const Model& model, const NamedSizes& sizes) {
    return forms_apart(model, predict(model, 2, sizes));
  };
  const auto apart = apart_at(model_of({1, 2, 4}), asked);
  ASSERT_TRUE(apart);
  EXPECT_TRUE(std::regex_search(apart->text,
                                std::regex("^[a-z]+ is .+ or .+: .+ s to .+ s; N=.+ would tell$")))
      << apart->text;
  ASSERT_TRUE(apart->telling.contains("N"));
  EXPECT_FALSE(apart_at(model_of({1, 2, 4}), {{"N", 2 << 20}})) << "as it was run";
  const auto then = apart_at(model_of({1, 2, 4, apart->telling.at("N") >> 20}), asked);
  EXPECT_TRUE(!then || then->text.substr(0, 4) != apart->text.substr(0, 4)) << then->text;
}

TEST(Page, NamesAreTextOnly) {
  SyntheticApp app;
  app.name = "</script><img src=x onerror=alert(1)>";
  const std::string page = to_html(report_of(app));
  EXPECT_EQ(page.find("<img"), std::string::npos);
  EXPECT_NE(page.find("&lt;/script&gt;&lt;img"), std::string::npos);
}

TEST(Page, HasWhatItsFieldsAndFiguresNeed) {
  const auto data = nlohmann::json::parse(page_data(report_of({})));
  const auto& size = data.at("fields")[0];
  EXPECT_EQ(size.at("id"), "size-N");
  EXPECT_EQ(size.at("value"), "32M");
  EXPECT_EQ(size.at("hint"), "fitted: 1M to 32M");
  EXPECT_EQ(data.at("file"), "a study");
  EXPECT_EQ(data.at("runs").size(), 12U);
}

TEST(Page, AnswersAsThePredictionSays) {
  const Model model = report_of({}).model;
  const nlohmann::json asked = {{"file", "a study"}, {"machine", ""}, {"size-N", "64M"},
                                {"ranks", "2"},      {"network", ""}, {"ranks-per-host", ""},
                                {"deadline", "1h"}};
  std::string field;
  const auto answer_to = [&](const nlohmann::json& fields) {
    const nlohmann::json question = {{"fields", fields}, {"choices", {1, 2, 4}}};
    return nlohmann::json::parse(page_answer(model, question.dump(), field));
  };
  const nlohmann::json answer = answer_to(asked);
  EXPECT_EQ(field, "");
  EXPECT_EQ(answer.at("asked"), "N=64M on 2 ranks");
  EXPECT_EQ(answer.at("deadline"), (nlohmann::json{"yes", "Keeps 1h with 95 % probability."}));
  EXPECT_EQ(answer.at("grounds")[0], "N=64M is 2 times the largest that was fitted (32M)");
  EXPECT_EQ(answer.at("row").size(), kPlanHeads.size());
  const Plan plan = make_plan(model, {{{"N", 64 << 20}}, {1, 2, 4}, 3600, {}, 1e300, {}});
  EXPECT_EQ(answer.at("chosen"), plan.choices.at(plan.chosen.value()).prediction.ranks);
  const std::string options = " --size N=64M";
  EXPECT_EQ(answer.at("commands"),
            (nlohmann::json{"cleave predict 'a study' --ranks 2" + options,
                            "cleave plan 'a study' --deadline 1h" + options + " --slurm job.sh"}));
  for (int i = 0; i < 200; ++i) {
    const int ranks = 1 + i % 20;
    const std::int64_t n = 777777 + 1234567 * static_cast<std::int64_t>(i);
    nlohmann::json question = asked;
    question["ranks"] = std::to_string(ranks);
    question["size-N"] = std::to_string(n);
    const Prediction said = predict(model, ranks, {{"N", n}});
    const nlohmann::json found = answer_to(question);
    EXPECT_EQ(found.at("seconds"), said.seconds);
    EXPECT_EQ(found.at("low"), said.low);
    EXPECT_EQ(found.at("high"), said.high);
    EXPECT_EQ(found.at("state"), name_of(said.state));
  }
  for (const auto& [id, text] : std::vector<std::pair<std::string, std::string>>{
           {"size-N", "none"}, {"ranks", "-3"}, {"deadline", "soon"}}) {
    nlohmann::json wrong = asked;
    wrong[id] = text;
    EXPECT_THROW(answer_to(wrong), UsageError) << id;
    EXPECT_EQ(field, id);
  }
}

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

TEST(Text, OfATableHasUnitsInItsCells) {
  const Table table{.columns = {{"measured (s)", true}}, .rows = {{seconds(2.5e-6)}}};
  EXPECT_EQ(to_terminal(table), "measured\n  2.5 us\n");
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
