// SPDX-License-Identifier: Apache-2.0
// Whether this process waits for a message of another rank, for whoever watches it (the program
// around an application). Only the thread that calls MPI waits.
#pragma once

#include <atomic>
#include <cstdint>

namespace cleave::detail {

/// Odd while the process waits. A wait that goes on has the same number.
inline std::atomic<std::uint64_t> waits = 0;

/// A wait, as long as it lives. Not within another one. Cost: 1 ns.
class Waiting {
 public:
  Waiting() { next(); }
  ~Waiting() { next(); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

 private:
  static void next() {
    waits.store(waits.load(std::memory_order_relaxed) + 1, std::memory_order_relaxed);
  }
};

}  // namespace cleave::detail
