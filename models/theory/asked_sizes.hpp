// SPDX-License-Identifier: Apache-2.0
// The sizes that a model is asked about: those that its laws are functions of, as the nodes of a
// search. Or what its runs were given (--size N=31), and laws of their own tell the others.
#pragma once

#include <map>
#include <string>

#include "models/theory/model.hpp"
#include "models/theory/prediction.hpp"

namespace cleave::models {

/// \throws UsageError  if a size is missing, unknown, below 1, or one the program does not take
void check_sizes(const Model& model, const NamedSizes& sizes);

/// Refuses another value of a size that was the same in every fitted run and at every level of
/// them: nothing shows what depends on it. \throws UsageError  naming the size
void check_varied(const Model& model, const NamedSizes& sizes);

/// The sizes of the model that are not among `sizes` and follow from them.
/// \throws Error  if one is too large to count
std::map<std::string, Estimate> sizes_told(const Model& model, const NamedSizes& sizes);

/// Widens the intervals by what the time is at the ends of what the sizes may be.
void widen(Prediction& prediction, double least_s, double most_s);

}  // namespace cleave::models
