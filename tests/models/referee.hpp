// SPDX-License-Identifier: Apache-2.0
// The referee of fits: times made from known coefficients, with noise and with runs that something
// disturbed, are fitted, and what was fitted is held against the coefficients.
#pragma once

#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "models/theory/catalogue.hpp"
#include "models/theory/form_fit.hpp"
#include "models/theory/statistics.hpp"

namespace cleave::models {

using namespace cleave::detail;

/// A block whose time is known: 5 repetitions at 6 sizes over two decades.
struct Truth {
  std::string form;
  std::vector<double> coefficients;
};

inline constexpr double kNoise = 0.05;
/// Part of the runs that take 1.5 to 5 times as long.
inline constexpr double kNoisyPart = 0.02;
inline constexpr int kSizes = 6;
inline constexpr int kRepetitions = 5;

/// Every form of the catalogue of one size. A constant is as much as the rest at the smallest size.
inline std::vector<Truth> truths() {
  return {{"N", {3e-9}},
          {"N*log2(N)", {4e-10}},
          {"N^1.5", {2e-12}},
          {"N^log2(3)", {1e-12}},
          {"N^2", {1e-15}},
          {"1,N", {1e-3, 1e-8}},
          {"1,N*log2(N)", {1e-3, 6e-10}},
          {"1,N^2", {1e-2, 1e-12}}};
}

inline double time_of(const Truth& truth, double n) {
  const Form form = parse_form(truth.form);
  double seconds = 0;
  for (std::size_t i = 0; i < form.size(); ++i) {
    seconds += truth.coefficients[i] * form[i]({{"N", n}});
  }
  return seconds;
}

/// Sizes from 1e5 to 1e7 in equal ratios.
inline double size_at(int i) { return std::round(1e5 * std::pow(100.0, i / (kSizes - 1.0))); }

inline std::vector<Observation> draw_observations(const Truth& truth, std::mt19937& random) {
  std::normal_distribution<double> noise(0, kNoise);
  std::uniform_real_distribution<double> uniform;
  std::vector<Observation> observations;
  for (int i = 0; i < kSizes; ++i) {
    const double n = size_at(i);
    Observation o{.run_sizes = {{"N", static_cast<std::int64_t>(n)}}, .sizes = {{"N", n}}};
    std::vector<double> repetitions;
    for (int r = 0; r < kRepetitions; ++r) {
      const double disturbed = uniform(random) < kNoisyPart ? 1.5 + 3.5 * uniform(random) : 1;
      repetitions.push_back(time_of(truth, n) * (1 + noise(random)) * disturbed);
    }
    o.value = median(repetitions);
    o.deviation = relative_spread(repetitions) / std::sqrt(kRepetitions);
    observations.push_back(std::move(o));
  }
  return observations;
}

struct RefereeCounts {
  int draws = 0;
  int within_3_percent = 0;            ///< dominant coefficients, the basis given
  double median_error = 0;             ///< of the dominant coefficient, relative
  int right_basis = 0;                 ///< chosen as the truth has it
  int predicted_within_5_percent = 0;  ///< times by the form chosen, of `predicted_of`
  int predicted_of = 0;
};

/// Fits `draws` draws of each truth in turn, seeded.
inline RefereeCounts referee(int draws, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, kNoise);
  std::uniform_real_distribution<double> uniform;
  RefereeCounts counts;
  std::vector<double> errors;
  for (int draw = 0; draw < draws; ++draw) {
    const std::vector<Truth> all = truths();
    const Truth& truth = all[static_cast<std::size_t>(draw) % all.size()];
    const std::vector<Observation> observations = draw_observations(truth, random);
    const Fit given =
        std::get<Fit>(fit_forms(observations, {parse_form(truth.form)}, Weights::relative, {}));
    const Fit chosen = std::get<Fit>(fit_forms(
        observations, candidate_forms({"N"}, ranges_of(observations), {}), Weights::relative, {}));
    const Eigen::VectorXd& coefficients = given.coefficients.at(kOneKind);
    const double error =
        std::abs(coefficients[coefficients.size() - 1] / truth.coefficients.back() - 1);
    errors.push_back(error);
    ++counts.draws;
    counts.within_3_percent += error <= 0.03 ? 1 : 0;
    counts.right_basis += chosen.text() == truth.form ? 1 : 0;
    for (int i = 0; i < 5; ++i) {
      const NamedValues at = {{"N", 1e5 * std::pow(100.0, uniform(random))}};
      counts.predicted_within_5_percent +=
          std::abs(chosen(at, kOneKind) / time_of(truth, at.at("N")) - 1) <= 0.05 ? 1 : 0;
      ++counts.predicted_of;
    }
  }
  counts.median_error = median(errors);
  return counts;
}

}  // namespace cleave::models
