// SPDX-License-Identifier: Apache-2.0
// Fits and noise in model files (docs/reference/formats.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include "models/model/noise.hpp"
#include "models/regression/fit.hpp"
#include "models/traces/files.hpp"

namespace cleave::models {

nlohmann::json to_json(const Fit& fit);
/// \throws FileError  naming the field
Fit fit_from(const JsonFields& fields, std::span<const Curve> curves);

nlohmann::json to_json(const Noise& noise);
/// \throws FileError  naming the field
Noise noise_from(const JsonFields& fields, const char* name);

}  // namespace cleave::models
