// SPDX-License-Identifier: Apache-2.0
// Forms that are given, not looked for: the paper's, a user's, and those of what is moved.
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

}  // namespace cleave::models
