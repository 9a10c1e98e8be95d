// SPDX-License-Identifier: Apache-2.0
// Fits and noise in model files (docs/reference/formats.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>

#include <cleave/error.hpp>
#include <cleave/trace/json_fields.hpp>

#include "models/theory/form_fit.hpp"
#include "models/theory/noise.hpp"

namespace cleave::models {

nlohmann::json to_json(const Fit& fit);
/// \throws FileError  naming the field
Fit fit_from(const detail::JsonFields& fields, std::span<const Curve> curves);

nlohmann::json to_json(const Noise& noise);
/// \throws FileError  naming the field
Noise noise_from(const detail::JsonFields& fields, const char* name);

}  // namespace cleave::models
