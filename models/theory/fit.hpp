// SPDX-License-Identifier: Apache-2.0
// Fitting: measurements and a machine to a model.
#pragma once

#include <optional>
#include <vector>

#include <cleave/trace.hpp>
#include <cleave/trace/machine_file.hpp>

#include "models/theory/model.hpp"

namespace cleave::models {

enum class Forms {
  automatic,  ///< the posterior of all candidates
  paper,      ///< those of Printista and Saez by ordinary least squares, where they name a block
};

struct FitOptions {
  Forms forms = Forms::automatic;
};

/// The model with its verdict, which held-out runs give. A block that cannot be fitted is listed in
/// `refused` with its reason; the rest of the model stands. Without `machine`, l and g are fitted
/// to the exchanges in the traces. \throws Error  as fit_table
Model fit_model(const Measurements& measurements, const std::optional<detail::Machine>& machine,
                const FitOptions& options, const detail::Provenance& provenance);

/// The points of a table alone, and with the law where it answers. \throws Error  if all are equal
TableModel table_of(const std::vector<RunPoint>& points);
TableModel fit_table(const std::vector<RunPoint>& points);

/// Bytes of the rank that needs most (Model::memory); none where the traces do not tell.
std::optional<Law> fit_memory(const std::vector<RunPoint>& points);

}  // namespace cleave::models
