// SPDX-License-Identifier: Apache-2.0
#include "models/theory/correction.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include "models/theory/law.hpp"

namespace cleave::models {

namespace {

double doublings(double a, double b) { return a > 0 && b > 0 ? std::abs(std::log2(a / b)) : 0; }

}  // namespace

double doublings_between(const Place& a, const Place& b) {
  double sum = doublings(a.ranks, b.ranks) + doublings(a.threads, b.threads);
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
  std::vector<std::pair<double, const Known*>> near;
  for (const Known& one : known) {
    near.emplace_back(doublings_between(place, one.place), &one);
  }
  const std::size_t count = std::min(kMost, near.size());
  std::ranges::stable_sort(near, {}, &std::pair<double, const Known*>::first);
  double variance = std::pow(std::max(kLeast, deviation), 2);
  for (std::size_t i = 0; i < count; ++i) {
    const Known& r = *near[i].second;
    variance = std::max(variance,
                        std::exp(-near[i].first) * (r.value * r.value - r.deviation * r.deviation));
  }
  Columns covariance(count, std::vector<double>(count));
  std::vector<double> correlations(count);
  std::vector<double> values(count);
  for (std::size_t i = 0; i < count; ++i) {
    const auto& [apart, r] = near[i];
    correlations[i] = std::exp(-apart);
    values[i] = r->value;
    for (std::size_t j = 0; j < count; ++j) {
      covariance[i][j] = std::exp(-doublings_between(r->place, near[j].second->place));
    }
    covariance[i][i] += r->deviation * r->deviation / variance + 1e-12;
  }
  const std::vector<double> weights = solve_symmetric(covariance, correlations);
  const auto sum_with = [&](const std::vector<double>& others) {
    return std::inner_product(weights.begin(), weights.end(), others.begin(), 0.0);
  };
  return {sum_with(values), std::sqrt(variance * std::max(0.0, 1 - sum_with(correlations)))};
}

}  // namespace cleave::models
