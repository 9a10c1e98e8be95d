// SPDX-License-Identifier: Apache-2.0
// The options of a call, with what only Cleave's own tests, referees and programs may put in.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/comm/transport.hpp>
#include <cleave/options.hpp>
#include <cleave/trace/span.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

/// Where a test gets in between the skeleton and what it calls.
struct Hooks {
  /// Called before each functor and each piece of the skeleton's own work with its block and level,
  /// as part of it: what it throws is the functor's failure. Work stealing calls it with
  /// Block::sequential before a few visits at once, on every worker.
  std::function<void(Block, int level)> before_block = nullptr;
  /// Makes the transport of work stealing's messages; MPI's if empty.
  std::function<std::unique_ptr<Transport>(const Comm& comm)> transport = nullptr;
};

struct CallOptions : Options {
  Hooks hooks{};
  /// Where the workers of this rank add up their visits after each batch; may be null.
  std::atomic<std::int64_t>* visits = nullptr;
  /// The hardware thread that each worker of this rank is bound to; empty where none is bound. Work
  /// stealing binds the threads that it starts; the calling one is bound by whoever says this.
  std::vector<int> bound_to{};
};

/// The limits of one rank's search, or of all of one rank.
inline SearchLimits limits_of(const StealingOptions& options) {
  return {.nodes = options.max_nodes,
          .seconds = options.max_s,
          .stop = options.stop,
          .ended_early = options.ended_early};
}

}  // namespace cleave::detail
