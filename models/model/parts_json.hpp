// SPDX-License-Identifier: Apache-2.0
// The parts of a model in model files (docs/reference/formats.md).
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>

#include "models/model/model.hpp"

namespace cleave::models {

nlohmann::json to_json(const HypercubeModel& parts);
nlohmann::json to_json(const SearchModel& search);

/// Those of a model whose placement and curves are known. \throws FileError  naming the field
HypercubeModel hypercube_from(const JsonFields& fields, const Model& model);
/// \throws FileError
SearchModel search_from(const JsonFields& fields);

/// The block that the field "block" names. \throws FileError
Block block_from(const JsonFields& fields);
/// \throws FileError
std::optional<Fit> fit_if_any(const JsonFields& fields, const char* name);

}  // namespace cleave::models
