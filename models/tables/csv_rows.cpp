// SPDX-License-Identifier: Apache-2.0
// A table with a line of column names: seconds, perhaps repetitions, round and name; every other
// column is a size.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <filesystem>

#include <cleave/error.hpp>
#include <cleave/trace/words.hpp>

#include "models/tables/rows.hpp"

namespace cleave::models {

namespace {

/// The separator that the header has most of.
char separator_of(std::string_view header) {
  constexpr std::string_view kSeparators = ",;\t";
  return *std::ranges::max_element(kSeparators, {},
                                   [&](char c) { return std::ranges::count(header, c); });
}

/// Fields of one line; those in quotes may hold separators, and a quote twice (RFC 4180).
std::vector<std::string> fields_of(std::string_view line, char separator, const TablePlace& place) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '"' && is_quoted && i + 1 < line.size() && line[i + 1] == '"') {
      fields.back() += line[++i];
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == separator && !is_quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (is_quoted) {
    place.refuse("a quote is not closed");
  }
  for (std::string& field : fields) {
    field = trimmed(field);
  }
  return fields;
}

int count_of(const TablePlace& place, const std::string& name, double value, int least) {
  constexpr int kMost = 1000;
  if (!(value >= least) || value > kMost || value != static_cast<int>(value)) {
    place.refuse(fmt::format("{} is {}: allowed are {} to {}", name, value, least, kMost));
  }
  return static_cast<int>(value);
}

}  // namespace

std::vector<TableRow> rows_of_csv(const std::filesystem::path& file, std::string_view text) {
  std::vector<std::string> columns;
  char separator = ',';
  std::vector<TableRow> rows;
  for (const auto& [number, line] : lines_of(text)) {
    if (trimmed(line).empty() || line.starts_with('#')) {
      continue;
    }
    const TablePlace place{file, fmt::format("line {}", number)};
    if (columns.empty()) {
      separator = separator_of(line);
      columns = fields_of(line, separator, place);
      if (std::ranges::count(columns, "seconds") != 1) {
        place.refuse(fmt::format("one column must be called seconds, the columns are {}",
                                 fmt::join(columns, ", ")));
      }
      continue;
    }
    const std::vector<std::string> fields = fields_of(line, separator, place);
    if (fields.size() != columns.size()) {
      place.refuse(
          fmt::format("{} fields, where the header has {}", fields.size(), columns.size()));
    }
    TableRow& row = rows.emplace_back();
    for (std::size_t i = 0; i < fields.size(); ++i) {
      const std::string& column = columns[i];
      if (column == "name") {
        row.series = detail::visible(fields[i]);
        continue;
      }
      const double value = place.number(column, fields[i]);
      if (column == "seconds") {
        row.seconds = place.seconds(column, value);
      } else if (column == "repetitions") {
        row.repetitions = count_of(place, column, value, 1);
      } else if (column == "round") {
        row.round = count_of(place, column, value, 0);
      } else if (!row.sizes.emplace(place.size_name(column), place.size(column, value)).second) {
        place.refuse(fmt::format("column {} is there twice", column));
      }
    }
  }
  return rows;
}

}  // namespace cleave::models
