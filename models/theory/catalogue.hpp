// SPDX-License-Identifier: Apache-2.0
// Which forms a block's time may have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/theory/basis.hpp"
#include "models/theory/observation.hpp"

namespace cleave::models {

/// The form that Printista and Saez (section VI.A) give `block` of an application with these sizes:
/// N alone, or N and M of a graph. None for other blocks and sizes.
std::optional<Form> paper_form(detail::Block block, const std::vector<std::string>& size_names);

/// What is moved and copied: a constant and one or two sizes, the simplest first.
std::vector<Form> linear_forms(const std::vector<std::string>& size_names);

/// The forms on trial (docs/explanation/model.md, "Forms"), the simplest first. Terms of a size S
/// are S^p and S^p log2 S, with p one of 1/2, 1, log2 3, 3/2, 2, log2 7 and 3. They stand alone,
/// with a constant, or with S or S log2 S too. Of several sizes there are products, and sums of two
/// such terms. `declared` terms go with all of these. A power above 1 is there only for a size that
/// varies by a factor of four in `ranges`. Between sizes close to each other it cannot be told from
/// others, and far beyond them it is wrong.
std::vector<Form> candidate_forms(const std::vector<std::string>& size_names, const Ranges& ranges,
                                  const std::vector<Basis>& declared, bool has_powers = true);

}  // namespace cleave::models
