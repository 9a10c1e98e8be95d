// SPDX-License-Identifier: Apache-2.0
// The parts of a model in model files (docs/reference/formats.md).
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cleave/trace/json_fields.hpp>

#include "models/theory/model.hpp"

namespace cleave::models {

nlohmann::json to_json(const HypercubeModel& parts);
nlohmann::json to_json(const SearchModel& search);
nlohmann::json to_json(const TableModel& table);

/// Those of a model whose placement and curves are known. \throws FileError  naming the field
HypercubeModel hypercube_from(const detail::JsonFields& fields, const Model& model);
/// \throws FileError
SearchModel search_from(const detail::JsonFields& fields);
/// \throws FileError
TableModel table_from(const detail::JsonFields& fields);

}  // namespace cleave::models
