// SPDX-License-Identifier: Apache-2.0
// How the repetitions of a block differ: from one another, and from what its fit says of them.
#pragma once

#include <vector>

#include "models/block_fit.hpp"
#include "models/os_noise.hpp"
#include "models/samples.hpp"

namespace cleave::models {

/// The median over ranks and levels of how far one repetition lies from their median, relative to
/// it.
double repetition_deviation_of(const std::vector<Sample>& samples);

/// The repetitions of a block on the ranks of one level of one run, over what the fit says of them.
struct LevelRatios {
  double typical = 1;  ///< their median
  std::vector<double> expected_s;
  std::vector<double> ratios;
};

std::vector<LevelRatios> ratios_by_level(const std::vector<Sample>& samples,
                                         const SegmentedFit& fit);

/// 101 quantiles of the ratios to the typical one, without what was disturbed (BlockModel::noise);
/// none of fewer than two.
std::vector<double> noise_of(const std::vector<LevelRatios>& levels);

/// Adds the times of the blocks that are short enough to show os_noise.
void add_noisy_times(std::vector<NoisyTime>& times, const std::vector<LevelRatios>& levels);

}  // namespace cleave::models
