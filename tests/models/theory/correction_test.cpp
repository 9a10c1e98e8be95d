// SPDX-License-Identifier: Apache-2.0
#include "models/theory/correction.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>
#include <random>
#include <vector>

namespace cleave::models {
namespace {

Place at(int ranks, std::int64_t n) { return {.ranks = ranks, .sizes = {{"N", n}}}; }

TEST(Correction, DoublingsAreOfRanksThreadsAndSizesTogether) {
  EXPECT_EQ(doublings_between(at(2, 1 << 20), at(4, 1 << 18)), 3);
  Place of_two = at(1, 1000);
  of_two.threads = 8;
  of_two.sizes["M"] = 7;
  EXPECT_EQ(doublings_between(at(1, 1000), of_two), 3) << "a size that one lacks does not count";
}

/// Equations 2.25 and 2.26 with inverses, for a prior deviation.
Correction directly(const Place& place, const std::vector<Known>& residuals, double prior) {
  const auto ranks_apart = [](const Place& a, const Place& b) {
    return std::abs(std::log2(a.ranks) - std::log2(b.ranks));
  };
  double sum = 0;
  double weights = 0;
  for (std::size_t i = 0; i < residuals.size(); ++i) {
    for (std::size_t j = i + 1; j < residuals.size(); ++j) {
      const Place& a = residuals[i].place;
      const Place& b = residuals[j].place;
      const double ranks = ranks_apart(a, b);
      const double sizes = doublings_between(a, b) - ranks;
      const double weight = std::pow(std::exp(1), -ranks_apart(a, place) - ranks_apart(b, place)) *
                            (std::exp(-ranks) - std::exp(-ranks - sizes));
      sum += weight * residuals[i].value * residuals[j].value;
      weights += weight;
    }
  }
  const double lasting = weights > 0 && sum > 0 ? sum / weights : 0;
  const auto covariance = [&](const Place& a, const Place& b) {
    return prior * prior * std::exp(-doublings_between(a, b)) +
           lasting * std::exp(-ranks_apart(a, b));
  };
  const auto count = static_cast<Eigen::Index>(residuals.size());
  Eigen::MatrixXd all(count, count);
  Eigen::VectorXd to_place(count);
  Eigen::VectorXd values(count);
  for (Eigen::Index i = 0; i < count; ++i) {
    const Known& r = residuals[static_cast<std::size_t>(i)];
    for (Eigen::Index j = 0; j < count; ++j) {
      all(i, j) = covariance(r.place, residuals[static_cast<std::size_t>(j)].place);
    }
    all(i, i) += r.deviation * r.deviation;
    to_place[i] = covariance(r.place, place);
    values[i] = r.value;
  }
  const Eigen::MatrixXd inverse = all.inverse();
  return {.mean = to_place.dot(inverse * values),
          .deviation = std::sqrt(prior * prior + lasting - to_place.dot(inverse * to_place))};
}

TEST(Correction, IsThatOfTheFormulaWithInverses) {
  std::mt19937 random(3);
  std::uniform_int_distribution<int> doublings(0, 9);
  std::normal_distribution<double> normal;
  for (int draw = 0; draw < 50; ++draw) {
    std::vector<Known> residuals;
    for (int i = 0; i < 1 + draw % 12; ++i) {
      residuals.push_back({at(1 << doublings(random), 1000 << doublings(random)),
                           0.05 * normal(random), 0.03 + 0.02 * std::abs(normal(random))});
    }
    const Place place = at(1 << doublings(random), 1500 << doublings(random));
    constexpr double kPrior = 0.4;  // more than any residual, so that it holds
    const Correction expected = directly(place, residuals, kPrior);
    const Correction found = correction_at(place, residuals, kPrior);
    EXPECT_NEAR(found.mean, expected.mean, 1e-9);
    EXPECT_NEAR(found.deviation, expected.deviation, 1e-9);
  }
}

TEST(Correction, DominatesWhereItIsKnownAndFadesAway) {
  const std::vector<Known> one = {{at(8, 1 << 20), 0.2, 0.03}};
  const Correction there = correction_at(at(8, 1 << 20), one, 0.02);
  EXPECT_NEAR(there.mean, 0.2, 0.01) << "a law that is sure of itself is wrong there";
  EXPECT_LT(there.deviation, 0.031);
  const Correction next = correction_at(at(9, (1 << 20) + 1), one, 0.02);
  EXPECT_NEAR(next.mean, there.mean, 0.04);
  const Correction far = correction_at(at(8, 1 << 30), one, 0.1);
  EXPECT_NEAR(far.mean, 0, 1e-4);
  EXPECT_NEAR(far.deviation, 0.1, 1e-4);
  const Correction none = correction_at(at(8, 1), {}, 0.01);
  EXPECT_EQ(none.mean, 0);
  EXPECT_EQ(none.deviation, 0.01);
}

TEST(Correction, WhatAllSizesShareOnAsManyRanksIsCarriedOn) {
  std::vector<Known> known;
  for (int i = 0; i < 5; ++i) {
    known.push_back({at(1, 1024 << i), i % 2 == 0 ? 0.01 : -0.01, 0.02});
    known.push_back({at(2, 1024 << i), 0.3, 0.02});
  }
  const Correction far_on_two = correction_at(at(2, 1 << 24), known, 0.1);
  EXPECT_NEAR(far_on_two.mean, 0.3, 0.05);
  EXPECT_GT(far_on_two.deviation, 0.099) << "the laws are no surer far away";
  const Correction far_on_one = correction_at(at(1, 1 << 24), known, 0.1);
  EXPECT_NEAR(far_on_one.mean, 0, 0.05);
}

}  // namespace
}  // namespace cleave::models
