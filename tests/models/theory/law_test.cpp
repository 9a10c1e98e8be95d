// SPDX-License-Identifier: Apache-2.0
// The one fit, on observations of known laws, and what its answers do not depend on.
#include "models/theory/law.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>

namespace cleave::models {
namespace {

using TrueLaw = std::function<double(const NamedValues&)>;

Observation observed(const NamedValues& sizes, double value, double disturbed = 0.005,
                     int ranks_per_host = 1) {
  Observation o{
      .ranks_per_host = ranks_per_host, .sizes = sizes, .value = value, .disturbed = disturbed};
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
  return std::get<Law>(fit_law(observations, candidate_forms(observations, Of::block)));
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
TEST(Law, IsThatOfASecondImplementationWhereARunWasDisturbed) {
  const std::vector<Observation> rows = {
      observed({{"N", 1e5}}, 0.01672), observed({{"N", 2e5}}, 0.03520),
      observed({{"N", 4e5}}, 0.0746), observed({{"N", 8e5}}, 0.2371, 0.2),
      observed({{"N", 16e5}}, 0.3301)};
  const Law law = fitted(rows);
  EXPECT_EQ(law.text(), "N*log2(N)");
  EXPECT_EQ(law.hypotheses.size(), 4U);
  expect_near(law.at({{"N", 4e6}}), 0.8790412347, 0.8434101313, 0.916961098);
  expect_near(law.at({{"N", 64e5}}), 1.449950347, 1.391100257, 1.513523713);
}

TEST(Law, IsThatOfASecondImplementationWhereRanksShareAHost) {
  const std::vector<double> alone = {0.0101, 0.0199, 0.0402, 0.0799, 0.1603};
  const std::vector<double> shared = {.0122, .0240, .0481, .0960, .1918};
  std::vector<Observation> rows;
  for (std::size_t i = 0; i < alone.size(); ++i) {
    const double n = 1e5 * std::pow(2, i);
    rows.push_back(observed({{"N", n}}, alone[i], 0.1));
    rows.push_back(observed({{"N", n}}, shared[i], 0.1, 2));
  }
  const Law law = fitted(rows);
  expect_near(law.at({{"N", 64e5}}, 1), 0.6404763475, 0.6231468532, 0.6582126011);
  expect_near(law.at({{"N", 64e5}}, 2), 0.7696442364, 0.7488224486, 0.7909563644);
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
  EXPECT_NEAR(likely.low, 1.540022514, 2e-3);
  EXPECT_NEAR(likely.high, 1.672297932, 2e-3);
}

const TrueLaw kNLogN = [](const NamedValues& s) {
  return 4e-10 * s.at("N") * std::log2(s.at("N"));
};

TEST(Law, DoesNotDependOnTheOrderOfRows) {
  std::vector<Observation> rows = along(8, 2, kNLogN, 0.03);
  const Estimate before = fitted(rows).at({{"N", 1e8}});
  std::mt19937 random(3);
  for (int i = 0; i < 5; ++i) {
    std::ranges::shuffle(rows, random);
    const Estimate after = fitted(rows).at({{"N", 1e8}});
    EXPECT_EQ(before.median, after.median);
    EXPECT_EQ(before.low, after.low);
    EXPECT_EQ(before.high, after.high);
  }
}

TEST(Law, ScalesWithTheUnitOfTime) {
  const std::vector<Observation> rows = along(8, 2, kNLogN, 0.03);
  const Estimate seconds = fitted(rows).at({{"N", 1e8}});
  const auto in_units = [&](double unit) {
    std::vector<Observation> scaled = rows;
    for (Observation& o : scaled) {
      o.value *= unit;
    }
    return fitted(scaled).at({{"N", 1e8}});
  };
  for (const double unit : {0x1p-40, 0x1p10, 0x1p60}) {
    EXPECT_EQ(in_units(unit).median, unit * seconds.median) << unit;
    EXPECT_EQ(in_units(unit).low, unit * seconds.low) << unit;
    EXPECT_EQ(in_units(unit).high, unit * seconds.high) << unit;
  }
  EXPECT_NEAR(in_units(1000).median, 1000 * seconds.median, 1e-11 * 1000 * seconds.median);
}

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

}  // namespace
}  // namespace cleave::models
