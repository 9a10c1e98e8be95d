// SPDX-License-Identifier: Apache-2.0
// A program that is linked with this has --inject, faults on purpose.
#pragma once

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/options.hpp>

namespace cleave::detail {

/// A fault on one rank before a functor.
struct Injection {
  enum class Fault {
    throw_error,   ///< an Error
    throw_memory,  ///< a std::bad_alloc
    throw_number,  ///< an int, which is no std::exception
    delay,         ///< the rank sleeps
    kill,          ///< the process ends at once
  };
  Fault fault = Fault::throw_error;
  int rank = 0;
  int level = 0;
  Block block = Block::divide;
  int delay_ms = 0;
  int nth = 0;       ///< only the nth time from 1 on; 0: every time
  std::string text;  ///< as it was given
  /// How often its place has been reached, and how often it has happened, in this process.
  std::shared_ptr<std::atomic<int>> reached = std::make_shared<std::atomic<int>>(0);
  std::shared_ptr<std::atomic<int>> happened = std::make_shared<std::atomic<int>>(0);
};

/// "throw:rank=1,level=0,block=divide", "kill:..." alike; "throw:...,what=memory" or "number";
/// "delay:rank=1,level=0,block=divide,ms=20"; each with ",nth=3".
/// \throws UsageError
Injection parse_injection(std::string_view text);

/// The Hooks::before_block of `rank`; empty if there is nothing to inject.
std::function<void(Block, int level)> arm(const std::vector<Injection>& injections, int rank);

}  // namespace cleave::detail
