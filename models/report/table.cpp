// SPDX-License-Identifier: Apache-2.0
#include "models/report/table.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <string_view>

namespace cleave::models {

namespace {

constexpr std::size_t kBetween = 2;  ///< columns of a table

/// A column of a table in a terminal.
struct Shown {
  std::vector<std::string> texts;  ///< its head, and a text of each row
  bool is_number = false;
  std::size_t width = 0;
  std::size_t least = 0;  ///< without breaking a word, or a number anywhere
};

/// Blanks around `*`, so that a term can be broken there: "N * log2(N)".
std::string with_blanks(std::string_view text) {
  std::string all;
  for (const char c : text) {
    all += c == '*' ? " * " : std::string(1, c);
  }
  return all;
}

Shown shown_of(const Table& table, std::size_t column, bool breaks_products) {
  Shown shown{.texts = {table.columns[column].shown()},
              .is_number = table.columns[column].is_number};
  for (const std::vector<Cell>& row : table.rows) {
    shown.texts.push_back(breaks_products ? with_blanks(row[column].shown) : row[column].shown);
  }
  for (std::size_t i = 0; i < shown.texts.size(); ++i) {
    const std::size_t width = detail::width_of(shown.texts[i]);
    shown.width = std::max(shown.width, width);
    std::string_view rest = shown.texts[i];
    while (!rest.empty()) {
      const bool is_whole = shown.is_number && i > 0;
      shown.least =
          std::max(shown.least, detail::width_of(detail::next_line(rest, is_whole ? width : 0)));
    }
  }
  return shown;
}

bool fit_terminal(const std::vector<Shown>& columns, std::size_t Shown::*width) {
  std::size_t all = 0;
  for (const Shown& column : columns) {
    all += column.*width + kBetween;
  }
  return all <= detail::kTerminalColumns + kBetween;
}

/// Makes the widest columns narrower until all fit, if they can.
void narrow(std::vector<Shown>& columns) {
  while (fit_terminal(columns, &Shown::least) && !fit_terminal(columns, &Shown::width)) {
    --std::ranges::max_element(columns, {}, [](const Shown& column) {
        return column.width > column.least ? column.width : 0;
      })->width;
  }
}

/// The lines of one row, or of the head.
std::string row_text(const std::vector<Shown>& columns, std::size_t row) {
  std::vector<std::string_view> rest;
  for (const Shown& column : columns) {
    rest.emplace_back(column.texts[row]);
  }
  std::string text;
  do {
    std::string line;
    for (std::size_t i = 0; i < columns.size(); ++i) {
      const std::string_view part = detail::next_line(rest[i], columns[i].width);
      const std::string blanks(
          columns[i].width - std::min(columns[i].width, detail::width_of(part)), ' ');
      line += std::string(i == 0 ? 0 : kBetween, ' ');
      line += columns[i].is_number ? fmt::format("{}{}", blanks, part)
                                   : fmt::format("{}{}", part, blanks);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  } while (!std::ranges::all_of(rest, &std::string_view::empty));
  return text;
}

}  // namespace

void hide_equal(Table& table) {
  for (std::size_t i = 0; i < table.columns.size() && table.rows.size() > 1; ++i) {
    const auto shown = [i](const std::vector<Cell>& row) { return row[i].shown; };
    table.columns[i].is_detail |=
        std::ranges::adjacent_find(table.rows, std::not_equal_to(), shown) == table.rows.end();
  }
}

std::string to_terminal(const Table& table) {
  std::vector<Shown> columns;
  for (const bool breaks_products : {false, true}) {
    columns.clear();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (!table.columns[i].is_detail) {
        columns.push_back(shown_of(table, i, breaks_products));
      }
    }
    if (fit_terminal(columns, &Shown::least)) {
      break;
    }
  }
  narrow(columns);
  std::string text;
  for (std::size_t row = 0; row <= table.rows.size(); ++row) {
    text += row_text(columns, row);
  }
  return text;
}

std::string notes_text(const std::vector<std::string>& notes, std::ptrdiff_t lines) {
  std::string text;
  for (std::size_t i = 0; i < notes.size(); ++i) {
    const std::string note = wrapped("note: " + notes[i]);
    lines -= std::ranges::count(note, '\n');
    if (lines < (i + 1 < notes.size() ? 1 : 0)) {
      return text + fmt::format("{} more: --json has all notes\n", notes.size() - i);
    }
    text += note;
  }
  return text;
}

}  // namespace cleave::models
