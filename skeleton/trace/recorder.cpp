// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <new>

#include <cleave/error.hpp>
#include <cleave/trace.hpp>

namespace cleave {

using namespace detail;

std::int64_t monotonic_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

Recorder::Recorder(Clock clock, std::size_t capacity) : clock_(clock), capacity_(capacity) {
  // Address space only: pages are taken as spans come.
  constexpr std::size_t kRoomAtFirst = 65536;
  spans_.reserve(std::min(capacity, kRoomAtFirst));
}

void Recorder::begin_repetition(std::int32_t index, bool warm_up) {
  current_ = Repetition{.index = index, .warm_up = warm_up};
}

void Recorder::end_repetition(std::int64_t elapsed_ns) {
  current_.elapsed_ns = elapsed_ns;
  repetitions_.push_back(current_);
}

ThreadMoment Recorder::begin() const {
  const std::int64_t delay_ns = run_delay_ns();  // before the clock: a look is no part of the span
  return {clock_(), delay_ns};
}

ThreadMoment Recorder::end(const ThreadMoment& begin) const {
  constexpr std::int64_t kShort_ns = 20'000;
  const std::int64_t now_ns = clock_();
  return {now_ns, now_ns - begin.ns < kShort_ns ? begin.run_delay_ns : run_delay_ns()};
}

void Recorder::record(Block block, int level, int group, const ThreadMoment& begin,
                      const ThreadMoment& end, std::int64_t bytes, const Sizes& sizes) {
  if (spans_.size() == capacity_) {
    ++dropped_;
    return;
  }
  try {
    const std::uint8_t names = names_of(sizes);
    Span& span = spans_.emplace_back();
    span.begin_ns = begin.ns;
    span.end_ns = end.ns;
    span.run_delay_ns = static_cast<float>(
        std::clamp<std::int64_t>(end.run_delay_ns - begin.run_delay_ns, 0, end.ns - begin.ns));
    span.bytes = bytes;
    span.repetition = current_.index;
    span.group = group;
    span.level = static_cast<std::int16_t>(level);
    span.block = block;
    span.size_names = names;
    std::ranges::transform(sizes, span.size_values.begin(), &Size::value);
  } catch (const std::bad_alloc&) {
    capacity_ = spans_.size();
    ++dropped_;
  }
}

Sizes Recorder::sizes_of(const Span& span) const {
  Sizes sizes;
  for (const Size& named : names_.at(span.size_names)) {
    sizes.add(Size{named.name, span.size_values[sizes.size()]});
  }
  return sizes;
}

std::uint8_t Recorder::names_of(const Sizes& sizes) {
  const auto same_literals = [](const Size& a, const Size& b) {
    return a.name.data() == b.name.data() && a.name.size() == b.name.size();
  };
  if (!names_.empty() && std::ranges::equal(names_[last_names_], sizes, same_literals)) {
    return last_names_;  // mostly
  }
  const auto found = std::ranges::find_if(names_, [&](const Sizes& known) {
    return std::ranges::equal(known, sizes, {}, &Size::name, &Size::name);
  });
  const auto index = static_cast<std::uint8_t>(found - names_.begin());
  if (found == names_.end()) {
    if (names_.size() == 256) {
      throw Error("a trace can hold at most 256 different lists of size names");
    }
    names_.push_back(sizes);
  }
  return last_names_ = index;
}

void Recorder::append(const Recorder& other) {
  for (const Span& span : other.spans()) {
    record(span.block, span.level, span.group, span.begin_ns, end_of(span), span.bytes,
           other.sizes_of(span));
  }
  dropped_ += other.dropped();
}

}  // namespace cleave
