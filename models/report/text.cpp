// SPDX-License-Identifier: Apache-2.0
#include "models/report/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string_view>
#include <vector>

namespace cleave::models {

namespace {

/// Characters rather than bytes, of UTF-8.
std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string padded(const std::string& text, std::size_t width, bool to_the_right) {
  const std::string blanks(width - std::min(width, width_of(text)), ' ');
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

}  // namespace

std::string to_terminal(const Table& table) {
  std::vector<std::size_t> widths;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    std::size_t width = width_of(table.columns[i].name);
    for (const std::vector<Cell>& row : table.rows) {
      width = std::max(width, width_of(row[i].shown));
    }
    widths.push_back(width);
  }
  const auto line_of = [&](auto&& text_at) {
    std::string line;
    for (std::size_t i = 0; i < table.columns.size(); ++i) {
      line += i == 0 ? "" : "  ";
      line += padded(text_at(i), widths[i], table.columns[i].is_number);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    return line + '\n';
  };
  std::string text = line_of([&](std::size_t i) { return table.columns[i].name; });
  for (const std::vector<Cell>& row : table.rows) {
    text += line_of([&](std::size_t i) { return row[i].shown; });
  }
  return text;
}

std::string to_terminal(const Report& report, const std::string& plot) {
  std::string text = fmt::format("{}\n\n  {}\n", report.title, report.verdict.sentence());
  for (const Answer& answer : first_answers(report)) {
    text += fmt::format("  {}\n", answer.line);
  }
  text += plot.empty() ? "\n" : fmt::format("\n{}\n", plot);
  for (const auto& [name, value] : report.facts) {
    text += fmt::format("  {:<22}{}\n", name, value);
  }
  text += '\n';
  for (const Note& note : report.notes) {
    text += fmt::format("  note  {}\n", note.text);
  }
  for (const Table& table : report.tables) {
    text += fmt::format("\n{}\n\n{}", table.title, to_terminal(table));
  }
  return text;
}

std::string notes_text(const std::vector<std::string>& notes) {
  std::string text;
  for (const std::string& note : notes) {
    text += fmt::format("note: {}\n", note);
  }
  return text;
}

std::string to_markdown(const Table& table) {
  std::string text = "|";
  for (const Column& column : table.columns) {
    text += fmt::format(" {} |", escaped_for_markdown(column.name));
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
  std::string text = fmt::format("# {}\n\n**{}**\n\n", escaped_for_markdown(report.title),
                                 escaped_for_markdown(report.verdict.sentence()));
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
