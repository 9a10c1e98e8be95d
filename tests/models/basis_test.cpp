#include "models/basis.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "models/forms.hpp"
#include "skeleton/trace/error.hpp"

namespace cleave {
namespace {

std::string mistake(const std::string& text) {
  try {
    parse_form(text);
  } catch (const UsageError& e) {
    return e.what();
  }
  return "none";
}

TEST(Basis, IsEvaluatedAsWritten) {
  const NamedValues sizes = {{"N", 8}, {"M", 3}};
  EXPECT_EQ(Basis::parse("1")(sizes), 1);
  EXPECT_EQ(Basis::parse("N")(sizes), 8);
  EXPECT_EQ(Basis::parse("N*log2(N)")(sizes), 24);
  EXPECT_EQ(Basis::parse("N*log2(N)^2")(sizes), 72);
  EXPECT_EQ(Basis::parse("N^2")(sizes), 64);
  EXPECT_DOUBLE_EQ(Basis::parse("N^1.5")(sizes), 8 * std::sqrt(8.0));
  EXPECT_EQ(Basis::parse("N*M")(sizes), 24);
  EXPECT_EQ(Basis::parse("M*log2(N)")(sizes), 9);
}

TEST(Basis, LogarithmOfNothingIsNothing) { EXPECT_EQ(Basis::parse("N*log2(N)")({{"N", 0}}), 0); }

TEST(Basis, IsReadBackAsWritten) {
  for (const char* text : {"1", "N", "N*log2(N)", "N*log2(N)^2", "N^1.5", "N*M", "tree_nodes"}) {
    EXPECT_EQ(Basis::parse(text).text(), text);
    EXPECT_EQ(Basis::parse(Basis::parse(text).text()), Basis::parse(text));
  }
}

TEST(Basis, MistakesAreNamedWithTheirPosition) {
  EXPECT_EQ(mistake(""), "'' is not a basis function: expected a size such as N at position 1");
  EXPECT_EQ(mistake("N*"), "'N*' is not a basis function: expected a size such as N at position 3");
  EXPECT_EQ(mistake("N**M"),
            "'N**M' is not a basis function: expected a size such as N at position 3");
  EXPECT_EQ(mistake("log2(N"), "'log2(N' is not a basis function: expected ')' at position 7");
  EXPECT_EQ(mistake("N^x"),
            "'N^x' is not a basis function: expected a power above 0 and at most 10 at position 3");
  EXPECT_EQ(
      mistake("N^-1"),
      "'N^-1' is not a basis function: expected a power above 0 and at most 10 at position 3");
  EXPECT_EQ(mistake("2*N"),
            "'2*N' is not a basis function: expected a size such as N at position 1");
  EXPECT_EQ(mistake("N M"),
            "'N M' is not a basis function: expected '*', '^' or the end at position 2");
  EXPECT_EQ(mistake("1,N,N"), "term N is given twice");
  EXPECT_EQ(mistake("1,"), "'' is not a basis function: expected a size such as N at position 1");
}

TEST(Basis, SaysWhichSizeIsMissing) {
  try {
    Basis::parse("N*M")({{"N", 1}});
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "size M is not known, but N*M depends on it");
  }
}

TEST(Forms, ThePapersAreByApplicationSizes) {
  EXPECT_EQ(text_of(*paper_form(Block::divide, {"N"})), "1,N");
  EXPECT_EQ(text_of(*paper_form(Block::combine, {"N"})), "1,N");
  EXPECT_EQ(text_of(*paper_form(Block::sequential, {"N"})), "1,N");
  EXPECT_EQ(text_of(*paper_form(Block::divide, {"M", "N"})), "1,M");
  EXPECT_EQ(text_of(*paper_form(Block::combine, {"M", "N"})), "1,N");
  EXPECT_EQ(text_of(*paper_form(Block::sequential, {"M", "N"})), "1,N,M");
  EXPECT_FALSE(paper_form(Block::sequential, {"nodes"}));
  EXPECT_FALSE(paper_form(Block::skeleton, {"N"}));
}

TEST(Forms, CandidatesOfOneSizeAreTwelveAndShorterOnesComeFirst) {
  std::vector<std::string> texts;
  for (const TrialForm& trial : candidate_forms({"N"})) {
    texts.push_back(text_of(trial.form));
  }
  EXPECT_EQ(texts, (std::vector<std::string>{"N", "N*log2(N)", "N*log2(N)^2", "N^1.5", "N^2", "1",
                                             "1,N", "1,N*log2(N)", "1,N*log2(N)^2", "1,N^1.5",
                                             "1,N^2", "N^0.5,N"}));
  EXPECT_EQ(candidate_forms({"N", "M"}).size(), 106U);
  EXPECT_EQ(candidate_forms({}).size(), 1U);
  EXPECT_EQ(linear_forms({"N"}).size(), 3U);
}

}  // namespace
}  // namespace cleave
