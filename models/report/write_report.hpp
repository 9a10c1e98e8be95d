// SPDX-License-Identifier: Apache-2.0
// A report as files in a folder.
#pragma once

#include <filesystem>

#include "models/report/report.hpp"

namespace cleave::models {

/// A folder to write into: made if its parent exists. \throws FileError
void make_folder(const std::filesystem::path& folder);

/// Writes the report as a page and as Markdown, and one CSV file a table, into `folder`, which
/// exists. \throws FileError
void write_report(const std::filesystem::path& folder, const Report& report);

}  // namespace cleave::models
