// SPDX-License-Identifier: Apache-2.0
// From samples of a block to what its fit is made to, and how its repetitions differ from that.
#pragma once

#include <optional>
#include <vector>

#include "models/theory/form_fit.hpp"
#include "models/theory/noise.hpp"
#include "models/theory/samples.hpp"

namespace cleave::models {

/// One observation for the ranks whose sizes are the same at a level of a run: the median of their
/// medians, since one rank may always be slower than others.
std::vector<Observation> observations_of(const std::vector<Sample>& samples);

/// The largest message of each level of each run, in bytes, with the largest sizes over its ranks.
std::vector<Observation> message_bytes(const std::vector<Sample>& samples);

/// Times of repetitions beside what is typical of their run and level, once what the fit makes of
/// the sizes of each rank is taken away.
std::vector<NoisyTime> noisy_times(const std::vector<Sample>& samples, const Fit& fit);

/// The median over ranks and levels of how far one repetition lies from their median, relative to
/// it.
double repetition_deviation_of(const std::vector<Sample>& samples);

/// Why a form must not be chosen by itself: where two sizes always go together, a choice among them
/// would be a guess that only shows when they do not.
std::optional<Refusal> refuse_choice(const std::vector<Observation>& observations);

}  // namespace cleave::models
