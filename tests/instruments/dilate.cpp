// SPDX-License-Identifier: Apache-2.0
#include "tests/instruments/dilate.hpp"

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include <cleave/trace.hpp>

namespace cleave::detail {

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
thread_local Begin block_begin;

/// The blocks of a repetition in their order, each with the least time that it has taken so far.
class MinTimes {
 public:
  explicit MinTimes(const Recorder& recorder) : recorder_(&recorder) {}

  std::int64_t settle_ns(std::int64_t used_ns) {
    if (const std::size_t repetition = recorder_->repetitions().size(); repetition != repetition_) {
      repetition_ = repetition;
      next_ = 0;
    }
    if (next_ == min_ns_.size()) {
      min_ns_.push_back(used_ns);
    }
    std::int64_t& min_ns = min_ns_[next_++];
    min_ns = std::min(min_ns, used_ns);
    return min_ns;
  }

 private:
  const Recorder* recorder_;
  std::size_t repetition_ = 0;
  std::size_t next_ = 0;
  std::vector<std::int64_t> min_ns_;
};

}  // namespace

void dilate_blocks(CallOptions& options, double factor, bool repeats) {
  options.hooks.before_block = [inner = std::move(options.hooks.before_block)](Block block,
                                                                               int level) {
    block_begin = {.processor_ns = read_ns(CLOCK_THREAD_CPUTIME_ID),
                   .wall_ns = read_ns(CLOCK_MONOTONIC)};
    if (inner) {
      inner(block, level);
    }
  };
  std::optional<MinTimes> minimum;
  if (repeats) {
    minimum.emplace(*options.recorder);
  }
  options.hooks.after_block = [factor, minimum = std::move(minimum)](Block, int) mutable {
    std::int64_t used_ns = read_ns(CLOCK_THREAD_CPUTIME_ID) - block_begin.processor_ns;
    if (minimum) {
      used_ns = minimum->settle_ns(used_ns);
    }
    const std::int64_t until_ns =
        block_begin.wall_ns + static_cast<std::int64_t>(factor * static_cast<double>(used_ns));
    const timespec until{.tv_sec = until_ns / kSecond_ns, .tv_nsec = until_ns % kSecond_ns};
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
    }
  };
}

}  // namespace cleave::detail
