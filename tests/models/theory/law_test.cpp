// SPDX-License-Identifier: Apache-2.0
// The one fit, on observations of known laws, its forms, and least squares.
#include "models/theory/law.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

#include <cleave/error.hpp>

namespace cleave::models {
namespace {

using TrueLaw = std::function<double(const NamedValues&)>;

Observation observed(const NamedValues& sizes, double value, int ranks_per_host = 1) {
  Observation o{.ranks_per_host = ranks_per_host, .sizes = sizes, .value = value};
  for (const auto& [name, size] : sizes) {
    o.run_sizes[name] = static_cast<std::int64_t>(size);
  }
  return o;
}

/// `count` sizes N from 10,000 on, each `factor` times the one before.
std::vector<Observation> along(int count, double factor, const TrueLaw& truth, double noise = 0,
                               unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, noise);
  std::vector<Observation> observations;
  for (int i = 0; i < count; ++i) {
    const NamedValues sizes = {{"N", std::round(1e4 * std::pow(factor, i))}};
    observations.push_back(observed(sizes, truth(sizes) * std::exp(normal(random))));
  }
  return observations;
}

Law fitted(const std::vector<Observation>& observations) {
  return std::get<Law>(fit_law(observations, candidate_forms(observations)));
}

const std::vector<PricedForm> kLine = {{{Basis(), power("N", 1)}, 0}};

double far(const Law& law, double n, int ranks_per_host = 1) {
  return law.at({{"N", n}}, ranks_per_host).median;
}

void expect_near(const Estimate& estimate, double median, double low, double high) {
  constexpr double kExact = 2e-6;
  EXPECT_NEAR(estimate.median, median, kExact * median);
  EXPECT_NEAR(estimate.low, low, kExact * low);
  EXPECT_NEAR(estimate.high, high, kExact * high);
}

// The numbers of the three tests below are those of a second, independent implementation of
// docs/explanation/model.md, "The law", in Python.
TEST(Law, IsThatOfASecondImplementation) {
  const std::vector<Observation> rows = {
      observed({{"N", 1e5}}, 0.01672), observed({{"N", 2e5}}, 0.03520),
      observed({{"N", 4e5}}, 0.0746), observed({{"N", 8e5}}, 0.1571),
      observed({{"N", 16e5}}, 0.3301)};
  const Law law = fitted(rows);
  EXPECT_EQ(law.text(), "N*log2(N)");
  EXPECT_EQ(law.hypotheses.size(), 4U);
  expect_near(law.at({{"N", 4e6}}), 0.8786462611, 0.8347720052, 0.9249785247);
  expect_near(law.at({{"N", 64e5}}), 1.4492442618, 1.3679860507, 1.5360412539);
}

TEST(Law, IsThatOfASecondImplementationWhereRanksShareAHost) {
  const std::vector<double> alone = {0.0101, 0.0199, 0.0402, 0.0799, 0.1603};
  const std::vector<double> shared = {.0122, .0240, .0481, .0960, .1918};
  std::vector<Observation> rows;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const double n = 1e5 * std::pow(2, i);
    rows.push_back(observed({{"N", n}}, alone[i]));
    rows.push_back(observed({{"N", n}}, shared[i], 2));
  }
  const Law law = fitted(rows);
  expect_near(law.at({{"N", 64e5}}, 1), 0.6404645511, 0.6122229444, 0.6701171733);
  expect_near(law.at({{"N", 64e5}}, 2), 0.7696373455, 0.7356997994, 0.8052704893);
  EXPECT_EQ(far(law, 64e5, 64), far(law, 64e5, 2)) << "as of the nearest that was measured";
}

TEST(Law, IsThatOfASecondImplementationOfTwoSizes) {
  std::vector<Observation> rows;
  for (const double n : {1e5, 2e5, 4e5, 8e5}) {
    for (const double ratio : {1, 2, 4}) {
      const double noise = 1 + 0.01 * (static_cast<int>(rows.size()) * 7 % 5 - 2);
      rows.push_back(observed({{"N", n}, {"M", ratio * n}}, 1e-7 * (3 * n + ratio * n) * noise));
    }
  }
  const NamedValues far_away = {{"N", 32e5}, {"M", 64e5}};
  const Estimate likely = fitted(rows).at(far_away);
  EXPECT_NEAR(likely.median, 1.597435662, 2e-3) << "by the forms that a search finds, not by all";
  EXPECT_NEAR(likely.low, 1.4909423487, 2e-3);
  EXPECT_NEAR(likely.high, 1.7213546051, 2e-3);
}

