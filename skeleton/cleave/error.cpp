// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <mpi.h>

#include <array>
#include <string_view>
#include <utility>

#include <cleave/error.hpp>

namespace cleave {

namespace {

std::string mpi_error_text(int code) {
  std::array<char, MPI_MAX_ERROR_STRING> text{};
  int length = 0;
  MPI_Error_string(code, text.data(), &length);
  return {text.data(), static_cast<std::size_t>(length)};
}

}  // namespace

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

MpiError::MpiError(const char* call, int code)
    : Error(fmt::format("{} failed: {}", call, mpi_error_text(code))) {}

}  // namespace cleave
