// SPDX-License-Identifier: Apache-2.0
#include "models/tables/rows.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>

#include <cleave/error.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::models {

namespace {

enum class Format { csv, extra_p, json_lines, google_benchmark, own };

std::string_view first_line_of(std::string_view text) {
  for (const TableLine& line : lines_of(text)) {
    const std::string_view content = trimmed(line.text);
    if (!content.empty() && content.front() != '#') {
      return content;
    }
  }
  return {};
}

/// Cleave's own files name their format in the first line, "cleave-trace" and such.
Format format_of(std::string_view text) {
  const std::string_view first = first_line_of(text);
  if (!first.starts_with('{')) {
    const std::string_view word = first.substr(0, first.find_first_of(" \t"));
    return word == "PARAMETER" ? Format::extra_p : Format::csv;
  }
  if (first.find("\"cleave-") != first.npos) {
    return Format::own;
  }
  const auto line = nlohmann::json::parse(first, nullptr, false);
  return line.is_object() && line.contains("params") ? Format::json_lines
                                                     : Format::google_benchmark;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto first = text.find_first_not_of(kBlanks);
  return first == text.npos ? std::string_view()
                            : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

std::vector<TableLine> lines_of(std::string_view text) {
  std::vector<TableLine> lines;
  if (text.starts_with("\xEF\xBB\xBF")) {  // a byte order mark, as spreadsheets write it
    text.remove_prefix(3);
  }
  for (int number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    lines.push_back({number, text.substr(0, end)});
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

bool is_table(std::string_view text) { return format_of(text) != Format::own; }

std::vector<TableRow> rows_of(const std::filesystem::path& file, std::string_view text) {
  std::vector<TableRow> rows;
  switch (format_of(text)) {
    case Format::csv:
      rows = rows_of_csv(file, text);
      break;
    case Format::extra_p:
      rows = rows_of_extra_p(file, text);
      break;
    case Format::json_lines:
      rows = rows_of_json_lines(file, text);
      break;
    case Format::google_benchmark:
      rows = rows_of_google_benchmark(file, text);
      break;
    case Format::own:
      throw FileError(file, "is one of Cleave's own files, not a table");
  }
  if (rows.empty()) {
    throw FileError(file, "holds no run time");
  }
  return rows;
}

void TablePlace::refuse(const std::string& what) const {
  throw FileError(file, fmt::format("{}: {}", where, what));
}

std::string TablePlace::size_name(std::string_view text) const {
  if (!detail::is_size_name(text) || text == "log2") {
    refuse(fmt::format("'{}' cannot name a size: letters, digits and _ can, a letter first",
                       text.substr(0, 40)));
  }
  return std::string(text);
}

std::int64_t TablePlace::size(const std::string& name, double value) const {
  constexpr double kMost = 9e15;  // whole numbers up to here are exact
  if (!(value >= 1) || value > kMost || value != std::floor(value)) {
    refuse(fmt::format(
        "{} is {}: a size is a whole number of at least 1, in a smaller unit if need be", name,
        value));
  }
  return static_cast<std::int64_t>(value);
}

double TablePlace::number(const std::string& name, std::string_view text) const {
  text = trimmed(text);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) {
    refuse(fmt::format("{} is '{}', which is not a number", name, text.substr(0, 40)));
  }
  return value;
}

double TablePlace::seconds(const std::string& name, double value) const {
  if (!(value > 0) || !std::isfinite(value)) {
    refuse(fmt::format("{} is {}: a time is above 0", name, value));
  }
  return value;
}

}  // namespace cleave::models
