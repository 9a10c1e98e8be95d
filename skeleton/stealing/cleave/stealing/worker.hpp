// SPDX-License-Identifier: Apache-2.0
// What one thread of a search keeps, and how it paces itself (executor.hpp).
#pragma once

#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <thread>

#include <cleave/comm/transport.hpp>
#include <cleave/contract/segment.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/worker_statistics.hpp>

namespace cleave::detail {

template <class Total>
struct alignas(kCacheLineBytes) Worker {
  Total total{};
  int index = 0;
  bool is_active = false;
  bool has_failed = false;
  std::int64_t batch = 1;      ///< visits between two looks up
  std::size_t steal_next = 1;  ///< nodes, from another worker
  std::int64_t nodes_before = 0;
  WorkerStatistics statistics;
  std::optional<Recorder> recorder;
  // Read by the main thread.
  alignas(kCacheLineBytes) std::atomic<std::int64_t> nodes_seen = 0;
  std::atomic<std::int64_t> visits_seen = 0;
  std::atomic<std::size_t> memory_bytes = 0;

  /// A batch is to take 5 to 20 us. It grows by and by, and shrinks at once where visits have
  /// become longer.
  void adapt_batch(std::int64_t took_ns) {
    constexpr std::int64_t kShort_ns = 5'000;
    constexpr std::int64_t kLong_ns = 20'000;
    constexpr std::int64_t kMaxBatch = 4096;
    if (took_ns < kShort_ns) {
      batch = std::min(2 * batch, kMaxBatch);
    } else if (took_ns > kLong_ns) {
      batch = std::max<std::int64_t>(batch * kLong_ns / took_ns, 1);
    }
  }

  /// Takes more nodes next time where those of the last time were soon exhausted.
  void adapt_steal(std::int64_t visits) {
    constexpr std::int64_t kFewVisits = 256;
    constexpr std::size_t kMaxStolen = 64;
    steal_next = visits < kFewVisits ? std::min(2 * steal_next, kMaxStolen)
                                     : std::max<std::size_t>(steal_next / 2, 1);
  }
};

/// Leaves the core to others, the longer the more surely where there are others (`is_polite`).
inline void pause_thread(int tries, bool is_polite) {
  constexpr int kYields = 20;
  constexpr int kSpins = 2'000;
  constexpr std::int64_t kSpin_ns = 1'000;
  if (is_polite && tries < kYields) {
    std::this_thread::yield();
  } else if (!is_polite && tries < kSpins) {
    for (const std::int64_t begin_ns = monotonic_ns(); monotonic_ns() - begin_ns < kSpin_ns;) {
    }
    if (tries % 64 == 63) {
      std::this_thread::yield();
    }
  } else {
    const timespec nap{.tv_sec = 0, .tv_nsec = 50'000};
    ::nanosleep(&nap, nullptr);
  }
}

}  // namespace cleave::detail
