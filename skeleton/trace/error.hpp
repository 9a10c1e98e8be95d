// The exceptions that Cleave throws on purpose. Each message is one line that names the thing, its
// value and what is allowed, so that a program can print it as it stands.
#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>

namespace cleave {

/// Base of every error that is raised on purpose.
class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// What a person typed cannot be used: a flag, a size, a name. Programs end with status 2.
class UsageError : public Error {
  using Error::Error;
};

/// A file cannot be read or written, or does not hold what it should.
class FileError : public Error {
 public:
  /// \param what  what is wrong, with the field or line; the file's name is put before it.
  FileError(const std::filesystem::path& file, const std::string& what)
      : Error(file.string() + ": " + what) {}
};

}  // namespace cleave
