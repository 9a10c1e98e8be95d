// Which terms a block's time may have: the paper's forms, and the candidates that a choice is made
// among where nothing is prescribed.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/basis.hpp"
#include "skeleton/trace/span.hpp"

namespace cleave {

/// The form that Printista and Saez (section VI.A) give `block` of an application with these sizes:
/// N alone (quicksort) or N and M (connected components). None for other blocks and sizes.
std::optional<Form> paper_form(Block block, const std::vector<std::string>& size_names);

/// Every choice of some of the sizes, each as S or S*log2(T) with T any of them (sorting: N*log2(N);
/// edges that meet ever more distant nodes: M*log2(N)), with and without a constant, and the constant
/// alone; fewer terms first.
std::vector<Form> candidate_forms(const std::vector<std::string>& size_names);

/// Those of `candidate_forms` without logarithms: for what is moved and copied rather than
/// computed.
std::vector<Form> linear_forms(const std::vector<std::string>& size_names);

}  // namespace cleave