TEST(Law, SaysSomethingOfNoBytes) {
  std::vector<Observation> rows;
  for (const double bytes : {1e3, 1e4, 1e5, 1e6}) {
    rows.push_back(observed({{"bytes", bytes}}, 1e-6 + 1e-10 * bytes));
  }
  const Estimate none = std::get<Law>(fit_law(rows, linear_forms({"bytes"}))).at({{"bytes", 0}});
  EXPECT_NEAR(none.median, 1e-6, 1e-7);
  EXPECT_GT(none.low, 1e-7);
  EXPECT_LT(none.high, 1e-5);
}

const TrueLaw kNLogN = [](const NamedValues& s) {
  return 4e-10 * s.at("N") * std::log2(s.at("N"));
};

TEST(Law, FindsWhatMadeTheTimes) {
  const std::vector<std::pair<std::string, TrueLaw>> laws = {
      {"N", [](const NamedValues& s) { return 3e-9 * s.at("N"); }},
      {"N*log2(N)", kNLogN},
      {"N^2", [](const NamedValues& s) { return 1e-15 * s.at("N") * s.at("N"); }},
      {"N^log2(3)", [](const NamedValues& s) { return 1e-12 * std::pow(s.at("N"), std::log2(3)); }},
      {"1,N", [](const NamedValues& s) { return 1e-3 + 1e-8 * s.at("N"); }},
      {"1", [](const NamedValues&) { return 2e-3; }}};
  for (const auto& [text, truth] : laws) {
    const Law law = fitted(along(7, 2, truth));
    EXPECT_EQ(law.text(), text);
    EXPECT_NEAR(far(law, 1e7), truth({{"N", 1e7}}), 0.02 * truth({{"N", 1e7}})) << text;
  }
}

TEST(Law, OfOneFormTakesNoCoefficientBelowZero) {
  const TrueLaw truth = [](const NamedValues& s) {
    return std::max(1e-9, 3e-9 * s.at("N") - 1e-5);
  };
  const std::vector<Observation> rows = along(6, 2, truth);
  for (const Weights weights : {Weights::relative, Weights::ordinary}) {
    const Law law = std::get<Law>(fit_law(rows, kLine, weights));
    ASSERT_EQ(law.hypotheses.size(), 1U);
    EXPECT_EQ(law.hypotheses.front().coefficients[0], 0);
    EXPECT_NEAR(law.hypotheses.front().coefficients[1], 3e-9, 6e-10);
  }
}

TEST(Law, ByOrdinaryLeastSquaresFollowsTheLargestRuns) {
  std::vector<Observation> rows =
      along(6, 2, [](const NamedValues& s) { return 1e-5 + 3e-9 * s.at("N"); });
  rows.front().value *= 3;
  const auto slope = [&](Weights weights) {
    return std::get<Law>(fit_law(rows, kLine, weights)).hypotheses.front().coefficients[1];
  };
  // By hand: the smallest of six sizes is off by d; the slope of ordinary least squares changes by
  // d (x - mean) / sum of squares.
  double mean = 0;
  double squares = 0;
  for (const Observation& o : rows) {
    mean += o.sizes.at("N") / 6;
  }
  for (const Observation& o : rows) {
    squares += std::pow(o.sizes.at("N") - mean, 2);
  }
  const double d = rows.front().value * 2 / 3;
  const double expected = 3e-9 + d * (rows.front().sizes.at("N") - mean) / squares;
  EXPECT_NEAR(slope(Weights::ordinary), expected, 1e-6 * expected);
}

