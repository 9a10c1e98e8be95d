// SPDX-License-Identifier: Apache-2.0
// Checks the counts of a tree by a second, slower traversal that shares nothing with the first. It
// has ids as bytes, SHA-1 through OpenSSL's EVP interface, and the definitions in real numbers.
#pragma once

#include <optional>
#include <string>

#include "apps/uts/parameters.hpp"

namespace cleave::uts {

/// Visits node after node, depth first. \throws Error  if OpenSSL has no SHA-1
TreeCounts count_by_definition(const TreeParameters& parameters);

/// The fault of `counts` of the tree, compared with a second traversal and with what is known
/// of the tree; nothing if they are right.
std::optional<std::string> wrong_counts(const TreeParameters& parameters, const TreeCounts& counts);

/// The fault of `counts`, compared with what is known alone.
std::optional<std::string> unlike_known_counts(const TreeParameters& parameters,
                                               const TreeCounts& counts);

}  // namespace cleave::uts
