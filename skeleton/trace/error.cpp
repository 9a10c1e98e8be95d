// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <exception>
#include <utility>

#include <cleave/error.hpp>

namespace cleave {

FunctorError::FunctorError(int rank, int level, std::string block, std::string message)
    : Error(fmt::format("rank {}, level {}, {}: {}", rank, level, block, message)),
      rank_(rank),
      level_(level),
      block_(std::move(block)),
      message_(std::move(message)) {}

void throw_ended_early(const EndedEarly& end) {
  if (end.can_be_resumed) {
    throw Interrupted(end.reason);
  }
  throw Error(end.reason);
}

std::string detail::message_of_exception() {
  try {
    throw;
  } catch (const std::exception& e) {
    const char* const message = e.what();
    return message != nullptr ? message : "an exception without a message";
  } catch (...) {
    return "an exception that is not a std::exception";
  }
}

}  // namespace cleave