TEST(Law, RefusesWhatDeterminesNothing) {
  const std::vector<Observation> two =
      along(2, 2, [](const NamedValues& s) { return 3e-9 * s.at("N"); });
  EXPECT_EQ(std::get<Refusal>(fit_law(two, kLine)).reason,
            "runs at 2 different sizes for 2 coefficients (1, N): at least 3 are needed");
  EXPECT_TRUE(std::holds_alternative<Refusal>(fit_law({}, {{{Basis()}, 0}})));
}

TEST(Basis, IsEvaluatedAsWritten) {
  const NamedValues sizes = {{"N", 8}, {"M", 3}, {"K", 0.5}};
  const auto product = [](const Basis& a, const Basis& b) {
    std::vector<Basis::Factor> factors = a.factors();
    factors.insert(factors.end(), b.factors().begin(), b.factors().end());
    return Basis(factors);
  };
  const Basis n = power("N", 1);
  const std::tuple<Basis, const char*, double> kTable[] = {
      {Basis(), "1", 1},
      {n, "N", 8},
      {power("N", 1, 1), "N*log2(N)", 24},
      {power("N", 1, 2), "N*log2(N)^2", 72},
      {power("N", 2), "N^2", 64},
      {power("N", 1.5), "N^1.5", 22.627},
      {product(n, power("M", 1)), "N*M", 24},
      {product(power("M", 1), power("N", 0, 1)), "M*log2(N)", 9},
      {power("N", 2.0 / 3), "N^2/3", 4},
      {power("N", std::log2(3)), "N^log2(3)", 27},
      {power("N", -1), "N^-1", 0.125},
      {power("N", std::log2(7), 1), "N^log2(7)*log2(N)", 1029},
      {power("K", 0, 1), "log2(K)", 0},
      {power("N", 0.25), "N^0.25", 1.682}};
  for (const auto& [basis, text, value] : kTable) {
    EXPECT_EQ(basis.text(), text);
    EXPECT_NEAR(basis(sizes), value, 1e-3) << text;
  }
  const Basis unknown = product(n, power("X", 1));
  EXPECT_EQ(unknown.sizes(), (std::set<std::string>{"N", "X"}));
  try {
    unknown(sizes);
    FAIL();
  } catch (const Error& e) {
    EXPECT_STREQ(e.what(), "size X is not known, but N*X depends on it");
  }
}

std::vector<std::string> texts_of(const std::vector<PricedForm>& forms) {
  std::vector<std::string> texts;
  for (const PricedForm& priced : forms) {
    texts.push_back(text_of(priced.form));
  }
  return texts;
}

/// The forms on trial for `time` at each of `values` of N, and of M where `has_m`.
std::vector<std::string> forms_of(const std::vector<double>& values, bool has_m,
                                  const TrueLaw& time) {
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
  return texts_of(candidate_forms(observations));
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
       {"1", "N", "1,N", "N*log2(N)", "N^0.5", "N^1.5", "N^2*log2(N)", "N^3", "N^log2(3)",
        "1,N^log2(7)", "N^2/3", "N^0.25*log2(N)", "M*log2(N)", "M*N,N"}) {
    EXPECT_TRUE(has(forms, wanted)) << wanted;
  }
  std::ranges::sort(forms);
  EXPECT_EQ(std::ranges::adjacent_find(forms), forms.end());
}

TEST(Forms, APowerAboveOneNeedsAFactorOfFour) {
  const TrueLaw time = [](const NamedValues& s) { return s.at("N"); };
  EXPECT_FALSE(has(forms_of({1, 3.9}, false, time), "N^2"));
  EXPECT_TRUE(has(forms_of({1, 4}, false, time), "N^2"));
}

TEST(Forms, OfWhatIsMovedAreLinear) {
  EXPECT_EQ(texts_of(linear_forms({"N"})), (std::vector<std::string>{"1", "N", "1,N"}));
  EXPECT_EQ(linear_forms({}).size(), 1U);
  EXPECT_EQ(linear_forms({"M", "N"}).size(), 7U);
}

const std::vector<double> kOnes(4, 1);

