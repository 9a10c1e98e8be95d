// SPDX-License-Identifier: Apache-2.0
// How much memory a rank needs, from the most that ranks had in the runs that were traced.
#pragma once

#include <vector>

#include "models/theory/law.hpp"
#include "models/theory/samples.hpp"

namespace cleave::models {

/// What the memory of a rank is fitted to: bytes of the rank that needs most, as a function of
/// every size S of the run and of S_per_rank = S / p. Replicated data stays whole on every rank,
/// distributed data is shared.
std::vector<Observation> memory_observations(const std::vector<RunPoint>& points);

/// Whether the law says anything of problems of which only these sizes are known.
bool is_memory_known(const Law& law, const NamedSizes& sizes);

double memory_bytes(const Law& law, int ranks, const NamedSizes& sizes);

/// Of these, what grows with the sizes: without the program itself.
double data_bytes(const Law& law, int ranks, const NamedSizes& sizes);

}  // namespace cleave::models
