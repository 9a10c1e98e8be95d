// SPDX-License-Identifier: Apache-2.0
#include "models/theory/basis.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include <cleave/error.hpp>

#include "models/theory/candidate_forms.hpp"
#include "models/theory/catalogue.hpp"

namespace cleave::models {

using namespace cleave::detail;
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
  EXPECT_DOUBLE_EQ(Basis::parse("N^log2(3)")(sizes), 27);
}

const Curve kHalf{
    .name = "half", .size = "M", .per = "N", .ratios = {0.25, 1}, .values = {0.5, 0.75}};
const std::vector<Curve> kCurves = {kHalf};

TEST(Basis, ACurveIsOfTheRatioOfItsSizes) {
  const Basis basis = Basis::parse("N*half(M/N)^2", kCurves);
  EXPECT_DOUBLE_EQ(basis({{"N", 8}, {"M", 8}}), 8 * 0.75 * 0.75);
  EXPECT_DOUBLE_EQ(basis({{"N", 8}, {"M", 4}}), 8 * 0.625 * 0.625) << "halfway over log(ratio)";
  EXPECT_DOUBLE_EQ(basis({{"N", 8}, {"M", 800}}), 8 * 0.75 * 0.75) << "beyond the end";
  EXPECT_EQ(basis.text(), "N*half(M/N)^2");
  EXPECT_EQ(Basis::parse(basis.text(), kCurves), basis);
}

TEST(Basis, SizesAreThoseOfAllFactors) {
  EXPECT_EQ(Basis::parse("N*log2(K)*half(M/N)", kCurves).sizes(),
            (std::set<std::string>{"K", "M", "N"}));
  EXPECT_TRUE(Basis().sizes().empty());
}

TEST(Basis, IsReadBackAsWritten) {
  for (const char* text : {"1", "N", "N*log2(N)", "N*log2(N)^2", "N^1.5", "N*M", "tree_nodes",
                           "log2", "N^log2(3)", "N^log2(7)*log2(N)", "N^2/3", "N^0.25"}) {
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
  EXPECT_EQ(mistake("hit(M/N)"),
            "'hit(M/N)' is not a basis function: expected a size, log2 or a curve that the "
            "application declares at position 1");
  EXPECT_EQ(
      mistake("N^x"),
      "'N^x' is not a basis function: expected a power of -10 to 10 that is not 0 at position 3");
  EXPECT_EQ(
      mistake("N^0"),
      "'N^0' is not a basis function: expected a power of -10 to 10 that is not 0 at position 3");
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

std::vector<std::string> texts_of(const std::vector<PricedForm>& forms) {
  std::vector<std::string> texts;
  for (const PricedForm& priced : forms) {
    texts.push_back(text_of(priced.form));
  }
  return texts;
}

bool has(const std::vector<PricedForm>& forms, const std::string& text) {
  const std::vector<std::string> texts = texts_of(forms);
  return std::ranges::find(texts, text) != texts.end();
}

using Time = std::function<double(const NamedValues&)>;

/// `time` at each of `values` of N, and of M where `has_m`.
std::vector<Observation> grid(const std::vector<double>& values, bool has_m, const Time& time) {
  std::vector<Observation> observations;
  for (const double n : values) {
    for (const double m : has_m ? values : std::vector<double>{1}) {
      Observation& o = observations.emplace_back(Observation{.sizes = {{"N", n}}});
      if (has_m) {
        o.sizes["M"] = m;
      }
      o.value = time(o.sizes);
    }
  }
  return observations;
}

const std::vector<double> kWide = {1, 2, 4, 8, 16, 32, 64, 100};

TEST(Forms, ShorterOnesComeFirstAndNoneTwice) {
  const Time time = [](const NamedValues& s) { return s.at("N") * s.at("M") + 10 * s.at("N"); };
  const std::vector<PricedForm> forms = candidate_forms(grid(kWide, true, time), Of::block);
  EXPECT_TRUE(std::ranges::is_sorted(forms, {},
                                     [](const PricedForm& priced) { return priced.form.size(); }));
  EXPECT_LE(forms.back().form.size(), 4U) << "three products and a constant";
  std::vector<std::string> texts = texts_of(forms);
  std::ranges::sort(texts);
  EXPECT_EQ(std::ranges::adjacent_find(texts), texts.end());
  for (const char* wanted :
       {"1", "N", "1,N", "N*log2(N)", "N^0.5", "N^1.5", "N^2*log2(N)", "N^3", "N^log2(3)",
        "1,N^log2(7)", "N^2/3", "N^0.25*log2(N)", "M*N", "M*log2(N)", "M*N,N"}) {
    EXPECT_TRUE(has(forms, wanted)) << wanted;
  }
}

TEST(Forms, OfTwoSizesAreSums) {
  const Time time = [](const NamedValues& s) { return s.at("N") + 3 * s.at("M"); };
  const std::vector<PricedForm> forms = candidate_forms(grid(kWide, true, time), Of::block);
  EXPECT_TRUE(has(forms, "M,N"));
  EXPECT_TRUE(has(forms, "1,M,N"));
}

TEST(Forms, APowerAboveOneNeedsAFactorOfFour) {
  const Time time = [](const NamedValues& s) { return s.at("N"); };
  EXPECT_FALSE(has(candidate_forms(grid({1, 3.9}, false, time), Of::block), "N^2"));
  EXPECT_TRUE(has(candidate_forms(grid({1, 4}, false, time), Of::block), "N^2"));
}

TEST(Forms, DeclaredTermsComeAloneTogetherAndWithAnother) {
  const std::vector<Basis> declared = {Basis::parse("N*half(M/N)", kCurves), Basis::parse("N")};
  const Time time = [&](const NamedValues& s) { return declared.front()(s); };
  const std::vector<PricedForm> forms =
      candidate_forms(grid({1, 2}, true, time), Of::block, declared);
  EXPECT_TRUE(has(forms, "N*half(M/N)"));
  EXPECT_TRUE(has(forms, "N*half(M/N),M*log2(M)"));
  EXPECT_TRUE(has(forms, "N*half(M/N),N") || has(forms, "N,N*half(M/N)"));
}

TEST(Forms, OfWhatIsMovedAreLinear) {
  EXPECT_EQ(texts_of(linear_forms({"N"})), (std::vector<std::string>{"1", "N", "1,N"}));
  EXPECT_EQ(linear_forms({}).size(), 1U);
  EXPECT_EQ(linear_forms({"M", "N"}).size(), 7U);
}

}  // namespace
}  // namespace cleave::models
