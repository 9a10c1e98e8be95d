// SPDX-License-Identifier: Apache-2.0
// A functor that is called as part of a greater block, and fails under its own name.
#pragma once

#include <string>
#include <utility>

#include <cleave/error.hpp>

namespace cleave::detail {

/// A functor of the application threw; which one.
struct BlockFailed : Error {
  BlockFailed(std::string failed_block, const std::string& message)
      : Error(message), block(std::move(failed_block)) {}
  std::string block;
};

/// BlockFailed of the exception that is being handled.
[[noreturn]] void throw_block_failed(const char* name);

/// Calls a functor as part of a greater block; what it throws becomes BlockFailed.
template <class Work>
auto in_functor(const char* name, Work&& work) {
  try {
    return work();
  } catch (...) {
    throw_block_failed(name);
  }
}

}  // namespace cleave::detail
