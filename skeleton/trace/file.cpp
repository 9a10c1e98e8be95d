// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <boost/crc.hpp>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
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

std::string last_error() { return std::strerror(errno); }

constexpr mode_t kNewFile = 0666;  // less the umask
constexpr mode_t kNewFolder = 0777;

/// Calls `make(name)`, which returns -1 and sets errno if it fails, with names beside `path` until
/// one is nobody's yet. \return  what it returns, -1 if it fails for another reason
template <class Make>
int make_beside(const fs::path& path, fs::path& name, Make&& make) {
  constexpr std::size_t kMaxLength = 200;  // of 255 that a name may have
  const fs::path named = path.has_filename() ? path : path.parent_path();
  const std::string stem = named.filename().string().substr(0, kMaxLength);
  std::random_device random;
  int made = -1;
  do {
    name = folder_of(named) / fmt::format("{}.{:08x}.partial", stem, random());
    made = make(name.c_str());
  } while (made < 0 && errno == EEXIST);
  return made;
}

/// Gives `file` the owner, where that is allowed, and the permissions of what is at `path`.
void take_permissions(int file, const fs::path& path) {
  constexpr mode_t kPermissions = 0777;
  struct stat status {};
  if (::stat(path.c_str(), &status) == 0) {
    [[maybe_unused]] const int ignored = ::fchown(file, status.st_uid, status.st_gid);
    ::fchmod(file, status.st_mode & kPermissions);
  }
}

/// A new file beside `path`, to be written; -1 if there can be none.
int open_beside(const fs::path& path, fs::path& name) {
  const int file = make_beside(path, name, [](const char* new_name) {
    return ::open(new_name, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY | O_CLOEXEC, kNewFile);
  });
  if (file >= 0) {
    take_permissions(file, path);
  }
  return file;
}

}  // namespace

bool is_standard_output(const fs::path& path) { return path == "-"; }

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
  throw FileError(path, std::string("cannot write: ") + std::strerror(ELOOP));
}

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
    throw FileError(path, "cannot write: " + last_error());
  }
}

fs::path make_file_beside(const fs::path& path) {
  fs::path name;
  const int file = open_beside(path, name);
  if (file < 0) {
    throw FileError(path, "cannot write: " + last_error());
  }
  ::close(file);
  return name;
}

fs::path make_folder_beside(const fs::path& path) {
  fs::path name;
  if (make_beside(path, name, [](const char* folder) { return ::mkdir(folder, kNewFolder); }) < 0) {
    throw FileError(path, "cannot make this folder: " + last_error());
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
  const int file = is_special(path_) ? ::open(path_.c_str(), O_WRONLY | O_CLOEXEC)
                                     : open_beside(path_, partial_);
  file_ = file < 0 ? nullptr : ::fdopen(file, "wb");
  if (file_ == nullptr) {
    fail("cannot write");
  }
}

AtomicFile::~AtomicFile() {
  if (file_ != nullptr && file_ != stdout) {
    std::fclose(file_);
    if (!partial_.empty()) {
      std::error_code ignored;
      fs::remove(partial_, ignored);
    }
  }
}

void AtomicFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
    fail("cannot write");
  }
}

void AtomicFile::commit(bool syncs) {
  const bool is_renamed = !partial_.empty();
  if (std::fflush(file_) != 0 || (is_renamed && syncs && ::fsync(::fileno(file_)) != 0)) {
    fail("cannot write");
  }
  if (is_renamed && std::rename(partial_.c_str(), path_.c_str()) != 0) {
    fail("cannot rename into place");
  }
  if (file_ != stdout) {
    std::fclose(std::exchange(file_, nullptr));
  }
}

void AtomicFile::fail(const char* action) const {
  throw FileError(path_, std::string(action) + ": " + last_error());
}

void write_file(const fs::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::string read_file(const fs::path& path) {
  std::error_code none;
  if (fs::is_directory(path, none)) {
    throw FileError(path, "cannot read: it is a folder");
  }
  std::ifstream stream(path, std::ios::binary);
  std::string text;
  for (std::array<char, 65536> piece{}; stream;) {  // a failure of `rdbuf()` looks like the end
    stream.read(piece.data(), piece.size());
    text.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
  }
  if (stream.bad() || !stream.eof()) {
    throw FileError(path, "cannot read: " + last_error());
  }
  return text;
}

std::uint64_t detail::crc_64(std::span<const std::byte> bytes) {
  boost::crc_optimal<64, 0x42F0E1EBA9EA3693, ~0ULL, ~0ULL, true, true> crc;
  crc.process_bytes(bytes.data(), bytes.size());
  return crc.checksum();
}

std::uint64_t detail::crc_64(std::string_view text) {
  return crc_64(std::as_bytes(std::span(text.data(), text.size())));
}

std::string detail::hexadecimal(std::uint64_t number) { return fmt::format("{:016x}", number); }

}  // namespace cleave
