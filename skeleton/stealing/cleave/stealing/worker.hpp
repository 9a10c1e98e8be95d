// SPDX-License-Identifier: Apache-2.0
// What one thread keeps to take nodes of a bag, and how it paces itself (bag.hpp).
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include <cleave/contract/split_deque.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/worker_statistics.hpp>

namespace cleave::detail {

struct alignas(kCacheLineBytes) Worker {
  Worker(int rank, int thread) : index(thread) {
    statistics.rank = rank;
    statistics.thread = thread;
  }

  const int index;
  bool is_active = false;  ///< it has or may get hold of a node
  bool has_failed = false;
  std::size_t steal_next = 1;  ///< nodes, from another worker
  std::int64_t visits_when_dry = 0;
  WorkerStatistics statistics;

  /// Once it runs dry: takes more nodes next time where those since the last time were few.
  void adapt_steal() {
    constexpr std::int64_t kFewVisits = 256;
    constexpr std::size_t kMaxStolen = 64;
    const std::int64_t visits = statistics.visits - visits_when_dry;
    visits_when_dry = statistics.visits;
    steal_next = visits < kFewVisits ? std::min(2 * steal_next, kMaxStolen)
                                     : std::max<std::size_t>(steal_next / 2, 1);
  }
};

}  // namespace cleave::detail
