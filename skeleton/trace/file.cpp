// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <boost/crc.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <system_error>
#include <utility>

#include <cleave/error.hpp>
#include <cleave/file.hpp>

namespace cleave {

namespace fs = std::filesystem;

namespace {

fs::path folder_of(const fs::path& path) {
  return path.has_parent_path() ? path.parent_path() : fs::path(".");
}

/// A device, a FIFO, or what else has a name and is neither a folder nor a regular file.
bool is_special(const fs::path& path) {
  std::error_code none;
  const fs::file_status status = fs::status(path, none);
  return fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status);
}

[[noreturn]] void fail(const fs::path& path, const char* action) {
  throw FileError(path, fmt::format("{}: {}", action, std::strerror(errno)));
}

/// A name beside `path` that is nobody's yet: another's once in 2^32.
fs::path beside(const fs::path& path) {
  constexpr std::size_t kMaxLength = 200;  // of 255 that a name may have
  const fs::path named = path.has_filename() ? path : path.parent_path();
  return folder_of(named) / fmt::format("{}.{:08x}.partial",
                                        named.filename().string().substr(0, kMaxLength),
                                        std::random_device()());
}

/// The output that `path` stands for: symbolic links are followed, not those to a device or a FIFO.
fs::path followed(const fs::path& path) {
  constexpr int kMaxLinks = 40;  // as the system follows
  fs::path target = path;
  std::error_code none;
  for (int i = 0; i < kMaxLinks; ++i) {
    if (!fs::is_symlink(fs::symlink_status(target, none)) || is_special(target)) {
      return target;
    }
    const fs::path link = fs::read_symlink(target, none);
    target = link.is_absolute() ? link : target.parent_path() / link;
  }
  errno = ELOOP;
  fail(path, "cannot write");
}

}  // namespace

bool is_standard_output(const fs::path& path) { return path == "-"; }

void check_writable(const fs::path& path) {
  if (is_standard_output(path)) {
    return;
  }
  const fs::path target = followed(path);
  std::error_code none;
  if (fs::is_directory(target, none)) {
    throw FileError(path, "cannot write: it is a folder");
  }
  const bool may_be_written = ::access(target.c_str(), W_OK) == 0 || errno == ENOENT;
  if (!may_be_written || (!is_special(target) && ::access(folder_of(target).c_str(), W_OK) != 0)) {
    fail(path, "cannot write");
  }
}

fs::path make_folder_beside(const fs::path& path) {
  fs::path name = beside(path);
  if (::mkdir(name.c_str(), 0777) != 0) {
    fail(path, "cannot make this folder");
  }
  return name;
}

AtomicFile::AtomicFile(const fs::path& path) : path_(path) {
  if (is_standard_output(path)) {
    file_ = stdout;
    return;
  }
  check_writable(path);
  path_ = followed(path);
  partial_ = is_special(path_) ? fs::path() : beside(path_);
  file_ = std::fopen(written().c_str(), partial_.empty() ? "we" : "wxe");
  if (file_ == nullptr) {
    fail(path_, "cannot write");
  }
  struct stat older {};
  if (!partial_.empty() && ::stat(path_.c_str(), &older) == 0) {
    [[maybe_unused]] const int ignored =
        ::fchown(::fileno(file_), older.st_uid, older.st_gid);  // where that is allowed
    ::fchmod(::fileno(file_), older.st_mode & 0777);
  }
}

AtomicFile::~AtomicFile() {
  if (file_ != nullptr && file_ != stdout) {
    std::fclose(file_);
    std::error_code ignored;
    fs::remove(partial_, ignored);
  }
}

void AtomicFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
    fail(path_, "cannot write");
  }
}

void AtomicFile::commit() {
  const bool is_renamed = !partial_.empty();
  if (std::fflush(file_) != 0 || (is_renamed && detail::sync(::fileno(file_), partial_) != 0)) {
    fail(path_, "cannot write");
  }
  if (is_renamed && std::rename(partial_.c_str(), path_.c_str()) != 0) {
    fail(path_, "cannot rename into place");
  }
  if (file_ != stdout) {
    std::fclose(std::exchange(file_, nullptr));
  }
}

void write_file(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::string read_file(const fs::path& path, std::size_t most) {
  std::error_code none;
  if (fs::is_directory(path, none)) {
    throw FileError(path, "cannot read: it is a folder");
  }
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  for (std::array<char, 65536> piece{};
       stream && text.size() < most;) {  // a failure of `rdbuf()` looks like the end
    stream.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad() || (!stream.eof() && text.size() < most)) {
    fail(path, "cannot read");
  }
  return text;
}

std::uint64_t detail::crc_64(std::span<const std::byte> bytes) {
  boost::crc_optimal<64, 0x42F0E1EBA9EA3693, ~0ULL, ~0ULL, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

std::string detail::content_of(const fs::path& path) {
  constexpr std::size_t kWhole = std::size_t{1} << 26;
  const std::string text = read_file(path, kWhole);
  const std::string checksum = fmt::format("{:016x}", crc_64(std::as_bytes(std::span(text))));
  return text.size() < kWhole ? checksum
                              : fmt::format("{} of {} bytes of {}", checksum, fs::file_size(path),
                                            fs::last_write_time(path).time_since_epoch().count());
}

}  // namespace cleave
