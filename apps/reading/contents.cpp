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
#include <new>
#include <system_error>
#include <utility>

#include <cleave/error.hpp>

namespace cleave::reading {

namespace {

constexpr std::string_view kGzip = "\x1f\x8b";

constexpr auto kKinds = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"\x93NUMPY", "a NumPy file"},
    {"\x89HDF\r\n\x1a\n", "an HDF5 file"},
    {kGzip, "a gzip file"},
    {"BZh", "a bzip2 file"},
    {"\xfd"
     "7zXZ",
     "an xz file"},
    {"\x28\xb5\x2f\xfd", "a Zstandard file"},
    {"\x04\x22\x4d\x18", "an LZ4 file"},
    {"7z\xbc\xaf", "a 7z file"},
    {"PK\x03\x04", "a zip file"},
    {"PAR1", "a Parquet file"},
    {"ARROW1", "an Arrow file"},
    {"FEA1", "a Feather file"},
    {"Obj\x01", "an Avro file"},
    {"SQLite format 3", "an SQLite database"},
    {"MATLAB ", "a MATLAB file"},
    {"SIMPLE  =", "a FITS file"},
    {"CDF\x01", "a NetCDF file"},
    {"CDF\x02", "a NetCDF file"},
    {"CDF\x05", "a NetCDF file"},
    {"RDX2\n", "a file of R"},
    {"RDX3\n", "a file of R"},
    {"ORC", "an ORC file"},
    {"RIFF", "a RIFF file"},
    {"%PDF", "a PDF file"},
    {"\x89PNG", "a PNG image"},
    {"\xff\xd8\xff", "a JPEG image"},
    {"\x80\x04\x95", "a pickle of Python"},
    {"\x80\x05\x95", "a pickle of Python"},
    {"\xff\xfe", "text in UTF-16"},
    {"\xfe\xff", "text in UTF-16"},
    {"\x7f"
     "ELF",
     "a program"},
});
constexpr std::string_view kTar = "a tar file";
constexpr std::array<std::string_view, 7> kPacked = {
    "a bzip2 file", "an xz file", "a Zstandard file", "an LZ4 file", "a 7z file",
    "a zip file",   kTar};

/// Gzip members, one after the other. \throws FileError  naming `path`
std::string unpack(std::string_view packed, const std::filesystem::path& path,
                   std::int64_t max_bytes) {
  constexpr int kWindowOfGzip = 15 + 16;
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  z_stream stream{};
  if (::inflateInit2(&stream, kWindowOfGzip) != Z_OK) {
    throw std::bad_alloc();
  }
  const std::unique_ptr<z_stream, int (*)(z_streamp)> ends(&stream, ::inflateEnd);
  std::string text;
  bool is_within_member = true;
  while (!packed.empty() || (is_within_member && stream.avail_out == 0)) {
    const std::size_t before = text.size();
    text.resize(before + kAtOnce);
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(packed.data()));
    stream.avail_in = static_cast<uInt>(std::min(packed.size(), kAtOnce));
    packed.remove_prefix(stream.avail_in);
    stream.next_out = reinterpret_cast<Bytef*>(text.data() + before);
    stream.avail_out = kAtOnce;
    const int status = ::inflate(&stream, Z_NO_FLUSH);
    packed = {packed.data() - stream.avail_in, packed.size() + stream.avail_in};
    text.resize(text.size() - stream.avail_out);
    is_within_member = status != Z_STREAM_END;
    if (!is_within_member) {
      ::inflateReset(&stream);
    } else if (status != Z_OK && status != Z_BUF_ERROR) {
      throw FileError(path, fmt::format("cannot be unpacked: {}",
                                        stream.msg == nullptr ? "it is damaged" : stream.msg));
    }
    if (std::cmp_greater(text.size(), max_bytes)) {
      throw FileError(path, fmt::format("too large for this machine: unpacked it has more than {} "
                                        "bytes",
                                        max_bytes));
    }
  }
  if (is_within_member) {
    throw FileError(path, "cannot be unpacked: cut short");
  }
  return text;
}

bool is_control(char c) {
  const auto byte = static_cast<unsigned char>(c);
  return (byte < ' ' && c != '\t' && c != '\n' && c != '\r') || byte == 0x7f;
}

/// Whether `text`, which may be cut within its last character, is UTF-8.
bool is_utf8(std::string_view text) {
  for (std::size_t at = 0; at < text.size();) {
    const auto first = static_cast<unsigned char>(text[at]);
    if ((first >= 0x80 && first < 0xc2) || first > 0xf4) {
      return false;
    }
    const std::size_t bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    for (const char c : text.substr(at).substr(0, bytes).substr(1)) {
      if ((static_cast<unsigned char>(c) & 0xc0) != 0x80) {
        return false;
      }
    }
    at += bytes;
  }
  return true;
}

}  // namespace

std::optional<std::string_view> kind_of(std::string_view head) {
  for (const auto& [begin, kind] : kKinds) {
    if (head.starts_with(begin)) {
      return kind;
    }
  }
  constexpr std::size_t kTarAt = 257;  // behind the name and the numbers of its first file
  if (head.size() > kTarAt && head.substr(kTarAt).starts_with("ustar")) {
    return kTar;
  }
  return std::nullopt;
}

bool is_text(std::string_view contents) {
  constexpr std::size_t kLooked = 4096;
  const std::string_view head = contents.substr(0, kLooked);
  const auto others = std::ranges::count_if(head, [](char c) { return (c & 0x80) != 0; });
  return !head.empty() && std::ranges::none_of(head, is_control) &&
         (is_utf8(head) || 4 * others < std::ssize(head));
}

Contents::Contents(const std::filesystem::path& path, std::int64_t max_bytes) {
  map(path);
  text_ = {static_cast<const char*>(mapped_), mapped_bytes_};
  const auto kind = kind_of(text_);
  if (kind && std::ranges::count(kPacked, *kind) != 0) {
    throw FileError(path, fmt::format("is {}: unpack it first, or take gzip", *kind));
  }
  if (text_.starts_with(kGzip)) {
    unpacked_ = unpack(text_, path, max_bytes);
    text_ = unpacked_;
  }
}

void Contents::map(const std::filesystem::path& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) {
    throw FileError(path, "cannot read: it is a folder");
  }
  // Of a FIFO that nobody writes to, it would wait.
  const int file = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
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
