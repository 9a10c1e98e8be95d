// SPDX-License-Identifier: Apache-2.0
// Files from outside: what one holds, its lines and their fields, and the share that a rank takes.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <string>
#include <string_view>

#include <cleave/error.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::reading {

/// The share `index` of `count` equal ones.
struct Slice {
  int index = 0;
  int count = 1;

  constexpr std::int64_t begin(std::int64_t total) const { return bound(total, index); }
  constexpr std::int64_t end(std::int64_t total) const { return bound(total, index + 1); }

 private:
  constexpr std::int64_t bound(std::int64_t total, int i) const {
    return total / count * i + total % count * i / count;
  }
};

/// A file in memory: page by page as it is read, or unpacked if it is a gzip file.
class Contents {
 public:
  /// \param max_bytes  that an unpacked file may take
  /// \throws FileError  if it cannot be read, is damaged or too long
  explicit Contents(const std::filesystem::path& path,
                    std::int64_t max_bytes = std::numeric_limits<std::int64_t>::max());
  ~Contents();
  Contents(const Contents&) = delete;
  Contents& operator=(const Contents&) = delete;

  std::string_view text() const { return text_; }

 private:
  void* mapped_ = nullptr;
  std::size_t mapped_bytes_ = 0;
  std::string unpacked_;
  std::string_view text_;
};

/// Fields of a line stand between blanks and tabs.
constexpr bool is_separator(char c) { return c == ' ' || c == '\t'; }

inline bool is_blank(std::string_view line) { return std::ranges::all_of(line, is_separator); }

/// Takes the next field off `line`; empty at its end.
inline std::string_view take_field(std::string_view& line) {
  const auto* const begin = std::ranges::find_if_not(line, is_separator);
  const auto* const end = std::find_if(begin, line.end(), is_separator);
  line = std::string_view(end, line.end());
  return {begin, end};
}

inline int count_fields(std::string_view line) {
  int fields = 0;
  while (!take_field(line).empty()) {
    ++fields;
  }
  return fields;
}

/// The first characters of `text`, for a message.
inline std::string shortened(std::string_view text) {
  constexpr std::size_t kMax = 40;
  return cleave::detail::visible(text.substr(0, kMax));
}

/// Where a reader is in a text. Lines end in LF or CR LF.
class Lines {
 public:
  Lines(std::string_view contents, const std::filesystem::path& file)
      : contents_(contents), file_(file) {}

  std::size_t at() const { return next_; }
  /// Where the line taken last begins.
  std::size_t line_at() const { return begin_; }

  /// Goes on at the first line that starts at `offset` or after it.
  void go_to_line_from(std::size_t offset) {
    if (offset > next_) {
      next_ = offset - 1 + length_from(offset - 1) + 1;
    }
  }

  bool take_line(std::string_view& line) {
    if (next_ >= contents_.size()) {
      return false;
    }
    begin_ = next_;
    line = contents_.substr(begin_, length_from(begin_));
    if (line.size() == kMaxLine) {
      refuse(fmt::format("is longer than {} bytes", kMaxLine));
    }
    next_ = begin_ + line.size() + 1;
    line.remove_suffix(line.ends_with('\r') ? 1 : 0);
    return true;
  }

  /// \throws FileError  naming the line taken last
  [[noreturn]] void refuse(const std::string& what) const {
    const auto line = 1 + std::ranges::count(contents_.substr(0, begin_), '\n');
    throw FileError(file_, fmt::format("line {}: {}", line, what));
  }

  /// A number in [minimum, maximum], the next field of `line`. \throws FileError  ending with
  /// `hint`
  template <std::integral Number>
  Number take_number(std::string_view& line, std::string_view what, Number minimum, Number maximum,
                     std::string_view hint = {}) const {
    const std::string_view field = take_field(line);
    if (field.empty()) {
      refuse(fmt::format("the {} is missing{}", what, hint));
    }
    Number number = 0;
    const auto [end, error] = std::from_chars(field.data(), field.data() + field.size(), number);
    if (error == std::errc::invalid_argument || end != field.data() + field.size() ||
        field.front() == '-') {
      refuse(fmt::format("'{}' is no {}{}", shortened(field), what, hint));
    }
    if (error == std::errc::result_out_of_range || number < minimum || number > maximum) {
      refuse(fmt::format("{} {} is out of range: from {} to {}{}", what, shortened(field), minimum,
                         maximum, hint));
    }
    return number;
  }

 private:
  static constexpr std::size_t kMaxLine = std::size_t{1} << 20;

  /// The bytes from `at` to the end of its line, at most kMaxLine.
  std::size_t length_from(std::size_t at) const {
    const std::string_view ahead = contents_.substr(at, kMaxLine);
    return std::min(ahead.find('\n'), ahead.size());
  }

  std::string_view contents_;
  const std::filesystem::path& file_;
  std::size_t begin_ = 0;
  std::size_t next_ = 0;
};

}  // namespace cleave::reading
