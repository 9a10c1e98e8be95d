// SPDX-License-Identifier: Apache-2.0
// A report as text: for the terminal, as Markdown, and its tables as CSV.
#pragma once

#include <string>
#include <vector>

#include "models/report/report.hpp"

namespace cleave::models {

/// The verdict and the answers first, then `plot` and notes, and the tables in columns.
std::string to_terminal(const Report& report, const std::string& plot = "");

/// One table in aligned columns.
std::string to_terminal(const Table& table);

/// The same in Markdown.
std::string to_markdown(const Table& table);

/// "note: ..." a line each.
std::string notes_text(const std::vector<std::string>& notes);

std::string to_markdown(const Report& report);

/// One header line; numbers in full (RFC 4180).
std::string to_csv(const Table& table);

}  // namespace cleave::models
