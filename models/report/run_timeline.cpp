// SPDX-License-Identifier: Apache-2.0
#include "models/report/run_timeline.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <tuple>

#include "models/theory/timeline.hpp"

namespace cleave::models {

namespace {

/// Whose time is the median of the counted repetitions; null where none was counted.
const detail::Trace::Run* median_repetition(const detail::Trace& trace) {
  std::vector<const detail::Trace::Run*> counted;
  for (const detail::Trace::Run& run : trace.repetitions) {
    if (!run.warm_up) {
      counted.push_back(&run);
    }
  }
  if (counted.empty()) {
    return nullptr;
  }
  const auto middle = counted.begin() + static_cast<std::ptrdiff_t>((counted.size() - 1) / 2);
  std::ranges::nth_element(counted, middle, {}, &detail::Trace::Run::elapsed_ns);
  return *middle;
}

/// Leaves the longest.
void keep_longest(RunTimeline& timeline, std::size_t max_spans) {
  if (timeline.spans.size() <= max_spans) {
    return;
  }
  timeline.left_out = timeline.spans.size() - max_spans;
  const auto end = timeline.spans.begin() + static_cast<std::ptrdiff_t>(max_spans);
  std::ranges::nth_element(timeline.spans, end, std::greater<>(), &TimelineSpan::duration_ns);
  timeline.spans.erase(end, timeline.spans.end());
}

RunTimeline timeline_of_run(const detail::Trace& trace, const detail::Trace::Run& run,
                            std::size_t max_spans) {
  const Timeline placed = timeline_of(trace);
  RunTimeline timeline{.file = trace.file.filename().string(),
                       .repetition = run.index,
                       .ranks = trace.run.ranks,
                       .threads = trace.run.threads,
                       .levels_are_workers = placed.has_workers,
                       .sizes = run.sizes,
                       .elapsed_ns = run.elapsed_ns};
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  for (const PlacedSpan& span : placed.spans) {
    if (span.span->repetition == run.index) {
      timeline.spans.push_back({.rank = span.rank,
                                .level = span.span->level,
                                .block = span.span->block,
                                .begin_ns = span.begin_ns,
                                .duration_ns = span.end_ns - span.begin_ns,
                                .bytes = span.span->bytes});
      first_ns = std::min(first_ns, span.begin_ns);
    }
  }
  for (TimelineSpan& span : timeline.spans) {
    span.begin_ns -= first_ns;
  }
  keep_longest(timeline, max_spans);
  std::ranges::sort(timeline.spans, {}, [](const TimelineSpan& span) {
    return std::tuple(span.rank, span.begin_ns, -span.duration_ns);
  });
  return timeline;
}

}  // namespace

std::optional<RunTimeline> largest_run(std::span<const detail::Trace> traces,
                                       std::size_t max_spans) {
  const detail::Trace* best = nullptr;
  const detail::Trace::Run* run = nullptr;
  const auto rank_of = [](const detail::Trace& trace, const detail::Trace::Run& of_trace) {
    return std::tuple(static_cast<std::int64_t>(trace.run.ranks) * trace.run.threads,
                      of_trace.elapsed_ns);
  };
  for (const detail::Trace& trace : traces) {
    const detail::Trace::Run* candidate = trace.spans.empty() ? nullptr : median_repetition(trace);
    if (candidate != nullptr &&
        (best == nullptr || rank_of(trace, *candidate) > rank_of(*best, *run))) {
      best = &trace;
      run = candidate;
    }
  }
  if (best == nullptr) {
    return std::nullopt;
  }
  RunTimeline timeline = timeline_of_run(*best, *run, max_spans);
  return timeline.spans.empty() ? std::nullopt : std::optional(std::move(timeline));
}

}  // namespace cleave::models
