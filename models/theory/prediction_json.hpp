// SPDX-License-Identifier: Apache-2.0
// A prediction as `cleave predict --json` prints it and as the page of a report reads it.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "models/theory/prediction.hpp"

namespace cleave::models {

/// Seconds and bytes; fields that a prediction has not are left out.
nlohmann::json to_json(const Prediction& prediction);

}  // namespace cleave::models
