// SPDX-License-Identifier: Apache-2.0
#include "apps/reading/reading.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>
#include <utility>

namespace cleave::reading {

namespace {

/// \throws FileError
std::string unpack(const std::filesystem::path& path, std::int64_t max_bytes) {
  constexpr std::size_t kAtOnce = std::size_t{1} << 20;
  const std::unique_ptr<gzFile_s, int (*)(gzFile)> file(::gzopen(path.c_str(), "rb"), ::gzclose);
  std::string text;
  int status = Z_OK;
  const char* message = file == nullptr ? std::strerror(errno) : "";
  for (int bytes = 1; file != nullptr && bytes > 0 && status == Z_OK;) {
    const std::size_t before = text.size();
    text.resize(before + kAtOnce);
    bytes = ::gzread(file.get(), text.data() + before, kAtOnce);
    text.resize(before + static_cast<std::size_t>(std::max(bytes, 0)));
    message = ::gzerror(file.get(), &status);
    if (std::cmp_greater(text.size(), max_bytes)) {
      throw FileError(path, fmt::format("too large for this machine: unpacked it has more than {} "
                                        "bytes",
                                        max_bytes));
    }
  }
  if (file == nullptr || status != Z_OK) {
    throw FileError(path, fmt::format("cannot be unpacked: {}", message));
  }
  return text;
}

}  // namespace

Contents::Contents(const std::filesystem::path& path, std::int64_t max_bytes) {
  constexpr std::string_view kGzip = "\x1f\x8b";
  // O_NONBLOCK: a FIFO that nobody writes to is refused, not waited for.
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
  text_ = {static_cast<const char*>(mapped_), mapped_bytes_};
  if (text_.starts_with(kGzip)) {
    text_ = unpacked_ = unpack(path, max_bytes);
  } else if (mapped_bytes_ > 0) {
    ::madvise(mapped_, mapped_bytes_, MADV_SEQUENTIAL);
  }
}

Contents::~Contents() {
  if (mapped_bytes_ > 0) {
    ::munmap(mapped_, mapped_bytes_);
  }
}

}  // namespace cleave::reading
