// SPDX-License-Identifier: Apache-2.0
// Tree files: a line `k d`, then one line of 0s and 1s a level, in curve order.
// docs/reference/formats.md, section Tree.
#pragma once

#include <filesystem>
#include <string>

#include "apps/splitting/tree/tree.hpp"

namespace cleave::splitting {

/// \throws FileError  naming line and column of the first mistake
Tree read_tree(const std::filesystem::path& path);
/// The same of text that is said to come from `path`.
Tree parse_tree(const std::filesystem::path& path, const std::string& text);

std::string tree_text(const Tree& tree);
/// Whole or not at all. \throws FileError
void write_tree(const std::filesystem::path& path, const Tree& tree);

}  // namespace cleave::splitting
