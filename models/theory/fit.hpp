// SPDX-License-Identifier: Apache-2.0
// Fitting: measurements and a machine to a model.
#pragma once

#include <map>
#include <optional>

#include <cleave/error.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/provenance.hpp>
#include <cleave/trace/span.hpp>

#include "models/theory/hold_out.hpp"
#include "models/theory/model.hpp"
#include "models/theory/samples.hpp"

namespace cleave::models {

enum class Forms {
  automatic,  ///< the posterior of all candidates
  paper,      ///< those of Printista and Saez by ordinary least squares, where they name a block
};

struct FitOptions {
  Forms forms = Forms::automatic;
  std::map<detail::Block, Form> given_forms;  ///< these always win
  HoldOut hold_out = HoldOut::none;
};

/// The model with its verdict, which held-out runs give. A block that cannot be fitted is listed in
/// `refused` with its reason; the rest of the model stands. Without `machine`, l and g are fitted
/// to the exchanges in the traces.
Model fit_model(const Measurements& measurements, const std::optional<detail::Machine>& machine,
                const FitOptions& options, const detail::Provenance& provenance);

}  // namespace cleave::models
