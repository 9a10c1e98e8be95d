// SPDX-License-Identifier: Apache-2.0
// How far a search is, for whoever shows it: the visits of all ranks, told once a second. No MPI.
#pragma once

#include <atomic>
#include <cstdint>

namespace cleave::detail {

/// Of the search that is running; on rank 0. Written and read by different threads.
class SearchWatch {
 public:
  void set_visits(std::int64_t visits) { visits_.store(visits, std::memory_order_relaxed); }
  std::int64_t visits() const { return visits_.load(std::memory_order_relaxed); }

 private:
  std::atomic<std::int64_t> visits_ = 0;
};

}  // namespace cleave::detail
