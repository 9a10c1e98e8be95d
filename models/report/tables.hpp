// SPDX-License-Identifier: Apache-2.0
// The tables of a report.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "models/report/report.hpp"

namespace cleave::models {

/// Those that have rows; first the one that a reader comes for.
std::vector<Table> make_tables(const Model& model, const Measurements& measurements,
                               const std::vector<JudgedRun>& comparisons, const Network& network);

/// l and g of every pattern: of all messages, of each piece, and as the paper's worst case.
Table latency_gap_table(const Network& network);

/// The same as JSON: an entry of a machine file each, with its `pattern`.
nlohmann::json patterns_json(const Network& network);

}  // namespace cleave::models