TEST(LeastSquares, HasTheLineAndErrorsOfTheTextbook) {
  // Points (1,1) (2,3) (3,2) (4,5): slope 1.1, constant 0.
  const Columns columns = {kOnes, {1, 2, 3, 4}};
  const Solution found = solve(kOnes, columns, std::vector<double>{1, 3, 2, 5});
  EXPECT_NEAR(found.coefficients[0], 0, 1e-9);
  EXPECT_NEAR(found.coefficients[1], 1.1, 1e-9);
  EXPECT_NEAR(found.covariance[0], 30.0 / 20, 1e-9);
  EXPECT_NEAR(found.covariance[3], 1.0 / 5, 1e-9);
  EXPECT_NEAR(found.covariance[1], -2.5 / 5, 1e-9);
  const std::vector<double> first_two = {1, 1, 0, 0};
  EXPECT_NEAR(solve(first_two, columns, std::vector<double>{1, 3, 2, 5}).coefficients[1], 2, 1e-6);
}

double squares(const Columns& columns, const std::vector<double>& x,
               const std::vector<double>& measured) {
  double sum = 0;
  for (std::size_t row = 0; row < measured.size(); ++row) {
    double left = measured[row];
    for (std::size_t j = 0; j < x.size(); ++j) {
      left -= columns[j][row] * x[j];
    }
    sum += left * left;
  }
  return sum;
}

/// No step along any coefficient, or two of them, that keeps them non-negative leaves less.
TEST(LeastSquares, NonNegativeSolutionIsTheBest) {
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const std::vector<double> weights(9, 1);
  for (int trial = 0; trial < 200; ++trial) {
    Columns columns(1 + trial % 4, std::vector<double>(9));
    std::vector<double> measured(9);
    std::ranges::generate(measured, [&] { return normal(random); });
    for (std::vector<double>& column : columns) {
      std::ranges::generate(column, [&] { return normal(random); });
    }
    const std::vector<double> found = solve_non_negative(weights, columns, measured);
    EXPECT_GE(std::ranges::min(found), 0);
    const double least = squares(columns, found, measured);
    for (int step = 0; step < 50; ++step) {
      std::vector<double> other = found;
      for (double& x : other) {
        x = std::max(0.0, x + 0.01 * normal(random));
      }
      EXPECT_GE(squares(columns, other, measured), least - 1e-9);
    }
  }
  const Columns dependent = {{1, 2, 3, 0}, {2, 4, 6, 0}};
  const std::vector<double> found =
      solve_non_negative(kOnes, dependent, std::vector<double>{4, 8, 12, 0});
  EXPECT_NEAR(found[0] + 2 * found[1], 4, 1e-6) << "one of dependent columns is enough";
}

TEST(LeastSquares, RefusesDependentColumnsByName) {
  std::vector<Observation> rows;
  for (const double n : {1e5, 2e5, 4e5, 9e5}) {
    rows.push_back(observed({{"N", n}, {"M", 2 * n}}, 1));
  }
  const Form form = {Basis(), power("N", 1), power("M", 1)};
  const std::optional<Refusal> refusal = refuse_dependent(form, rows, 3);
  ASSERT_TRUE(refusal);
  EXPECT_TRUE(refusal->reason.starts_with("columns N and M are dependent:")) << refusal->reason;
  EXPECT_FALSE(refuse_dependent(form, rows, 2)) << "two are enough";
}

TEST(LeastSquares, NamesTheColumnsThatDependOnEachOther) {
  using Indices = std::vector<std::size_t>;
  Columns columns = {kOnes, {1e5, 2e5, 4e5, 9e5}, {2e5, 4e5, 8e5, 18e5}};
  EXPECT_EQ(dependent_columns(columns, 3), (Indices{1, 2}));
  EXPECT_EQ(dependent_columns(columns, 2), Indices{}) << "two are enough";
  columns[2][0] = 7e5;
  EXPECT_EQ(dependent_columns(columns, 3), Indices{});
  EXPECT_EQ(dependent_columns({kOnes, {1, 2, 3, 9}, {5, 7, 9, 21}}, 3), (Indices{0, 1, 2}));
  EXPECT_EQ(dependent_columns({kOnes, {5, 5, 5, 5}}, 2), (Indices{0, 1}));
}

}  // namespace
}  // namespace cleave::models
