// SPDX-License-Identifier: Apache-2.0
// To be preloaded: the clock of the day jumps forwards and back by up to a day, the steady clock
// forwards by up to a second, at random calls. CLEAVE_SEED seeds them.
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>

namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;
constexpr std::int64_t kDay_ns = 86'400 * kSecond_ns;
constexpr std::uint64_t kCallsAJump = 2000;

/// Of this thread alone, so that a thread's clock does not run back where the system's would not.
std::uint64_t next_random() {
  static const std::uint64_t seed = [] {
    const char* const text = std::getenv("CLEAVE_SEED");
    return text == nullptr ? 1 : std::strtoull(text, nullptr, 10);
  }();
  static std::uint64_t state = seed;
  const std::uint64_t value = __atomic_add_fetch(&state, 0x9e3779b97f4a7c15U, __ATOMIC_RELAXED);
  std::uint64_t mixed = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebU;
  return mixed ^ (mixed >> 31);
}

std::int64_t day_shift_ns = 0;
std::int64_t steady_shift_ns = 0;

void jump_at_times() {
  const std::uint64_t random = next_random();
  if (random % kCallsAJump == 0) {
    const auto far = static_cast<std::int64_t>(random >> 20) % kDay_ns;
    __atomic_store_n(&day_shift_ns, (random >> 12) % 2 == 0 ? far : -far, __ATOMIC_RELAXED);
  } else if (random % kCallsAJump == 1) {
    __atomic_add_fetch(&steady_shift_ns, static_cast<std::int64_t>(random >> 20) % kSecond_ns,
                       __ATOMIC_RELAXED);
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
    const std::int64_t shift =
        __atomic_load_n(is_of_day ? &day_shift_ns : &steady_shift_ns, __ATOMIC_RELAXED);
    const std::int64_t shifted = time->tv_sec * kSecond_ns + time->tv_nsec + shift;
    time->tv_sec = shifted / kSecond_ns;
    time->tv_nsec = shifted % kSecond_ns;
  }
  return code;
}

extern "C" int gettimeofday(timeval* time, void*) {
  timespec fine{};
  const int code = clock_gettime(CLOCK_REALTIME, &fine);
  time->tv_sec = fine.tv_sec;
  time->tv_usec = fine.tv_nsec / 1000;
  return code;
}
