// SPDX-License-Identifier: Apache-2.0
#include "models/report/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace cleave::models {

namespace {

std::string padded(const std::string& text, std::size_t width, bool to_the_right) {
  const std::string blanks(width - std::min(width, detail::width_of(text)), ' ');
  return to_the_right ? blanks + text : text + blanks;
}

std::string escaped_for_markdown(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (std::string_view("\\`|*_<[#").find(c) != std::string_view::npos) {
      escaped += '\\';
    }
    escaped += c;
  }
  return escaped;
}

std::string csv_field(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) {
    return text;
  }
  std::string quoted;
  for (const char c : text) {
    quoted += c == '"' ? "\"\"" : std::string_view(&c, 1);
  }
  return fmt::format("\"{}\"", quoted);
}

constexpr std::size_t kBetween = 2;  ///< columns of a table

/// A column of a table in a terminal.
struct Shown {
  std::vector<std::string> texts;  ///< its head, and what each row has
  bool is_number = false;
  std::size_t width = 0;
  std::size_t least = 0;  ///< so that no word is broken, and no number anywhere
};

/// With room to break a product, as of a term: "N * log2(N)".
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

/// Whether their widths, or the least of them, fit a terminal.
bool fit_terminal(const std::vector<Shown>& columns, std::size_t Shown::*width) {
  std::size_t all = 0;
  for (const Shown& column : columns) {
    all += column.*width + kBetween;
  }
  return all <= detail::kTerminalColumns + kBetween;
}

/// Makes the widest columns narrower until all fit, if that can be.
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
      line += std::string(i == 0 ? 0 : kBetween, ' ');
      line += padded(std::string(detail::next_line(rest[i], columns[i].width)), columns[i].width,
                     columns[i].is_number);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  } while (!std::ranges::all_of(rest, &std::string_view::empty));
  return text;
}

}  // namespace

std::string to_terminal(const Table& table, bool has_details) {
  std::vector<Shown> columns;
  for (const bool breaks_products : {false, true}) {
    columns.clear();
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      if (has_details || !table.columns[i].is_detail) {
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

std::string to_terminal(const Report& report, bool has_details) {
  constexpr std::size_t kIndent = 4;
  std::string text =
      fmt::format("{}\n{}", wrapped(report.title),
                  wrapped("  " + report.verdict.sentence(first_answers_by_law(report)), kIndent));
  for (const Answer& answer : first_answers(report)) {
    text += wrapped("  " + answer.line, kIndent);
  }
  text += '\n';
  for (const auto& [name, value] : report.facts) {
    constexpr std::size_t kValues = 24;
    text += wrapped(fmt::format("  {:<22}{}", name, value), kValues);
  }
  text += '\n';
  for (const Note& note : report.notes) {
    constexpr std::size_t kTexts = 8;
    text += wrapped("  note  " + note.text, kTexts);
  }
  for (const Table& table : report.tables) {
    text += fmt::format("\n{}\n\n{}", table.title, to_terminal(table, has_details));
  }
  return text;
}

std::string notes_text(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) {
    text += wrapped("note: " + note);
  }
  return text;
}

std::string to_markdown(const Table& table) {
  std::string text = "|";
  for (const Column& column : table.columns) {
    text += fmt::format(" {} |", escaped_for_markdown(column.shown()));
  }
  text += "\n|";
  for (const Column& column : table.columns) {
    text += column.is_number ? " ---: |" : " --- |";
  }
  text += "\n";
  for (const std::vector<Cell>& row : table.rows) {
    text += "|";
    for (const Cell& cell : row) {
      text += fmt::format(" {} |", escaped_for_markdown(cell.shown));
    }
    text += "\n";
  }
  return text;
}

std::string to_markdown(const Report& report) {
  std::string text =
      fmt::format("# {}\n\n**{}**\n\n", escaped_for_markdown(report.title),
                  escaped_for_markdown(report.verdict.sentence(first_answers_by_law(report))));
  for (const Answer& answer : first_answers(report)) {
    text += fmt::format("- {}\n", escaped_for_markdown(answer.line));
  }
  text += "\n";
  for (const auto& [name, value] : report.facts) {
    text += fmt::format("- {}: {}\n", name, escaped_for_markdown(value));
  }
  text += "\n";
  for (const Note& note : report.notes) {
    text += fmt::format("- note: {}\n", escaped_for_markdown(note.text));
  }
  for (const Table& table : report.tables) {
    text += fmt::format("\n## {}\n\n{}", escaped_for_markdown(table.title), to_markdown(table));
    if (!table.note.empty()) {
      text += fmt::format("\n{}\n", escaped_for_markdown(table.note));
    }
  }
  return text;
}

std::string to_csv(const Table& table) {
  const auto line_of = [&](auto&& text_at) {
    std::vector<std::string> fields;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      fields.push_back(csv_field(text_at(i)));
    }
    return fmt::format("{}\r\n", fmt::join(fields, ","));
  };
  std::string text = line_of([&](std::size_t i) { return table.columns[i].name; });
  for (const std::vector<Cell>& row : table.rows) {
    text += line_of([&](std::size_t i) { return row[i].exact; });
  }
  return text;
}

}  // namespace cleave::models
