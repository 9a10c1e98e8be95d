// SPDX-License-Identifier: Apache-2.0
// The forms that a fit tries: those on trial with their prices (docs/explanation/model.md,
// "Forms"), and those that the paper or what is moved gives.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <cleave/trace/span.hpp>

#include "models/theory/law.hpp"

namespace cleave::models {

/// S^power log2(S)^logarithms.
Basis power(const std::string& size, double power, int logarithms = 0);

/// What forms are of: a block, or a whole run that nothing is known of but its sizes.
enum class Of { block, run };

/// Terms of a size S are S^p, S^p log2 S and log2 S. Those of a run have more powers and log2^2 S.
/// Those of the number of ranks (kRanksSize) fall and rise. Powers above 1 are there only where S
/// varies by a factor of four: between sizes close to each other a power cannot be told from
/// others. A term stands alone or with a constant. S goes with S log2 S.
///
/// Forms of several sizes are S log2 T, sums of a term of each, and up to three products of a term
/// of each. The first product is as work that the ranks share, the others have simple terms, as
/// messages. There are too many to try. A search finds the likely ones by some thousand first looks
/// at `observations`.
std::vector<PricedForm> candidate_forms(const std::vector<Observation>& observations, Of of);

/// What is moved and copied: a constant and one or two sizes, the simplest first.
std::vector<PricedForm> linear_forms(const std::vector<std::string>& size_names);

/// Whether Printista and Saez have forms of these sizes, in alphabetical order: N, or M and N.
bool has_paper_forms(const std::vector<std::string>& size_names);

/// The form that Printista and Saez (section VI.A) give `block` of an application with these sizes:
/// N alone, or N and M of a graph. None for other blocks and sizes.
std::optional<Form> paper_form(detail::Block block, const std::vector<std::string>& size_names);

}  // namespace cleave::models
