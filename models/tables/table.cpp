// SPDX-License-Identifier: Apache-2.0
#include "models/tables/table.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <ranges>
#include <set>

#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::models {

namespace {

struct Line {
  const std::string& file;
  int number = 1;
  std::string_view text;

  [[noreturn]] void refuse(const std::string& what) const {
    throw FileError(file, fmt::format("line {}: {}", number, what));
  }
};

std::string_view trimmed(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r";
  const auto first = text.find_first_not_of(kBlanks);
  return first == text.npos ? std::string_view()
                            : text.substr(first, text.find_last_not_of(kBlanks) - first + 1);
}

/// Lines that are neither blank nor a comment.
std::vector<Line> lines_of(const std::string& file, std::string_view text) {
  std::vector<Line> lines;
  for (int number = 1; !text.empty(); ++number) {
    const auto end = text.find('\n');
    const std::string_view line = trimmed(text.substr(0, end));
    if (!line.empty() && line.front() != '#') {
      lines.push_back({file, number, line});
    }
    text.remove_prefix(end == text.npos ? text.size() : end + 1);
  }
  return lines;
}

/// Fields of one line. In quotes a field may hold commas, and a quote twice (RFC 4180).
std::vector<std::string> fields_of(const Line& line) {
  std::vector<std::string> fields(1);
  bool is_quoted = false;
  for (std::size_t i = 0; i < line.text.size(); ++i) {
    const char c = line.text[i];
    if (c == '"' && is_quoted && line.text.substr(i + 1).starts_with('"')) {
      fields.back() += line.text[++i];
    } else if (c == '"') {
      is_quoted = !is_quoted;
    } else if (c == ',' && !is_quoted) {
      fields.emplace_back();
    } else {
      fields.back() += c;
    }
  }
  if (is_quoted) {
    line.refuse("a quote is not closed");
  }
  for (std::string& field : fields) {
    field = trimmed(field);
  }
  return fields;
}

std::vector<std::string> header_of(const Line& line) {
  std::vector<std::string> columns = fields_of(line);
  if (std::ranges::count(columns, "seconds") != 1) {
    line.refuse(
        fmt::format("'{}' is no header of a CSV table of sizes and seconds; other forms are "
                    "converted by: python -m cleave.convert {}",
                    detail::visible(std::string(line.text.substr(0, 40))), line.file));
  }
  for (const std::string& column : columns) {
    if (!detail::is_size_name(column) || column == "log2") {
      line.refuse(fmt::format("'{}' cannot name a size: letters, digits and _ can, a letter first",
                              column.substr(0, 40)));
    }
    if (std::ranges::count(columns, column) != 1) {
      line.refuse(fmt::format("column {} is there twice", column));
    }
  }
  return columns;
}

double number_in(const Line& line, const std::string& column, const std::string& field) {
  double value = 0;
  const char* const last = field.data() + field.size();
  const auto [end, error] = std::from_chars(field.data(), last, value);
  if (field.empty() || error != std::errc() || end != last) {
    line.refuse(fmt::format("{} is '{}', which is not a number", column, field.substr(0, 40)));
  }
  return value;
}

std::int64_t whole_in(const Line& line, const std::string& column, double value, double least,
                      double most) {
  if (!(value >= least) || value > most || value != std::floor(value)) {
    line.refuse(fmt::format("{} is {}: whole numbers from {} to {} are allowed", column, value,
                            least, most));
  }
  return static_cast<std::int64_t>(value);
}

TableRow row_of(const Line& line, const std::vector<std::string>& columns) {
  constexpr double kMostRounds = 1000;
  constexpr double kMostSize = 9e15;  // whole numbers up to here are exact
  const std::vector<std::string> fields = fields_of(line);
  if (fields.size() != columns.size()) {
    line.refuse(fmt::format("{} fields, where the header has {}", fields.size(), columns.size()));
  }
  TableRow row;
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string& column = columns[i];
    if (column == "name") {
      row.series = detail::visible(fields[i]);
      continue;
    }
    const double value = number_in(line, column, fields[i]);
    if (column == "seconds") {
      row.seconds = value;
      if (!(value > 0) || !std::isfinite(value)) {
        line.refuse(fmt::format("seconds is {}: a time is above 0", value));
      }
    } else if (column == "repetitions") {
      row.repetitions = static_cast<int>(whole_in(line, column, value, 1, kMostRounds));
    } else if (column == "round") {
      row.round = static_cast<int>(whole_in(line, column, value, 0, kMostRounds));
    } else {
      row.sizes[column] = whole_in(line, column, value, 1, kMostSize);
    }
  }
  return row;
}

