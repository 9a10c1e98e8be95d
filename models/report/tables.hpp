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

// The tables of a search by work stealing: what its workers did, and where the time went.

/// As table 1 and figure 3 of Helbecque et al., "DistBag_DFS". Each run has its nodes, time and
/// rate, how many steals were tried and made, and the workers' shares of the nodes.
Table workers_table(const std::vector<SearchRun>& runs);

/// Of the longest run of each number of ranks and threads that has more than one worker.
std::vector<WorkerShares> worker_shares_of(const std::vector<SearchRun>& runs);

/// What the parts of each of these runs took, and were predicted to.
Table parts_table(const std::vector<JudgedRun>& comparisons, const std::vector<SearchRun>& runs);

/// \pre  the model is of a search
Table stealing_coefficients_table(const Model& model);

/// l and g of every pattern: of all messages, of each piece, and as the paper's worst case.
Table latency_gap_table(const Network& network);

/// The same as JSON: an entry of a machine file each, with its `pattern`.
nlohmann::json patterns_json(const Network& network);

}  // namespace cleave::models
