// SPDX-License-Identifier: Apache-2.0
// Tables as data, and as text for a terminal.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <vector>

#include <cleave/sizes.hpp>
#include <cleave/trace/words.hpp>

#include "models/theory/prediction.hpp"

namespace cleave::models {

/// One cell: as people read it, and exactly.
struct Cell {
  std::string shown;
  std::string exact;
};

struct Column {
  std::string name;  ///< with the unit of exact values: "measured (s)"
  bool is_number = false;
  bool is_detail = false;  ///< left out on a terminal

  /// Its head for people, whose cells have units of their own: "measured".
  std::string shown() const {
    return name.substr(0, name.size() - (name.ends_with(" (s)") ? 4 : 0));
  }
};

struct Table {
  std::string id;  ///< of its section in a page
  std::string title;
  std::string note;
  std::vector<Column> columns;
  std::vector<std::vector<Cell>> rows;
};

inline Cell text(const std::string& value) { return {value, value}; }

inline Cell number(double value, std::string shown) {
  return {std::move(shown), fmt::format("{}", value)};
}

inline Cell whole(std::int64_t value) { return text(std::to_string(value)); }

/// Seconds: shown with their unit.
inline Cell seconds(double value) { return number(value, detail::format_seconds(value)); }

inline Cell percent(double value) { return number(value, fmt::format("{:.2f} %", 100 * value)); }

inline Cell count(std::int64_t value) { return {format_count(value), std::to_string(value)}; }

/// Blank if it is not known.
inline Cell known(bool is_known, Cell cell) { return is_known ? std::move(cell) : text(""); }

/// "2 ranks", "2 ranks of 2 threads".
inline std::string format_workers(int ranks, int threads) {
  const std::string of_ranks = detail::format_ranks(ranks);
  return threads == 1 ? of_ranks : fmt::format("{} of {} threads", of_ranks, threads);
}

/// Makes details of columns that say the same in all of several rows.
void hide_equal(Table& table);

/// Aligned columns. If they are wider than a terminal, heads and texts take several lines.
std::string to_terminal(const Table& table);

using detail::wrapped;

/// "note: ..." each; of more than `lines` those that fit, and how many more there are.
std::string notes_text(const std::vector<std::string>& notes, std::ptrdiff_t lines = 1000);

}  // namespace cleave::models
