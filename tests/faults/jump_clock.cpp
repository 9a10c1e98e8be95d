// SPDX-License-Identifier: Apache-2.0
// To be preloaded: the clock of the day jumps forwards and back by up to a day, the steady clock
// forwards by up to a second, at random calls. CLEAVE_SEED seeds them.
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>

namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;
std::atomic<std::int64_t> day_shift_ns = 0;
std::atomic<std::int64_t> steady_shift_ns = 0;

/// SplitMix64.
std::uint64_t next_random() {
  static std::atomic<std::uint64_t> state = [] {
    const char* const seed = std::getenv("CLEAVE_SEED");
    return seed == nullptr ? 1 : std::strtoull(seed, nullptr, 10);
  }();
  std::uint64_t mixed = state += 0x9e3779b97f4a7c15U;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31);
}

void jump_at_times() {
  constexpr std::uint64_t kCallsAJump = 2000;
  const std::uint64_t random = next_random();
  const auto far = static_cast<std::int64_t>(random >> 20);
  if (random % kCallsAJump == 0) {
    day_shift_ns =
        (random >> 12) % 2 == 0 ? far % (86'400 * kSecond_ns) : -(far % (86'400 * kSecond_ns));
  } else if (random % kCallsAJump == 1) {
    steady_shift_ns += far % kSecond_ns;
  }
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) {
  const auto code = static_cast<int>(::syscall(SYS_clock_gettime, clock, time));
  const bool is_of_day = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE;
  const bool is_steady = clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW ||
                         clock == CLOCK_MONOTONIC_COARSE || clock == CLOCK_BOOTTIME;
  if (code == 0 && (is_of_day || is_steady)) {
    jump_at_times();
    const std::int64_t shifted = time->tv_sec * kSecond_ns + time->tv_nsec +
                                 (is_of_day ? day_shift_ns : steady_shift_ns).load();
    time->tv_sec = shifted / kSecond_ns;
    time->tv_nsec = shifted % kSecond_ns;
  }
  return code;
}

extern "C" int gettimeofday(timeval* time, void*) {
  timespec fine{};
  const int code = clock_gettime(CLOCK_REALTIME, &fine);
  *time = {.tv_sec = fine.tv_sec, .tv_usec = fine.tv_nsec / 1000};
  return code;
}
