// SPDX-License-Identifier: Apache-2.0
// Faults on purpose, so that tests can see what an application does when a rank fails or is late.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/detail/trace/span.hpp>

namespace cleave::detail {

/// What happens before one functor on one rank, in every repetition.
struct Injection {
  enum class Fault {
    throw_error,  ///< an exception
    delay,        ///< the rank sleeps
    kill,         ///< the process ends at once
  };
  Fault fault = Fault::throw_error;
  int rank = 0;
  int level = 0;
  Block block = Block::divide;
  int delay_ms = 0;
  std::string text;  ///< as it was given
  /// How often it has happened in this process.
  std::shared_ptr<std::atomic<int>> happened = std::make_shared<std::atomic<int>>(0);
};

/// "throw:rank=1,level=0,block=divide", "kill:..." alike,
/// "delay:rank=1,level=0,block=divide,ms=20". \throws UsageError
Injection parse_injection(std::string_view text);

/// For Hooks::before_block of `rank`; empty if there is nothing to inject.
std::function<void(Block, int level)> before_block(const std::vector<Injection>& injections,
                                                   int rank);

}  // namespace cleave::detail
