// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include <cleave/error.hpp>

#include "models/theory/law.hpp"

namespace cleave::models {

using namespace cleave::detail;
namespace {

TEST(Basis, IsEvaluatedAsWritten) {
  const NamedValues sizes = {{"N", 8}, {"M", 3}, {"K", 0.5}};
  const std::pair<const char*, double> kTable[] = {
      {"1", 1},       {"N", 8},          {"N*log2(N)", 24},     {"N*log2(N)^2", 72},
      {"N^2", 64},    {"N^1.5", 22.627}, {"N*M", 24},           {"M*log2(N)", 9},
      {"N^2/3", 4},   {"N^log2(3)", 27}, {"N^-1", 0.125},       {"N^log2(7)*log2(N)", 1029},
      {"log2(K)", 0}, {"N^0.25", 1.682}, {"log2(N)^0.5", 1.732}};
  for (const auto& [text, value] : kTable) {
    const std::optional<Basis> basis = Basis::parse(text);
    ASSERT_TRUE(basis) << text;
    EXPECT_EQ(basis->text(), text);
    EXPECT_NEAR((*basis)(sizes), value, 1e-3) << text;
  }
  EXPECT_EQ(Basis::parse("N*log2(K)*M")->sizes(), (std::set<std::string>{"K", "M", "N"}));
  for (const char* wrong : {"", "N*", "N**M", "log2(N", "hit(M/N)", "N^x", "N^0", "N^1/0", "1*N*",
                            "N^log2(1)", "N^11"}) {
    EXPECT_FALSE(Basis::parse(wrong)) << wrong;
  }
  try {
    (*Basis::parse("N*X"))(sizes);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "size X is not known, but N*X depends on it");
  }
}

TEST(Forms, ThePapersAreByApplicationSizes) {
  const std::vector<std::string> n = {"N"};
  const std::vector<std::string> graph = {"M", "N"};
  EXPECT_EQ(text_of(*paper_form(Block::divide, n)), "1,N");
  EXPECT_EQ(text_of(*paper_form(Block::sequential, n)), "1,N");
  EXPECT_EQ(text_of(*paper_form(Block::divide, graph)), "1,M");
  EXPECT_EQ(text_of(*paper_form(Block::combine, graph)), "1,N");
  EXPECT_EQ(text_of(*paper_form(Block::sequential, graph)), "1,N,M");
  EXPECT_FALSE(paper_form(Block::sequential, {"nodes"}));
  EXPECT_FALSE(paper_form(Block::skeleton, n));
}

std::vector<std::string> texts_of(const std::vector<PricedForm>& forms) {
  std::vector<std::string> texts;
  for (const PricedForm& priced : forms) {
    texts.push_back(text_of(priced.form));
  }
  return texts;
}

using Time = std::function<double(const NamedValues&)>;

/// The forms on trial for `time` at each of `values` of N, and of M where `has_m`.
std::vector<std::string> forms_of(const std::vector<double>& values, bool has_m, const Time& time) {
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
  return texts_of(candidate_forms(observations, Of::block));
}

bool has(const std::vector<std::string>& forms, const std::string& text) {
  return std::ranges::find(forms, text) != forms.end();
}

TEST(Forms, ShorterOnesComeFirstAndNoneTwice) {
  std::vector<std::string> forms =
      forms_of({1, 2, 4, 8, 16, 32, 64, 100}, true,
               [](const NamedValues& s) { return s.at("N") * s.at("M") + 10 * s.at("N"); });
  const auto terms = [](const std::string& text) { return std::ranges::count(text, ','); };
  EXPECT_TRUE(std::ranges::is_sorted(forms, {}, terms));
  EXPECT_LE(terms(forms.back()), 3) << "three products and a constant";
  for (const char* wanted :
       {"1", "N", "1,N", "N*log2(N)", "N^0.5", "N^1.5", "N^2*log2(N)", "N^3", "N^log2(3)", "M,N",
        "1,N^log2(7)", "N^2/3", "N^0.25*log2(N)", "M*N", "M*log2(N)", "M*N,N"}) {
    EXPECT_TRUE(has(forms, wanted)) << wanted;
  }
  std::ranges::sort(forms);
  EXPECT_EQ(std::ranges::adjacent_find(forms), forms.end());
}

TEST(Forms, APowerAboveOneNeedsAFactorOfFour) {
  const Time time = [](const NamedValues& s) { return s.at("N"); };
  EXPECT_FALSE(has(forms_of({1, 3.9}, false, time), "N^2"));
  EXPECT_TRUE(has(forms_of({1, 4}, false, time), "N^2"));
}

TEST(Forms, OfWhatIsMovedAreLinear) {
  EXPECT_EQ(texts_of(linear_forms({"N"})), (std::vector<std::string>{"1", "N", "1,N"}));
  EXPECT_EQ(linear_forms({}).size(), 1U);
  EXPECT_EQ(linear_forms({"M", "N"}).size(), 7U);
}

}  // namespace
}  // namespace cleave::models
