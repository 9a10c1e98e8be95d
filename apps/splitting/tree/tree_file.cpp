// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/tree/tree_file.hpp"

#include <fmt/format.h>

#include <cctype>
#include <string_view>

#include <cleave/error.hpp>
#include <cleave/file.hpp>

namespace cleave::splitting {

namespace {

/// A character as a message shows it.
std::string shown(char c) {
  return std::isprint(static_cast<unsigned char>(c)) != 0
             ? fmt::format("'{}'", c)
             : fmt::format("byte {}", static_cast<unsigned>(static_cast<unsigned char>(c)));
}

class TreeReader {
 public:
  TreeReader(const std::filesystem::path& path, std::string_view text) : path_(path), rest_(text) {}

  Tree read() {
    const Shape shape = read_shape();
    const auto children = static_cast<std::size_t>(shape.children());
    std::vector<std::vector<std::uint8_t>> levels;
    std::size_t expected = 1;
    while (!rest_.empty()) {
      const std::string_view line = next_line();
      if (expected == 0) {
        refuse(1, "no node of the level above has children, expected the end of the file");
      }
      std::vector<std::uint8_t> level;
      std::size_t refined = 0;
      for (const char c : line.substr(0, expected)) {
        if (c != '0' && c != '1') {
          refuse(level.size() + 1, fmt::format("{}, expected 0 or 1", shown(c)));
        }
        level.push_back(c == '1' ? 1 : 0);
        refined += level.back();
      }
      if (line.size() < expected) {
        refuse(line.size() + 1, fmt::format("the line ends after {} of the {} nodes of level {}",
                                            line.size(), expected, levels.size()));
      }
      if (line.size() > expected) {
        refuse(expected + 1, fmt::format("{} follows the {} nodes of level {}",
                                         shown(line[expected]), expected, levels.size()));
      }
      levels.push_back(std::move(level));
      expected = refined * children;
    }
    try {
      return Tree(shape, std::move(levels));
    } catch (const Error& e) {
      throw FileError(path_, e.what());
    }
  }

 private:
  Shape read_shape() {
    if (rest_.empty()) {
      throw FileError(path_, "line 1 column 1: empty, expected a line 'k d'");
    }
    const std::string_view line = next_line();
    const auto axis = [&](std::size_t at, const char* name) {
      if (line.size() <= at) {
        refuse(line.size() + 1, fmt::format("the line ends, expected {}", name));
      }
      if (line[at] != '2' && line[at] != '3') {
        refuse(at + 1, fmt::format("{} is {}, allowed are 2 and 3", name, shown(line[at])));
      }
      return line[at] - '0';
    };
    const int k = axis(0, "k");
    if (line.size() > 1 && line[1] != ' ') {
      refuse(2, fmt::format("{}, expected one space between k and d", shown(line[1])));
    }
    const int d = axis(2, "d");
    if (line.size() > 3) {
      refuse(4, fmt::format("{} follows k and d", shown(line[3])));
    }
    return {.k = k, .d = d};
  }

  /// The next line without its end; the last one may lack the end, and \r\n ends a line too.
  std::string_view next_line() {
    ++line_number_;
    const std::size_t end = rest_.find('\n');
    std::string_view line = rest_.substr(0, end);
    rest_ = end == std::string_view::npos ? std::string_view() : rest_.substr(end + 1);
    if (!line.empty() && line.back() == '\r') {
      line.remove_suffix(1);
    }
    return line;
  }

  [[noreturn]] void refuse(std::size_t column, const std::string& what) const {
    throw FileError(path_, fmt::format("line {} column {}: {}", line_number_, column, what));
  }

  const std::filesystem::path& path_;
  std::string_view rest_;
  std::size_t line_number_ = 0;
};

}  // namespace

Tree parse_tree(const std::filesystem::path& path, const std::string& text) {
  return TreeReader(path, text).read();
}

Tree read_tree(const std::filesystem::path& path) { return parse_tree(path, read_file(path)); }

std::string tree_text(const Tree& tree) {
  std::string text = fmt::format("{} {}\n", tree.shape().k, tree.shape().d);
  for (int level = 0; level < std::max(tree.l_max(), 1); ++level) {
    for (Index node = 0; node < tree.nodes_of_level(level); ++node) {
      text += tree.refined(level, node) ? '1' : '0';
    }
    text += '\n';
  }
  return text;
}

void write_tree(const std::filesystem::path& path, const Tree& tree) {
  write_file(path, tree_text(tree));
}

}  // namespace cleave::splitting
