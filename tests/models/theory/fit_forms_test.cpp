// SPDX-License-Identifier: Apache-2.0
// What is fitted to observations of known laws.
#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "models/theory/catalogue.hpp"
#include "models/theory/form_fit.hpp"

namespace cleave::models {
namespace {

using Law = std::function<double(const NamedValues&)>;

std::vector<Observation> observed(const std::vector<NamedValues>& sizes, const Law& law,
                                  double noise = 0, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, noise);
  std::vector<Observation> observations;
  for (const NamedValues& at : sizes) {
    NamedSizes run;
    for (const auto& [name, value] : at) {
      run[name] = static_cast<std::int64_t>(value);
    }
    observations.push_back({.run_sizes = run,
                            .sizes = at,
                            .value = law(at) * std::exp(normal(random)),
                            .deviation = noise});
  }
  return observations;
}

std::vector<NamedValues> line_of_sizes(int count, double factor) {
  std::vector<NamedValues> sizes;
  for (int i = 0; i < count; ++i) {
    sizes.push_back({{"N", std::round(1e4 * std::pow(factor, i))}});
  }
  return sizes;
}

Fit fitted(const std::vector<Observation>& observations, const Mechanisms& mechanisms = {}) {
  const std::vector<Form> forms =
      candidate_forms(varying_sizes(observations), ranges_of(observations), {});
  return std::get<Fit>(fit_forms(observations, forms, Weights::relative, mechanisms));
}

double at(const Fit& fit, double n) { return fit({{"N", n}}, kOneKind); }

TEST(FitForms, FindsTheLawThatMadeTheTimes) {
  const std::vector<std::pair<std::string, Law>> laws = {
      {"N", [](const NamedValues& s) { return 3e-9 * s.at("N"); }},
      {"N*log2(N)", [](const NamedValues& s) { return 4e-10 * s.at("N") * std::log2(s.at("N")); }},
      {"N^2", [](const NamedValues& s) { return 1e-15 * s.at("N") * s.at("N"); }},
      {"N^log2(3)", [](const NamedValues& s) { return 1e-12 * std::pow(s.at("N"), std::log2(3)); }},
      {"1,N", [](const NamedValues& s) { return 1e-3 + 1e-8 * s.at("N"); }},
      {"1", [](const NamedValues&) { return 2e-3; }}};
  for (const auto& [text, law] : laws) {
    EXPECT_EQ(fitted(observed(line_of_sizes(7, 2), law)).text(), text);
  }
}

TEST(FitForms, PredictsBeyondTheSizesDespiteNoise) {
  const Law law = [](const NamedValues& s) { return 4e-10 * s.at("N") * std::log2(s.at("N")); };
  int within = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Fit fit = fitted(observed(line_of_sizes(7, 2), law, 0.02, seed));
    const double n = 4 * fit.range.at("N").second;
    within += std::abs(at(fit, n) / law({{"N", n}}) - 1) < 0.1 ? 1 : 0;
  }
  EXPECT_GE(within, 32);
}

TEST(FitForms, FormsThatPredictAsWellArePlausibleToo) {
  const Law law = [](const NamedValues& s) { return 3e-9 * s.at("N"); };
  int several = 0;
  for (unsigned seed = 1; seed <= 20; ++seed) {
    const std::vector<Observation> narrow = observed(line_of_sizes(6, 1.2), law, 0.05, seed);
    const Fit fit = fitted(narrow);
    several += fit.forms.size() > 1 ? 1 : 0;
    EXPECT_LE(fit.forms.size(), 16U);
    EXPECT_EQ(fitted(narrow, {.plausible = false}).forms.size(), 1U);
  }
  EXPECT_GE(several, 10) << "sizes that are close together tell little";
}

TEST(FitForms, NoisySizesCountLess) {
  const Law law = [](const NamedValues& s) { return 3e-9 * s.at("N"); };
  std::vector<Observation> observations = observed(line_of_sizes(6, 2), law);
  observations.front().value *= 2;
  observations.front().deviation = 0.5;
  const std::vector<Form> line = {parse_form("N")};
  const auto slope = [&](const Mechanisms& mechanisms) {
    return at(std::get<Fit>(fit_forms(observations, line, Weights::relative, mechanisms)), 1);
  };
  EXPECT_NEAR(slope({}), 3e-9, 1e-11);
  EXPECT_GT(std::abs(slope({.precision = false}) / 3e-9 - 1), 0.02);
}

