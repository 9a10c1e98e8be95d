// SPDX-License-Identifier: Apache-2.0
// What a model does not know of more ranks than those that it was fitted to (docs/model.md,
// "Interval").
#pragma once

#include <functional>

#include "models/model.hpp"
#include "models/samples.hpp"

namespace cleave::models {

/// Fits to other measurements as the model was fitted.
using Refit = std::function<Model(const Measurements&)>;

/// Sets `deviation_per_doubling` and `drift_per_doubling` of a model that was fitted to
/// `measurements`; both stay 0 where fewer than three numbers of ranks were. Costs one more fit.
void look_at_more_ranks(Model& model, const Measurements& measurements, const Refit& refit);

}  // namespace cleave::models
