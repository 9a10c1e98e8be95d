// Checks the counts of a tree by a second, slower traversal: level by level, with ids as bytes,
// SHA-1 through OpenSSL's EVP interface, and q compared as a real number.
#pragma once

#include <optional>
#include <string>

#include "apps/uts/prins.hpp"

namespace cleave {

TreeCounts count_by_levels(const PrinsTree& tree);

/// What is wrong with `counts` of `tree`, compared with a second traversal and with what is known
/// of the tree; nothing if they are right.
std::optional<std::string> wrong_counts(const PrinsTree& tree, const TreeCounts& counts);

}  // namespace cleave
