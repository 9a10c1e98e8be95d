// SPDX-License-Identifier: Apache-2.0
// Edge lists as text (graph_file.hpp).
#pragma once

#include <filesystem>
#include <string_view>

#include "apps/components/graph_file.hpp"

namespace cleave::components {

GraphSlice parse_text(std::string_view contents, const std::filesystem::path& file,
                      const ReadOptions& options, Slice slice);

/// Whether a line is the first of a Matrix Market file, also one with a blank before it or one
/// percent sign.
bool is_matrix_market(std::string_view line);

/// The greatest vertex that a file of so many bytes may name: so a short file cannot ask for more
/// memory than a multiple of its length.
std::int64_t max_vertex(std::size_t file_bytes, const ReadOptions& options);

/// What to do about a vertex beyond it.
std::string_view hint_of(const ReadOptions& options);

}  // namespace cleave::components
