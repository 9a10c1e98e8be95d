#include "apps/harness/dilate.hpp"

#include <time.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "skeleton/trace/recorder.hpp"

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

/// The blocks of a repetition in their order, each with the least time that it has taken so far.
class LeastTimes {
 public:
  explicit LeastTimes(const Recorder& recorder) : recorder_(&recorder) {}

  std::int64_t settle_ns(std::int64_t used_ns) {
    if (const std::size_t repetition = recorder_->repetitions().size(); repetition != repetition_) {
      repetition_ = repetition;
      next_ = 0;
    }
    if (next_ == least_ns_.size()) {
      least_ns_.push_back(used_ns);
    }
    std::int64_t& least_ns = least_ns_[next_++];
    least_ns = std::min(least_ns, used_ns);
    return least_ns;
  }

 private:
  const Recorder* recorder_;
  std::size_t repetition_ = 0;
  std::size_t next_ = 0;
  std::vector<std::int64_t> least_ns_;
};

}  // namespace

void dilate_blocks(Options& options, double factor, bool repeats) {
  options.before_block = [inner = std::move(options.before_block)](Block block, int level) {
    begin = {.processor_ns = read_ns(CLOCK_THREAD_CPUTIME_ID), .wall_ns = read_ns(CLOCK_MONOTONIC)};
    if (inner) {
      inner(block, level);
    }
  };
  std::optional<LeastTimes> least;
  if (repeats) {
    least.emplace(*options.recorder);
  }
  options.after_block = [factor, least = std::move(least)](Block, int) mutable {
    std::int64_t used_ns = read_ns(CLOCK_THREAD_CPUTIME_ID) - begin.processor_ns;
    if (least) {
      used_ns = least->settle_ns(used_ns);
    }
    const std::int64_t until_ns =
        begin.wall_ns + static_cast<std::int64_t>(factor * static_cast<double>(used_ns));
    const timespec until{.tv_sec = until_ns / kSecond_ns, .tv_nsec = until_ns % kSecond_ns};
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &until, nullptr) != 0) {
    }
  };
}

}  // namespace cleave
