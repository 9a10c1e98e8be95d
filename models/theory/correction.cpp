// SPDX-License-Identifier: Apache-2.0
#include "models/theory/correction.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <vector>

#include "models/theory/law.hpp"

namespace cleave::models {

namespace {

double doublings(double a, double b) { return a > 0 && b > 0 ? std::abs(std::log2(a / b)) : 0; }

double ranks_between(const Place& a, const Place& b) {
  return doublings(a.ranks, b.ranks) + doublings(a.threads, b.threads);
}

}  // namespace

double doublings_between(const Place& a, const Place& b) {
  double sum = ranks_between(a, b);
  for (const auto& [name, value] : a.sizes) {
    if (const auto other = b.sizes.find(name); other != b.sizes.end()) {
      sum += doublings(static_cast<double>(value), static_cast<double>(other->second));
    }
  }
  return sum;
}

Correction correction_at(const Place& place, std::span<const Known> known, double deviation) {
  constexpr std::size_t kMost = 64;
  constexpr double kLeast = 0.02;  // no law is known better
  if (known.empty()) {
    return {.deviation = deviation};
  }
  std::vector<Known> near(known.begin(), known.end());
  const auto from_place = [&](const Known& r) { return doublings_between(place, r.place); };
  std::ranges::stable_sort(near, {}, from_place);
  near.resize(std::min(kMost, near.size()));
  double lasting = 0;  // the variance of what residuals on as many ranks share at all sizes
  double weights_of_pairs = 1e-300;
  for (const Known& a : near) {
    for (const Known& b : near) {
      const double apart = ranks_between(place, a.place) + ranks_between(place, b.place);
      const double weight = std::exp(-apart) * (std::exp(-ranks_between(a.place, b.place)) -
                                                std::exp(-doublings_between(a.place, b.place)));
      lasting += weight * a.value * b.value;
      weights_of_pairs += weight;
    }
  }
  lasting = std::max(0.0, lasting / weights_of_pairs);
  double variance = std::pow(std::max(kLeast, deviation), 2);
  for (const Known& r : near) {
    variance = std::max(variance, std::exp(-from_place(r)) *
                                      (r.value * r.value - lasting - r.deviation * r.deviation));
  }
  const auto covariance_of = [&](const Place& a, const Place& b) {
    return lasting * std::exp(-ranks_between(a, b)) + variance * std::exp(-doublings_between(a, b));
  };
  Columns covariance;
  std::vector<double> with_place;
  std::vector<double> values;
  for (std::size_t i = 0; i < near.size(); ++i) {
    values.push_back(near[i].value);
    with_place.push_back(covariance_of(place, near[i].place));
    std::ranges::transform(near, std::back_inserter(covariance.emplace_back()),
                           [&](const Known& r) { return covariance_of(near[i].place, r.place); });
    covariance[i][i] += near[i].deviation * near[i].deviation + 1e-12 * variance;
  }
  const std::vector<double> weights = solve_symmetric(covariance, with_place);
  const auto sum_with = [&](const std::vector<double>& others) {
    return std::inner_product(weights.begin(), weights.end(), others.begin(), 0.0);
  };
  return {sum_with(values), std::sqrt(std::max(0.0, lasting + variance - sum_with(with_place)))};
}

}  // namespace cleave::models
