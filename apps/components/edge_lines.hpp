// SPDX-License-Identifier: Apache-2.0
// A graph's file in memory, its lines and numbers, and the edges found in it (graph_file.cpp).
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <string>
#include <string_view>
#include <utility>

#include <cleave/error.hpp>

#include "apps/components/graph.hpp"

namespace cleave::components {

inline constexpr std::string_view kBlanks = " \t\r";

/// A file in memory, page by page as it is read.
class MappedFile {
 public:
  explicit MappedFile(const std::filesystem::path& path) {
    if (std::filesystem::is_directory(path)) {
      throw FileError(path, "cannot read: it is a folder");
    }
    file_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    struct stat status {};
    if (file_ < 0 || ::fstat(file_, &status) != 0) {
      fail(path);
    }
    if (!S_ISREG(status.st_mode)) {
      ::close(file_);
      throw FileError(path, "cannot read: it is not a regular file");
    }
    size_ = static_cast<std::size_t>(status.st_size);
    if (size_ > 0) {
      data_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file_, 0);
      if (data_ == MAP_FAILED) {
        fail(path);
      }
      ::madvise(data_, size_, MADV_SEQUENTIAL);
    }
  }
  ~MappedFile() {
    if (size_ > 0) {
      ::munmap(data_, size_);
    }
    ::close(file_);
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;

  std::string_view contents() const { return {static_cast<const char*>(data_), size_}; }

 private:
  [[noreturn]] void fail(const std::filesystem::path& path) const {
    const std::string reason = std::strerror(errno);
    if (file_ >= 0) {
      ::close(file_);
    }
    throw FileError(path, "cannot read: " + reason);
  }

  int file_ = -1;
  void* data_ = nullptr;
  std::size_t size_ = 0;
};

/// The next part of `line` between blanks, which is taken off it; empty at its end.
inline std::string_view take_token(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(kBlanks), line.size()));
  const std::string_view token = line.substr(0, line.find_first_of(kBlanks));
  line.remove_prefix(token.size());
  return token;
}

inline std::string shortened(std::string_view text) {
  constexpr std::size_t kMax = 40;
  return std::string(text.substr(0, kMax));
}

/// Where a reader is in a file, and how it refuses what it finds there.
class Lines {
 public:
  Lines(std::string_view contents, const std::filesystem::path& file)
      : contents_(contents), file_(file) {}

  const std::filesystem::path& file() const { return file_; }
  std::size_t at() const { return next_; }
  std::size_t size() const { return contents_.size(); }

  /// Goes on at the first line that starts at `offset` or after it.
  void go_to_line_from(std::size_t offset) {
    if (offset <= next_) {
      return;
    }
    const auto end = contents_.find('\n', offset - 1);
    next_ = end == std::string_view::npos ? contents_.size() : end + 1;
  }

  bool take_line(std::string_view& line) {
    if (next_ >= contents_.size()) {
      return false;
    }
    begin_ = next_;
    const auto end = contents_.find('\n', next_);
    line = contents_.substr(begin_, end - begin_);
    next_ = end == std::string_view::npos ? contents_.size() : end + 1;
    return true;
  }

  /// \throws FileError  naming the line taken last
  [[noreturn]] void refuse(const std::string& what) const {
    const auto before = contents_.substr(0, begin_);
    const auto line = std::count(before.begin(), before.end(), '\n') + 1;
    throw FileError(file_, fmt::format("line {}: {}", line, what));
  }

  /// A whole number in [minimum, maximum], the next on `line`. \throws FileError  ending with
  /// `hint` if it is out of range
  std::int64_t take_number(std::string_view& line, std::string_view what, std::int64_t minimum,
                           std::int64_t maximum, std::string_view hint = {}) const {
    const std::string_view token = take_token(line);
    if (token.empty()) {
      refuse(fmt::format("the {} is missing", what));
    }
    std::int64_t number = 0;
    const char* const token_end = token.data() + token.size();
    const auto [end, error] = std::from_chars(token.data(), token_end, number);
    if (error == std::errc::invalid_argument || end != token_end || token.front() == '-') {
      refuse(fmt::format("'{}' is not a {}", shortened(token), what));
    }
    if (error == std::errc::result_out_of_range || number < minimum || number > maximum) {
      refuse(fmt::format("{} {} is out of range: from {} to {}{}", what, shortened(token), minimum,
                         maximum, hint));
    }
    return number;
  }

 private:
  std::string_view contents_;
  const std::filesystem::path& file_;
  std::size_t begin_ = 0;
  std::size_t next_ = 0;
};

/// The edges read so far, within the memory allowed.
class EdgeStore {
 public:
  EdgeStore(const std::filesystem::path& file, std::int64_t max_bytes)
      : file_(file), max_edges_(static_cast<std::size_t>(max_bytes) / sizeof(Edge)) {}

  void reserve(std::size_t edges) {
    if (edges > max_edges_) {
      throw FileError(file_,
                      fmt::format("too large for this machine: a rank's share is {} edges or "
                                  "more, {} of them fit into memory",
                                  edges, max_edges_));
    }
    edges_.reserve(edges);
  }

  void add(Edge edge) {
    if (edges_.size() == edges_.capacity()) {
      reserve(std::max(edges_.size() + 1, std::min(2 * edges_.size(), max_edges_)));
    }
    edges_.push_back(edge);
  }

  std::size_t size() const { return edges_.size(); }
  Edges take() { return std::move(edges_); }

 private:
  const std::filesystem::path& file_;
  std::size_t max_edges_;
  Edges edges_;
};

}  // namespace cleave::components
