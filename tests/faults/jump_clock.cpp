// SPDX-License-Identifier: Apache-2.0
// To be preloaded. At random calls the clock of the day jumps by up to a day, forwards or back, and
// the steady clock forwards by up to a second. CLEAVE_SEED seeds them.
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <random>

namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;
std::atomic<std::int64_t> day_shift_ns = 0;
std::atomic<std::int64_t> steady_shift_ns = 0;

void jump_at_times() {
  thread_local std::mt19937_64 random = [] {
    const char* const seed = std::getenv("CLEAVE_SEED");
    return std::mt19937_64(seed == nullptr ? 1 : std::strtoull(seed, nullptr, 10));
  }();
  constexpr std::int64_t kDay_ns = 86'400 * kSecond_ns;
  switch (random() % 2000) {
    case 0:
      day_shift_ns = std::uniform_int_distribution<std::int64_t>(-kDay_ns, kDay_ns)(random);
      break;
    case 1:
      steady_shift_ns += std::uniform_int_distribution<std::int64_t>(0, kSecond_ns)(random);
      break;
    default:
      break;
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
