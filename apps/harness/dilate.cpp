#include "apps/harness/dilate.hpp"

#include <time.h>

#include <cstdint>
#include <utility>

namespace cleave {

namespace {

constexpr std::int64_t kSecond_ns = 1'000'000'000;

std::int64_t read_ns(clockid_t clock) {
  timespec time{};
  ::clock_gettime(clock, &time);
  return time.tv_sec * kSecond_ns + time.tv_nsec;
}

/// When the block that this thread is in began.
struct Begin {
  std::int64_t processor_ns = 0;
  std::int64_t wall_ns = 0;
};
thread_local Begin begin;

}  // namespace

void dilate_blocks(Options& options, double factor) {
  options.before_block = [inner = std::move(options.before_block)](Block block, int level) {
    begin = {.processor_ns = read_ns(CLOCK_THREAD_CPUTIME_ID), .wall_ns = read_ns(CLOCK_MONOTONIC)};
    if (inner) {
      inner(block, level);
    }
  };
  options.after_block = [factor](Block, int) {
    const auto used_ns = static_cast<double>(read_ns(CLOCK_THREAD_CPUTIME_ID) - begin.processor_ns);
    const std::int64_t until_ns = begin.wall_ns + static_cast<std::int64_t>(factor * used_ns);
    const timespec until{.tv_sec = until_ns / kSecond_ns, .tv_nsec = until_ns % kSecond_ns};
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
    }
  };
}

}  // namespace cleave