TEST(FitForms, KindsHaveCoefficientsOfTheirOwn) {
  const Law law = [](const NamedValues& s) { return 3e-9 * s.at("N"); };
  std::vector<Observation> observations = observed(line_of_sizes(6, 2), law);
  for (Observation o : observed(line_of_sizes(6, 2), law)) {
    o.kind = 2;
    o.value *= 1.5;
    observations.push_back(o);
  }
  // Of a third kind one run only, which is twice as slow.
  Observation one = observations.front();
  one.kind = 4;
  one.value *= 2;
  observations.push_back(one);
  const Fit fit = fitted(observations);
  EXPECT_NEAR(fit({{"N", 1e6}}, 1), 3e-3, 1e-6);
  EXPECT_NEAR(fit({{"N", 1e6}}, 2), 4.5e-3, 1e-6);
  EXPECT_NEAR(fit({{"N", 1e6}}, 4), 6e-3, 1e-6);
  EXPECT_NEAR(fit({{"N", 1e6}}, 64), 6e-3, 1e-6) << "the nearest";
}

TEST(FitForms, ReplicatesSpreadAsTheRunsDo) {
  const Law law = [](const NamedValues& s) { return 3e-9 * s.at("N"); };
  const std::vector<Form> line = {parse_form("N")};
  const auto spread = [&](double noise, const Mechanisms& mechanisms) {
    const Fit fit = std::get<Fit>(fit_forms(observed(line_of_sizes(12, 1.5), law, noise), line,
                                            Weights::relative, mechanisms));
    return fit.standard_errors(kOneKind)[0] / fit.coefficients.at(kOneKind)[0];
  };
  EXPECT_LT(spread(0, {}), 1e-6);
  EXPECT_LT(spread(0.05, {.resampling = false}), 1e-6);
  // 5 % each, in twelve runs.
  EXPECT_NEAR(spread(0.05, {}), 0.05 / std::sqrt(12), 0.7 * 0.05 / std::sqrt(12));
}

TEST(FitForms, RefusesWhatDeterminesNothing) {
  const Law law = [](const NamedValues& s) { return 3e-9 * s.at("N"); };
  const std::vector<Observation> two = observed(line_of_sizes(2, 2), law);
  const auto refused = fit_forms(two, {parse_form("1,N")}, Weights::relative, {});
  EXPECT_EQ(std::get<Refusal>(refused).reason,
            "runs at 2 different sizes for 2 coefficients (1, N): at least 3 are needed");
  EXPECT_TRUE(
      std::holds_alternative<Refusal>(fit_forms({}, {parse_form("1")}, Weights::relative, {})));
}

TEST(FitForms, FewSizesHaveFewTerms) {
  const Law law = [](const NamedValues& s) { return 1e-3 + 3e-9 * s.at("N"); };
  for (int count = 1; count <= 4; ++count) {
    const std::vector<Observation> observations = observed(line_of_sizes(count, 4), law);
    const Fit fit = fitted(observations);
    for (const Observation& o : observations) {
      EXPECT_GT(fit(o.sizes, kOneKind), 0) << count;
    }
  }
}

TEST(FitForms, OfThreeNoisySizesIsNotFarOffBeyondThem) {
  const Law law = [](const NamedValues& s) { return 4e-10 * s.at("N") * std::log2(s.at("N")); };
  int near = 0;
  for (unsigned seed = 1; seed <= 40; ++seed) {
    const Fit fit = fitted(observed(line_of_sizes(3, 4), law, 0.05, seed));
    const double n = 32 * fit.range.at("N").second;
    near += std::abs(std::log(at(fit, n) / law({{"N", n}}))) < std::log(1.5) ? 1 : 0;
  }
  EXPECT_GE(near, 38);
}

TEST(WeightOfRun, HasTheMeanAndSpreadOfAnExponentialLaw) {
  double sum = 0;
  double squares = 0;
  constexpr int kRuns = 20000;
  for (int i = 0; i < kRuns; ++i) {
    const double weight = weight_of_run({{"N", i}}, 7);
    sum += weight;
    squares += weight * weight;
  }
  EXPECT_NEAR(sum / kRuns, 1, 0.03);
  EXPECT_NEAR(squares / kRuns, 2, 0.1);
  EXPECT_EQ(weight_of_run({{"N", 3}}, 1), weight_of_run({{"N", 3}}, 1));
  EXPECT_NE(weight_of_run({{"N", 3}}, 1), weight_of_run({{"N", 3}}, 2));
}

}  // namespace
}  // namespace cleave::models
