// SPDX-License-Identifier: Apache-2.0
#include "models/os_noise.hpp"

#include <algorithm>
#include <cmath>

namespace cleave::models {

namespace {

/// To within 0.03 of the number that it is rounded down from.
double median_of_poisson(double mean) {
  return mean > 0 ? std::max(0.0, std::floor(mean + 1.0 / 3 - 0.02 / mean)) : 0;
}

}  // namespace

double draw_os_noise(const std::vector<OsNoise>& os_noise, double seconds,
                     std::mt19937_64& random) {
  double sum = 0;
  double expected_count = 0;
  double expected_s = 0;
  for (const OsNoise& d : os_noise) {
    const double expected = d.per_second * seconds;
    if (expected > 0) {
      sum += d.length_s * std::poisson_distribution<int>(expected)(random);
      expected_count += expected;
      expected_s += d.length_s * expected;
    }
  }
  return expected_count > 0 ? sum - median_of_poisson(expected_count) * expected_s / expected_count
                            : 0;
}

std::vector<OsNoise> fit_os_noise(std::vector<NoisyTime> times) {
  constexpr double kShortest_s = 1e-5;
  constexpr double kClass = 1.5;
  constexpr int kFewest = 5;
  std::vector<double> lengths;
  for (const NoisyTime& time : times) {
    const double length = time.measured_s - time.expected_s;
    if (length > time.visible_s && length >= kShortest_s) {
      lengths.push_back(length);
    }
  }
  std::sort(times.begin(), times.end(),
            [](const auto& a, const auto& b) { return a.visible_s < b.visible_s; });
  std::sort(lengths.begin(), lengths.end());
  std::vector<OsNoise> result;
  double watched_s = 0;
  auto next = times.begin();
  for (std::size_t i = 0; i < lengths.size();) {
    const double shortest = lengths[i];
    int count = 0;
    double sum = 0;
    double per_second = 0;
    for (; i < lengths.size() && lengths[i] <= kClass * shortest; ++i) {
      for (; next != times.end() && next->visible_s < lengths[i]; ++next) {
        watched_s += next->expected_s;
      }
      ++count;
      sum += lengths[i];
      per_second += 1 / watched_s;
    }
    if (count >= kFewest) {
      result.push_back({.length_s = sum / count, .per_second = per_second});
    }
  }
  return result;
}

}  // namespace cleave::models
