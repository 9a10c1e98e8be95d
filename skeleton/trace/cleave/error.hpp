// SPDX-License-Identifier: Apache-2.0
// The exceptions that Cleave throws. Each message is one line that names the thing, its value and
// what is allowed, so that a program can print it as it stands.
#pragma once

#include <exception>
#include <stdexcept>
#include <string>
#include <utility>

namespace cleave {

/// Base of every error that is raised on purpose.
class Error : public std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Something that a person typed cannot be used: a flag, a size, a name. Programs end with
/// status 2.
class UsageError : public Error {
  using Error::Error;
};

/// A file cannot be read or written, or does not hold what it should.
class FileError : public Error {
 public:
  /// \param what  what is wrong, with the field or line; the file's name is put before it.
  FileError(const std::string& file, const std::string& what) : Error(file + ": " + what) {}
};

/// A functor threw on some rank, or a message could not be stored there. DC_Call throws the same
/// one on every rank.
class FunctorError : public Error {
 public:
  /// \param block    the functor's name, or "exchange"
  /// \param message  of the exception that it threw
  FunctorError(int rank, int level, std::string block, std::string message)
      : Error("rank " + std::to_string(rank) + ", level " + std::to_string(level) + ", " + block +
              ": " + message),
        rank_(rank),
        level_(level),
        block_(std::move(block)),
        message_(std::move(message)) {}

  int rank() const { return rank_; }
  int level() const { return level_; }
  const std::string& block() const { return block_; }
  const std::string& message() const { return message_; }

 private:
  int rank_;
  int level_;
  std::string block_;
  std::string message_;
};

/// A search was asked to stop, and can be resumed from the snapshot that it has written.
class Interrupted : public Error {
  using Error::Error;
};

/// Why a search ended before all of its tree was searched.
struct EndedEarly {
  std::string reason;           ///< one line
  bool can_be_resumed = false;  ///< it was asked to stop, and has left a snapshot
};

/// \throws Interrupted  if it can be resumed; else Error
[[noreturn]] inline void throw_ended_early(const EndedEarly& end) {
  end.can_be_resumed ? throw Interrupted(end.reason) : throw Error(end.reason);
}

namespace detail {

/// The message of the exception that is being handled, whatever it is.
inline std::string message_of_exception() {
  try {
    throw;
  } catch (const std::exception& e) {
    return e.what() != nullptr ? e.what() : "an exception without a message";
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

}  // namespace detail

}  // namespace cleave
