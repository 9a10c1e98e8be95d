// SPDX-License-Identifier: Apache-2.0
// How much memory a rank needs, from the most that ranks had in the runs that were traced.
#pragma once

#include <optional>
#include <vector>

#include "models/theory/form_fit.hpp"
#include "models/theory/samples.hpp"

namespace cleave::models {

/// Bytes of the rank that needs most, as a function of every size S of the run and of S_per_rank =
/// S / p. Replicated data stays whole on every rank, distributed data is shared. None where the
/// traces do not say, or do not determine it.
std::optional<Fit> fit_memory(const std::vector<RunPoint>& points, const Mechanisms& mechanisms);

double memory_bytes(const Fit& fit, int ranks, const NamedSizes& sizes);

/// Of these, what grows with the sizes: without the program itself.
double data_bytes(const Fit& fit, int ranks, const NamedSizes& sizes);

}  // namespace cleave::models
