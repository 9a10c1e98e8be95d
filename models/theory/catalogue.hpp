// SPDX-License-Identifier: Apache-2.0
// Which forms a block's time may have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/theory/basis.hpp"
#include "models/theory/observation.hpp"

namespace cleave::models {

/// Whether Printista and Saez have forms of these sizes, in alphabetical order: N, or M and N.
bool has_paper_forms(const std::vector<std::string>& size_names);

/// The form that Printista and Saez (section VI.A) give `block` of an application with these sizes:
/// N alone, or N and M of a graph. None for other blocks and sizes.
std::optional<Form> paper_form(detail::Block block, const std::vector<std::string>& size_names);

/// A form and what it costs to assume it, in nats: a form of price 1 must explain the
/// observations e times as well as one of price 0.
struct PricedForm {
  Form form;
  double price = 0;
};

/// Of forms that a user or a paper gives.
std::vector<PricedForm> prescribed(Form form);

/// What is moved and copied: a constant and one or two sizes, the simplest first.
std::vector<PricedForm> linear_forms(const std::vector<std::string>& size_names);

/// The forms on trial (docs/explanation/model.md, "Forms"). Terms of a size S are S^p, S^p log2 S
/// and log2 S. Powers above 1 are there only where S varies by a factor of four in `ranges`:
/// between sizes close to each other a power cannot be told from others. A term stands alone or
/// with a constant. S goes with S log2 S. Of several sizes there are sums and products of one term
/// of each of some of them, and S log2 T. Every subset of up to three `declared` terms stands
/// alone, or with one other.
std::vector<PricedForm> candidate_forms(const std::vector<std::string>& size_names,
                                        const Ranges& ranges, const std::vector<Basis>& declared);

}  // namespace cleave::models
