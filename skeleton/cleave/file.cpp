// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

#include <cleave/error.hpp>
#include <cleave/file.hpp>

namespace cleave {

AtomicFile::AtomicFile(std::filesystem::path path)
    : path_(std::move(path)), partial_(path_.string() + ".partial") {
  if (std::filesystem::is_directory(path_)) {
    throw FileError(path_, "cannot write: it is a folder");
  }
  file_ = std::fopen(partial_.c_str(), "wb");
  if (file_ == nullptr) {
    fail("cannot write");
  }
}

AtomicFile::~AtomicFile() {
  if (file_ != nullptr) {
    std::fclose(file_);
    std::error_code ignored;
    std::filesystem::remove(partial_, ignored);
  }
}

void AtomicFile::write(std::string_view text) {
  if (std::fwrite(text.data(), 1, text.size(), file_) != text.size()) {
    fail("cannot write");
  }
}

void AtomicFile::commit() {
  if (std::fflush(file_) != 0 || ::fsync(::fileno(file_)) != 0) {
    fail("cannot write");
  }
  if (std::rename(partial_.c_str(), path_.c_str()) != 0) {
    fail("cannot rename into place");
  }
  std::fclose(file_);
  file_ = nullptr;
}

void AtomicFile::fail(const char* action) const {
  throw FileError(path_, std::string(action) + ": " + std::strerror(errno));
}

void write_file(const std::filesystem::path& path, std::string_view text) {
  AtomicFile file(path);
  file.write(text);
  file.commit();
}

std::string read_file(const std::filesystem::path& path) {
  if (std::filesystem::is_directory(path)) {
    throw FileError(path, "cannot read: it is a folder");
  }
  std::ifstream stream(path, std::ios::binary);
  if (!stream) {
    throw FileError(path, std::string("cannot read: ") + std::strerror(errno));
  }
  std::ostringstream text;
  text << stream.rdbuf();
  if (stream.bad()) {
    throw FileError(path, std::string("cannot read: ") + std::strerror(errno));
  }
  return std::move(text).str();
}

}  // namespace cleave
