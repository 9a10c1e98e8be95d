// SPDX-License-Identifier: Apache-2.0
// A text by lines, and a line by its fields: what a reader refuses it refuses by these.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include <cleave/error.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::reading {

/// What stands between two fields: of a table in columns, or of comma-separated values.
constexpr bool is_separator(char c) { return c == ' ' || c == '\t' || c == ',' || c == ';'; }

/// The next field of `line`, which is taken off it; empty at its end. Quotes around it are left
/// out.
inline std::string_view take_field(std::string_view& line) {
  const auto* const begin = std::find_if_not(line.begin(), line.end(), is_separator);
  const auto* const end = std::find_if(begin, line.end(), is_separator);
  std::string_view field(begin, end);
  line = std::string_view(end, line.end());
  if (field.size() >= 2 && field.front() == '"' && field.back() == '"') {
    field = field.substr(1, field.size() - 2);
  }
  return field;
}

inline int count_fields(std::string_view line) {
  int fields = 0;
  while (!take_field(line).empty()) {
    ++fields;
  }
  return fields;
}

inline bool is_blank(std::string_view line) {
  return std::find_if_not(line.begin(), line.end(), is_separator) == line.end();
}

/// For a message.
inline std::string shortened(std::string_view text) {
  constexpr std::size_t kMax = 40;
  return cleave::detail::visible(text.substr(0, kMax));
}

/// Where a reader is in a text. Lines end in LF, CR LF or CR; a byte-order mark is passed over.
class Lines {
 public:
  /// \throws FileError  if it is UTF-16
  Lines(std::string_view contents, const std::filesystem::path& file)
      : contents_(contents), file_(file) {
    if (contents_.starts_with("\xff\xfe") || contents_.starts_with("\xfe\xff")) {
      throw FileError(file_, "is text in UTF-16: make it UTF-8 or ASCII");
    }
    next_ = contents_.starts_with(kMark) ? kMark.size() : 0;
  }

  std::size_t at() const { return next_; }
  std::size_t size() const { return contents_.size(); }
  /// Where the line taken last begins.
  std::size_t line_at() const { return begin_; }

  /// Goes on at the first line that starts at `offset` or after it.
  void go_to_line_from(std::size_t offset) {
    if (offset > next_) {
      next_ = after(end_of_line(offset - 1));
    }
  }

  bool take_line(std::string_view& line) {
    if (next_ >= contents_.size()) {
      return false;
    }
    begin_ = next_;
    const std::size_t end = end_of_line(begin_);
    line = contents_.substr(begin_, end - begin_);
    next_ = after(end);
    return true;
  }

  /// That of the line taken last, from 1; counts all before it.
  std::size_t number() const {
    std::size_t line = 0;
    for (std::size_t at = 0; at <= begin_ && at < size(); at = after(end_of_line(at))) {
      ++line;
    }
    return line;
  }

  /// \throws FileError  naming the line taken last
  [[noreturn]] void refuse(const std::string& what) const {
    throw FileError(file_, fmt::format("line {}: {}", number(), what));
  }

  /// A number in [minimum, maximum], the next field of `line`. \throws FileError  ending with
  /// `hint` if it is out of range
  template <std::integral Number>
  Number take_number(std::string_view& line, std::string_view what, Number minimum, Number maximum,
                     std::string_view hint = {}) const {
    const std::string_view field = take_field(line);
    if (field.empty()) {
      refuse(fmt::format("the {} is missing", what));
    }
    Number number = 0;
    const char* const field_end = field.data() + field.size();
    const auto [end, error] = std::from_chars(field.data(), field_end, number);
    if (error == std::errc::invalid_argument || end != field_end || field.front() == '-') {
      refuse(fmt::format("'{}' is not a {}", shortened(field), what));
    }
    if (error == std::errc::result_out_of_range || number < minimum || number > maximum) {
      refuse(fmt::format("{} {} is out of range: from {} to {}{}", what, shortened(field), minimum,
                         maximum, hint));
    }
    return number;
  }

 private:
  static constexpr std::string_view kMark = "\xef\xbb\xbf";

  std::size_t end_of_line(std::size_t at) const {
    const auto* const end = std::find_if(contents_.begin() + at, contents_.end(),
                                         [](char c) { return c == '\n' || c == '\r'; });
    return static_cast<std::size_t>(end - contents_.begin());
  }

  /// Where the line after the one that ends at `end` begins.
  std::size_t after(std::size_t end) const {
    const bool is_pair =
        end + 1 < contents_.size() && contents_[end] == '\r' && contents_[end + 1] == '\n';
    return std::min(end + (is_pair ? 2 : 1), contents_.size());
  }

  std::string_view contents_;
  const std::filesystem::path& file_;
  std::size_t begin_ = 0;
  std::size_t next_ = 0;
};

}  // namespace cleave::reading
