// SPDX-License-Identifier: Apache-2.0
// Run times that other tools have measured, as rows of sizes and seconds. Read are CSV, Extra-P's
// text and JSON Lines, and the JSON of Google Benchmark (docs/reference/formats.md, "Tables").
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/sizes.hpp>

namespace cleave::models {

/// A time that was measured.
struct TableRow {
  std::string series;   ///< the benchmark, or the call path; empty where the file names none
  NamedSizes sizes;     ///< the number of ranks among them
  int round = 0;        ///< those of one round were measured one after the other
  int repetitions = 1;  ///< that it stands for
  double seconds = 0;   ///< above 0
};

/// Whether `text` begins as a table does, rather than as one of Cleave's own files.
bool is_table(std::string_view text);

/// The rows of a file whose format shows in how it begins; at least one.
/// \throws FileError  naming the line or the entry, and the field
std::vector<TableRow> rows_of(const std::filesystem::path& file, std::string_view text);

// The single formats; the same errors.
std::vector<TableRow> rows_of_csv(const std::filesystem::path& file, std::string_view text);
std::vector<TableRow> rows_of_extra_p(const std::filesystem::path& file, std::string_view text);
std::vector<TableRow> rows_of_json_lines(const std::filesystem::path& file, std::string_view text);
std::vector<TableRow> rows_of_google_benchmark(const std::filesystem::path& file,
                                               std::string_view text);

/// What the readers check alike, with the place for messages, as "line 3".
struct TablePlace {
  const std::filesystem::path& file;
  std::string where;

  /// Of a table's column, a parameter or an argument. \throws FileError  if it is no name
  std::string size_name(std::string_view text) const;
  /// A size: a whole number of at least 1. \throws FileError
  std::int64_t size(const std::string& name, double value) const;
  double number(const std::string& name, std::string_view text) const;
  /// \throws FileError  if it is not above 0 and finite
  double seconds(const std::string& name, double value) const;
  [[noreturn]] void refuse(const std::string& what) const;
};

/// Lines without their ends; each with its number, from 1.
struct TableLine {
  int number = 1;
  std::string_view text;
};
std::vector<TableLine> lines_of(std::string_view text);

std::string_view trimmed(std::string_view text);

}  // namespace cleave::models
