// SPDX-License-Identifier: Apache-2.0
// What held-out runs say about the intervals of a model (docs/explanation/model.md, "Interval").
#pragma once

#include <functional>

#include "models/theory/model.hpp"
#include "models/theory/samples.hpp"

namespace cleave::models {

/// Fits to other measurements as the model was fitted, without calibrating.
using Refit = std::function<Model(const Measurements&)>;

/// Split conformal calibration. Fits to some of the runs predict the others: the larger sizes,
/// every second size, the most ranks. Intervals get the error by which these are off beyond their
/// draws, so that 95 of 100 lie inside. None where nothing can be held out. Costs at most four
/// fits.
IntervalCalibration calibrate(const Measurements& measurements, const Refit& refit);

}  // namespace cleave::models
