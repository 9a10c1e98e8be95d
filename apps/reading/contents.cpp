// SPDX-License-Identifier: Apache-2.0
#include "apps/reading/contents.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

#include <cleave/error.hpp>

namespace cleave::reading {

namespace {

constexpr std::string_view kGzip = "\x1f\x8b";

constexpr std::array<std::pair<std::string_view, std::string_view>, 9> kKinds = {
    {{"\x93NUMPY", "a NumPy file"},
     {"\x89HDF\r\n\x1a\n", "an HDF5 file"},
     {kGzip, "a gzip file"},
     {"BZh", "a bzip2 file"},
     {"\xfd"
      "7zXZ",
      "an xz file"},
     {"\x28\xb5\x2f\xfd", "a Zstandard file"},
     {"PK\x03\x04", "a zip file"},
     {"PAR1", "a Parquet file"},
     {"\x7f"
      "ELF",
      "a program"}}};
constexpr std::array<std::string_view, 4> kPacked = {"a bzip2 file", "an xz file",
                                                     "a Zstandard file", "a zip file"};

/// A file of gzip members, one after the other.
std::string unpack(const std::filesystem::path& path, std::int64_t max_bytes) {
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(::gzopen(path.c_str(), "rb"), ::gzclose);
  if (!file) {
    throw FileError(path, std::string("cannot read: ") + std::strerror(errno));
  }
  constexpr unsigned kAtOnce = 1U << 20;
  ::gzbuffer(file.get(), kAtOnce);
  std::string text;
  for (int got = 1; got > 0;) {
    const std::size_t before = text.size();
    text.resize(before + kAtOnce);
    got = ::gzread(file.get(), text.data() + before, kAtOnce);
    text.resize(before + static_cast<std::size_t>(std::max(got, 0)));
    if (std::cmp_greater(text.size(), max_bytes)) {
      throw FileError(path, fmt::format("too large for this machine: unpacked it has more than {} "
                                        "bytes",
                                        max_bytes));
    }
  }
  int status = Z_OK;
  const char* const reason = ::gzerror(file.get(), &status);
  if (status != Z_OK && status != Z_STREAM_END) {
    throw FileError(
        path, fmt::format("cannot be unpacked: {}", status == Z_BUF_ERROR ? "cut short" : reason));
  }
  return text;
}

}  // namespace

std::optional<std::string_view> kind_of(std::string_view head) {
  for (const auto& [begin, kind] : kKinds) {
    if (head.starts_with(begin)) {
      return kind;
    }
  }
  return std::nullopt;
}

bool is_text(std::string_view contents) {
  constexpr std::size_t kLooked = 4096;
  const std::string_view head = contents.substr(0, kLooked);
  if (head.starts_with("\xef\xbb\xbf")) {
    return true;
  }
  return !head.empty() && std::ranges::all_of(head, [](unsigned char c) {
    return (c >= ' ' && c < 0x7f) || c == '\t' || c == '\n' || c == '\r';
  });
}

Contents::Contents(const std::filesystem::path& path, std::int64_t max_bytes) {
  map(path);
  text_ = {static_cast<const char*>(mapped_), mapped_bytes_};
  const auto kind = kind_of(text_);
  if (kind && std::ranges::count(kPacked, *kind) != 0) {
    throw FileError(path, fmt::format("is {}: unpack it first, or take gzip", *kind));
  }
  if (text_.starts_with(kGzip)) {
    unpacked_ = unpack(path, max_bytes);
    text_ = unpacked_;
  }
}

void Contents::map(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    throw FileError(path, "cannot read: it is a folder");
  }
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  struct stat status {};
  const bool is_open = file >= 0 && ::fstat(file, &status) == 0;
  const bool is_regular = is_open && S_ISREG(status.st_mode);
  if (is_regular && status.st_size > 0) {
    mapped_bytes_ = static_cast<std::size_t>(status.st_size);
    mapped_ = ::mmap(nullptr, mapped_bytes_, PROT_READ, MAP_PRIVATE, file, 0);
  }
  const int error = errno;
  if (file >= 0) {
    ::close(file);
  }
  if (is_open && !is_regular) {
    throw FileError(path, "cannot read: it is not a regular file");
  }
  if (!is_open || mapped_ == MAP_FAILED) {
    throw FileError(path, std::string("cannot read: ") + std::strerror(error));
  }
  if (mapped_bytes_ > 0) {
    ::madvise(mapped_, mapped_bytes_, MADV_SEQUENTIAL);
  }
}

Contents::~Contents() {
  if (mapped_bytes_ > 0) {
    ::munmap(mapped_, mapped_bytes_);
  }
}

}  // namespace cleave::reading
