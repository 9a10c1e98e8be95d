// SPDX-License-Identifier: Apache-2.0
// From samples of a block to what its law is fitted to.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <vector>

#include "models/theory/fit_law.hpp"
#include "models/theory/samples.hpp"

namespace cleave::models {

/// One observation for the ranks whose sizes are the same at a level of a run: the median of their
/// medians, since one rank may always be slower than others.
std::vector<Observation> observations_of(const std::vector<Sample>& samples);

/// The largest message of each level of each run, in bytes, with the largest sizes over its ranks.
std::vector<Observation> message_bytes(const std::vector<Sample>& samples);

/// Bytes of an element in a sample of the sorting form; 0 where none was taken.
double splitter_bytes(const std::vector<Sample>& samples);

/// Why a form must not be chosen by itself: where two sizes always go together, a choice among them
/// would be a guess that only shows when they do not. Where runs may be given `free` sizes alone,
/// the others follow from these and go together in all that can be asked.
std::optional<Refusal> refuse_choice(const std::vector<Observation>& observations,
                                     std::size_t free = std::numeric_limits<std::size_t>::max());

/// How many counts differ in what the runs were given; no limit where none does.
std::size_t free_sizes(const std::vector<RunPoint>& points);

}  // namespace cleave::models
