// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include <cleave/trace/lines.hpp>

namespace cleave::detail {

namespace {

std::size_t end_of_line(std::string_view text, std::size_t width) {
  std::size_t end = std::string_view::npos;
  for (std::size_t i = std::min(text.find_first_not_of(' '), text.size()); i <= text.size(); ++i) {
    if (i == text.size() || text[i] == ' ') {
      const bool fits = width_of(text.substr(0, i)) <= width;
      end = fits || end == std::string_view::npos ? i : end;
      if (!fits) {
        break;
      }
    }
  }
  return end;
}

}  // namespace

std::size_t width_of(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xC0) != 0x80;
  }));
}

std::string_view next_line(std::string_view& text, std::size_t width) {
  const std::string_view line = text.substr(0, end_of_line(text, width));
  text.remove_prefix(std::min(text.find_first_not_of(' ', line.size()), text.size()));
  return line.substr(0, line.find_last_not_of(' ') + 1);
}

std::string wrapped(std::string_view text, std::size_t indent, std::size_t columns) {
  std::string lines = std::string(next_line(text, columns)) + '\n';
  while (!text.empty()) {
    lines += std::string(indent, ' ').append(next_line(text, columns - indent)) + '\n';
  }
  return lines;
}

}  // namespace cleave::detail
