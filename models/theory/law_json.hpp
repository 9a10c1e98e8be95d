// SPDX-License-Identifier: Apache-2.0
// Laws in model files (docs/reference/formats.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>

#include <cleave/error.hpp>
#include <cleave/trace/json_fields.hpp>

#include "models/theory/law.hpp"

namespace cleave::models {

nlohmann::json to_json(const Law& law);
/// \throws FileError  naming the field
Law law_from(const detail::JsonFields& fields, std::span<const Curve> curves);
/// \throws FileError
std::optional<Law> law_if_any(const detail::JsonFields& fields, const char* name);

}  // namespace cleave::models
