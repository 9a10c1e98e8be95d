// What DC_Call throws, the same on every rank.
#pragma once

#include <string>

#include "skeleton/trace/error.hpp"

namespace cleave {

/// A functor threw on some rank, or a message could not be stored there.
class FunctorError : public Error {
 public:
  /// \param block    the functor's name, or "exchange"
  /// \param message  of the exception that it threw
  FunctorError(int rank, int level, std::string block, std::string message);

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
 public:
  using Error::Error;
};

/// MPI reported a failure; the communicator is unusable afterwards.
class MpiError : public Error {
 public:
  MpiError(const char* call, int code);
};

}  // namespace cleave
