// SPDX-License-Identifier: Apache-2.0
// A report as text: for the terminal, as Markdown, and its tables as CSV.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include <cleave/trace/lines.hpp>

#include "models/report/report.hpp"

namespace cleave::models {

/// The verdict and the answers first, then notes, and the tables.
std::string to_terminal(const Report& report, bool has_details);

/// One table in aligned columns. Where they are wider than a terminal, heads and texts take several
/// lines. That makes it as narrow as a terminal, unless details are asked for.
std::string to_terminal(const Table& table, bool has_details = false);

using detail::wrapped;

/// The same in Markdown.
std::string to_markdown(const Table& table);

/// "note: ..." each.
std::string notes_text(const std::vector<std::string>& notes);

std::string to_markdown(const Report& report);

/// One header line; numbers in full (RFC 4180).
std::string to_csv(const Table& table);

}  // namespace cleave::models
