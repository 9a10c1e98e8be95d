// SPDX-License-Identifier: Apache-2.0
// The parts of a fit, each of which takes a model that knows its application and its network.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/theory/fit.hpp"

namespace cleave::models {

/// Fits the blocks, sizes and exchanges that were measured and sets the model's parts, refused
/// blocks and notes. `has_machine`: whether the model's l and g come from elsewhere.
void fit_hypercube(Model& model, const Measurements& measurements, const FitOptions& options,
                   bool has_machine);

/// The same of the runs of a search.
void fit_search(Model& model, const std::vector<SearchRun>& runs);

/// One law of the runs of a table. \throws Error  if they determine none, with the reason
TableModel fit_table(const std::vector<RunPoint>& points);

/// Of `name`, a size of the runs (Model::log_sizes); none where they were given it, or it does not
/// follow from what they were given.
std::optional<Law> fit_log_size(const std::string& name, const std::vector<RunPoint>& points);

/// Bytes of the rank that needs most (memory.hpp); none where the traces do not say, or do not
/// determine it.
std::optional<Law> fit_memory(const std::vector<RunPoint>& points);

}  // namespace cleave::models
