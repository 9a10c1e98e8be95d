// SPDX-License-Identifier: Apache-2.0
// Figures of a run or a study for people, who read no JSON.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace cleave::detail {

/// A line each, with its name: numbers with four digits or as 41 k, seconds with their unit, lists
/// as words in lines of at most 80 columns.
std::string figures_text(const nlohmann::ordered_json& figures);

}  // namespace cleave::detail
