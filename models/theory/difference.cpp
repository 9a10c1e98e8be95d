// SPDX-License-Identifier: Apache-2.0
#include "models/theory/difference.hpp"

#include <algorithm>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <ranges>
#include <vector>

#include <cleave/trace/median.hpp>

#include "models/theory/law.hpp"
#include "models/theory/samples.hpp"

namespace cleave::models {

namespace {

/// Student's t of the logarithm of a side's time.
struct SideMean {
  double middle = 0;
  double variance = 0;  ///< of the middle
  double freedom = 1;
};

constexpr double kLeastFreedom = 0.1;  ///< where all rounds but one were disturbed

/// A value of each round, relative to what the first side takes, of the runs that both have.
std::vector<double> rounds_of(const TimesOfSide& side, const TimesOfSide& first,
                              const TimesOfSide& second) {
  std::map<int, std::vector<double>> rounds;
  for (const auto& [run, by_round] : side) {
    if (first.contains(run) && second.contains(run)) {
      const auto reference = std::views::values(first.at(run));
      const double unit = detail::median(std::vector<double>(reference.begin(), reference.end()));
      for (const auto& [round, seconds] : by_round) {
        if (unit > 0 && seconds > 0) {
          rounds[round].push_back(seconds / unit);
        }
      }
    }
  }
  std::vector<double> values;
  for (auto& [round, of_round] : rounds) {
    values.push_back(detail::median(std::move(of_round)));
  }
  return values;
}

SideMean mean_of(const std::vector<double>& rounds) {
  std::vector<Observation> observations;
  for (const double value : rounds) {
    observations.push_back({.value = value, .disturbed = chance_disturbed(rounds)});
  }
  const Law law = std::get<Law>(fit_law(std::move(observations), {{{Basis()}, 0}}));
  const Hypothesis& h = law.hypotheses.front();
  const double middle = h.coefficients[0];
  const double of_middle = h.covariance[0] / (middle * middle);
  const double variance = h.deviation * h.deviation;
  // That is (kFirmness kFloor^2 + squares) / (kFirmness + quiet rounds). Where the quiet rounds
  // differ more, they alone count.
  const double freedom = std::max(h.freedom - kFirmness, kLeastFreedom);
  const double squares = (h.freedom + 1) * variance - kFirmness * kFloor * kFloor;
  if (squares > freedom * variance) {
    return {std::log(middle), squares / freedom * of_middle, freedom};
  }
  return {std::log(middle), variance * of_middle, h.freedom};
}

}  // namespace

Difference difference_of(const TimesOfSide& first, const TimesOfSide& second, double probability) {
  const std::vector<double> before = rounds_of(first, first, second);
  const std::vector<double> after = rounds_of(second, first, second);
  Difference difference{.runs = static_cast<int>(std::ranges::count_if(
                            second, [&](const auto& run) { return first.contains(run.first); })),
                        .rounds = static_cast<int>(std::min(before.size(), after.size()))};
  if (difference.rounds == 0) {
    return difference;
  }
  const SideMean a = mean_of(before);
  const SideMean b = mean_of(after);
  const double middle = b.middle - a.middle;
  difference.ratio = std::exp(middle);
  if (difference.rounds < 2) {
    return difference;
  }
  constexpr double kNotKnown = 1e6;
  // Welch and Satterthwaite's degrees of freedom.
  const double variance = a.variance + b.variance;
  const double freedom =
      variance * variance /
      (a.variance * a.variance / a.freedom + b.variance * b.variance / b.freedom);
  const boost::math::students_t t(freedom);
  const double half = std::min(std::sqrt(variance) * quantile(complement(t, (1 - probability) / 2)),
                               std::log(kNotKnown));
  difference.low = std::exp(middle - half);
  difference.high = std::exp(middle + half);
  return difference;
}

}  // namespace cleave::models
