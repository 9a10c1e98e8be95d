// SPDX-License-Identifier: Apache-2.0
// How the ranks of a search send each other messages: MPI's, those of virtual ranks
// (virtual_ranks.hpp), or a test's, which may hold messages back. No MPI.
#pragma once

#include <sched.h>
#include <time.h>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include <cleave/trace.hpp>

namespace cleave::detail {

/// monotonic_ns of the last tick of the system's timer, every 1 to 10 ms. Cost: 5 ns.
inline std::int64_t coarse_monotonic_ns() {
  timespec time{};
  ::clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
  return std::int64_t{time.tv_sec} * 1'000'000'000 + time.tv_nsec;
}

inline constexpr std::int64_t kSpin_ns = 1'000;
inline constexpr std::int64_t kNap_ns = 50'000;

/// How long a pause is after so many tries, where nobody else needs the core.
inline std::int64_t pause_ns(int tries) {
  constexpr int kSpins = 2'000;
  return tries < kSpins ? kSpin_ns : kNap_ns;
}

/// Leaves the core to others, the longer the more surely where there are others (`is_polite`).
inline void pause_thread(int tries, bool is_polite) {
  constexpr int kYields = 20;
  if (is_polite && tries < kYields) {
    ::sched_yield();
  } else if (!is_polite && pause_ns(tries) == kSpin_ns) {
    for (const std::int64_t begin_ns = monotonic_ns(); monotonic_ns() - begin_ns < kSpin_ns;) {
    }
    if (tries % 64 == 63) {
      ::sched_yield();
    }
  } else {
    const timespec nap{.tv_sec = 0, .tv_nsec = kNap_ns};
    ::nanosleep(&nap, nullptr);
  }
}

struct Message {
  int from = 0;
  std::vector<std::byte> bytes;
};

/// One rank's end. Messages arrive whole and once; those of one sender in the order in which they
/// were sent, those of two in any order, after any time.
class Transport {
 public:
  virtual ~Transport() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Never waits for the receiver.
  virtual void send(int to, std::vector<std::byte> bytes) = 0;
  /// The next message that has arrived, if one has.
  virtual std::optional<Message> receive() = 0;
  /// A clock that never goes back.
  virtual std::int64_t now_ns() const = 0;
  /// A cheap clock that begins at any other moment: workers pace themselves by it.
  virtual std::int64_t pace_ns() const { return monotonic_ns(); }
  /// A clock like pace_ns, but late by some milliseconds and five times as cheap.
  virtual std::int64_t coarse_ns() const { return coarse_monotonic_ns(); }
  /// Waits a moment, after so many `tries` in a row in which there was nothing to do.
  virtual void pause(int tries, bool is_polite) { pause_thread(tries, is_polite); }
};

}  // namespace cleave::detail