struct FileRow {
  std::size_t file = 0;
  TableRow row;
};

/// The rows of the series that is chosen, or of the one there is. A series without a name is
/// called as the first file.
std::vector<FileRow> rows_of_series(const std::vector<std::string>& files,
                                    const TableChoice& choice) {
  const std::string stem = detail::visible(std::filesystem::path(files.front()).stem().string());
  std::vector<FileRow> rows;
  std::set<std::string> names;
  for (std::size_t i = 0; i < files.size(); ++i) {
    for (TableRow& row : rows_of(files[i], read_file(files[i]))) {
      row.series = row.series.empty() ? stem : row.series;
      names.insert(row.series);
      rows.push_back({i, std::move(row)});
    }
  }
  const std::string& only = choice.only.empty() && names.size() > 1 ? choice.usual : choice.only;
  if (only.empty() && names.size() > 1) {
    throw UsageError(fmt::format("{} holds {} series of times, choose one by --only: {}",
                                 files.front(), names.size(), fmt::join(names, "; ")));
  }
  if (!only.empty() && !names.contains(only)) {
    throw UsageError(
        fmt::format("--only {}: {} holds {}", only, files.front(), fmt::join(names, "; ")));
  }
  std::erase_if(rows, [&](const FileRow& row) { return !only.empty() && row.row.series != only; });
  return rows;
}

/// The times of one run size by file and round.
using Rounds = std::map<std::pair<std::size_t, int>, std::vector<double>>;

RunPoint point_of(NamedSizes sizes, const Rounds& rounds) {
  RunPoint point;
  if (const auto ranks = sizes.find(kRanksSize); ranks != sizes.end()) {
    if (ranks->second > detail::kMaxRanks) {
      throw UsageError(fmt::format("{} is {}: at most {} ranks are allowed", kRanksSize,
                                   ranks->second, detail::kMaxRanks));
    }
    point.ranks = static_cast<int>(ranks->second);
    sizes.erase(ranks);
  }
  point.ranks_per_host = point.ranks;
  point.sizes = std::move(sizes);
  for (const std::vector<double>& seconds : std::views::values(rounds)) {
    point.wall_seconds.insert(point.wall_seconds.end(), seconds.begin(), seconds.end());
    point.seconds.push_back(detail::median(seconds));
  }
  return point;
}

}  // namespace

bool is_table(std::string_view text) {
  return text.substr(0, text.find('\n')).find("\"cleave-") == text.npos;
}

std::vector<TableRow> rows_of(const std::string& file, std::string_view text) {
  const std::vector<Line> lines = lines_of(file, text);
  std::vector<TableRow> rows;
  std::vector<std::string> columns;
  for (const Line& line : lines) {
    if (columns.empty()) {
      columns = header_of(line);
    } else {
      rows.push_back(row_of(line, columns));
    }
  }
  if (rows.empty()) {
    throw FileError(file, "holds no run time");
  }
  return rows;
}

Measurements measurements_of_tables(const std::vector<std::string>& files,
                                    const TableChoice& choice) {
  const std::vector<FileRow> all = rows_of_series(files, choice);
  const NamedSizes& first = all.front().row.sizes;
  constexpr std::size_t kMostSizes = 6;  // each doubles the time of a fit, a quarter of a minute
  if (first.size() > kMostSizes) {
    throw UsageError(fmt::format("{}: {} columns of sizes: at most {} are allowed", files.front(),
                                 first.size(), kMostSizes));
  }
  std::map<NamedSizes, Rounds> runs;
  for (const auto& [file, row] : all) {
    const auto same_name = [](const auto& a, const auto& b) { return a.first == b.first; };
    if (!std::ranges::equal(row.sizes, first, same_name)) {
      throw UsageError(fmt::format("{}: rows differ in their sizes: {} and {}", files[file],
                                   format_sizes(first), format_sizes(row.sizes)));
    }
    std::vector<double>& seconds = runs[row.sizes][{file, row.round}];
    seconds.insert(seconds.end(), static_cast<std::size_t>(row.repetitions), row.seconds);
  }
  Measurements result;
  result.app = all.front().row.series;
  result.type = kTableType;
  for (const auto& [sizes, rounds] : runs) {
    result.points.push_back(point_of(sizes, rounds));
  }
  std::ranges::stable_sort(result.points, {}, &RunPoint::ranks);
  return result;
}

}  // namespace cleave::models
