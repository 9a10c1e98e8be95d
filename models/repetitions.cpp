// SPDX-License-Identifier: Apache-2.0
#include "models/repetitions.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>
#include <utility>

#include "models/statistics.hpp"

namespace cleave::models {

namespace {

double spread_of(const std::vector<LevelRatios>& levels) {
  std::vector<double> ratios;
  for (const LevelRatios& level : levels) {
    for (const double ratio : level.ratios) {
      ratios.push_back(ratio / level.typical);
    }
  }
  return ratios.empty() ? 0 : relative_spread(ratios);
}

/// Of the ratios to the typical time, those of blocks of at least `shortest_s` seconds that differ
/// from 1 by at most `most`.
std::vector<double> calm_ratios(const std::vector<LevelRatios>& levels, double shortest_s,
                                double maximum) {
  std::vector<double> calm;
  for (const LevelRatios& level : levels) {
    for (std::size_t i = 0; i < level.ratios.size(); ++i) {
      const double ratio = level.ratios[i] / level.typical;
      if (level.expected_s[i] >= shortest_s && std::abs(ratio - 1) <= maximum) {
        calm.push_back(ratio);
      }
    }
  }
  return calm;
}

// Beside a short OS noise a block of a millisecond is long: what its times differ by, up to a
// half, is its own. Shorter ones show os_noise, which are what takes half as long again and
// more: what takes less may be throttled down as a whole, as by a core's other thread or by slower
// memory.
constexpr double kLongBlock_s = 1e-3;
constexpr double kMaxOwn = 0.5;

}  // namespace

double repetition_deviation_of(const std::vector<Sample>& samples) {
  std::vector<double> deviations;
  for (const Sample& sample : samples) {
    if (sample.seconds.size() > 1) {
      deviations.push_back(relative_spread(sample.seconds));
    }
  }
  return deviations.empty() ? 0 : median(std::move(deviations));
}

std::vector<LevelRatios> ratios_by_level(const std::vector<Sample>& samples,
                                         const SegmentedFit& fit) {
  std::map<std::tuple<int, NamedSizes, int>, LevelRatios> levels;
  for (const Sample& sample : samples) {
    const double expected = fit(sizes_of_block(sample));
    for (const double seconds : sample.seconds) {
      if (expected > 0) {
        LevelRatios& level = levels[{sample.ranks, sample.run_sizes, sample.level}];
        level.expected_s.push_back(expected);
        level.ratios.push_back(seconds / expected);
      }
    }
  }
  std::vector<LevelRatios> result;
  for (auto& [key, level] : levels) {
    level.typical = median(level.ratios);
    if (level.typical > 0) {
      result.push_back(std::move(level));
    }
  }
  return result;
}

std::vector<double> noise_of(const std::vector<LevelRatios>& levels) {
  constexpr std::size_t kMany = 100;
  std::vector<double> ratios = calm_ratios(levels, kLongBlock_s, kMaxOwn);
  if (ratios.size() < kMany) {
    ratios = calm_ratios(levels, 0, kNoisy * spread_of(levels));
  }
  if (ratios.size() < 2) {
    return {};
  }
  constexpr int kSteps = 100;
  std::sort(ratios.begin(), ratios.end());
  std::vector<double> quantiles;
  for (int i = 0; i <= kSteps; ++i) {
    quantiles.push_back(ratios[(ratios.size() - 1) * static_cast<std::size_t>(i) / kSteps]);
  }
  return quantiles;
}

void add_noisy_times(std::vector<NoisyTime>& times, const std::vector<LevelRatios>& levels) {
  const double visible = std::max(kMaxOwn, kNoisy * spread_of(levels));
  for (const LevelRatios& level : levels) {
    for (std::size_t i = 0; i < level.ratios.size(); ++i) {
      const double expected = level.expected_s[i] * level.typical;
      if (expected < kLongBlock_s) {
        times.push_back({.expected_s = expected,
                         .measured_s = level.expected_s[i] * level.ratios[i],
                         .visible_s = visible * expected});
      }
    }
  }
}

}  // namespace cleave::models
