// SPDX-License-Identifier: Apache-2.0
// Fitting: measurements and a machine to a model.
#pragma once

#include <optional>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/machine_file.hpp>

#include "models/theory/model.hpp"
#include "models/theory/samples.hpp"

namespace cleave::models {

enum class Forms {
  automatic,  ///< the posterior of all candidates
  paper,      ///< those of Printista and Saez by ordinary least squares, where they name a block
};

/// Which runs a model is not fitted to, so that it can be tested on them.
enum class HoldOut {
  none,
  /// Every second run in ascending order of the sizes, the first is fitted; of a grid of two sizes
  /// every second field, as on a chess board.
  every_second,
  /// Every run in which a size that varies is more than a third of its largest. Of sizes that
  /// double, these are two and four times beyond the largest one that is fitted.
  beyond_third,
};

/// The runs to hold out among all those with these sizes, in ascending order.
std::vector<NamedSizes> held_out_sizes(const std::vector<RunPoint>& points, HoldOut hold_out);

struct FitOptions {
  Forms forms = Forms::automatic;
  HoldOut hold_out = HoldOut::none;
};

/// The model with its verdict, which held-out runs give. A block that cannot be fitted is listed in
/// `refused` with its reason; the rest of the model stands. Without `machine`, l and g are fitted
/// to the exchanges in the traces. \throws Error  if a table determines no law, with the reason
Model fit_model(const Measurements& measurements, const std::optional<detail::Machine>& machine,
                const FitOptions& options, const detail::Provenance& provenance);

/// Bytes of the rank that needs most (Model::memory); none where the traces do not say, or do not
/// determine it.
std::optional<Law> fit_memory(const std::vector<RunPoint>& points);

/// Fits blocks, sizes and exchanges of a model that knows its application and its network.
/// `has_machine`: whether l and g come from elsewhere.
void fit_hypercube(Model& model, const Measurements& measurements, Forms forms, bool has_machine);

}  // namespace cleave::models
