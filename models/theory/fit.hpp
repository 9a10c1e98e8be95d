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

/// Which runs a model is not fitted to, so that it can be tested on them.
enum class HoldOut {
  none,
  every_second,  ///< in ascending order of the sizes; of a grid of two as on a chess board
  beyond_third,  ///< those in which a size that varies is more than a third of its largest
};

/// The sizes of the runs to hold out, in ascending order.
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

}  // namespace cleave::models
