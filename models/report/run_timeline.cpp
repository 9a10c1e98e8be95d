// SPDX-License-Identifier: Apache-2.0
#include "models/report/run_timeline.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <tuple>

#include "models/report/timeline.hpp"
#include "models/theory/trace_run.hpp"

namespace cleave::models {

namespace {

/// A repetition, and the trace that it is in.
struct Candidate {
  const detail::Trace* trace = nullptr;
  const detail::Trace::Run* run = nullptr;
};

/// That whose time is the median of all. \pre  !all.empty()
Candidate median_of(std::vector<Candidate> all) {
  const auto middle = all.begin() + (std::ssize(all) - 1) / 2;
  std::ranges::nth_element(all, middle, {}, [](const Candidate& c) { return c.run->elapsed_ns; });
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
  std::map<RunIdentity, std::vector<Candidate>> runs;
  for (const detail::Trace& trace : traces) {
    for (const detail::Trace::Run& run : trace.repetitions) {
      if (!run.warm_up && !trace.spans.empty()) {
        runs[identity_of(trace.run, run)].push_back({&trace, &run});
      }
    }
  }
  Candidate best;
  const auto rank_of = [](const Candidate& c) {
    return std::tuple(static_cast<std::int64_t>(c.trace->run.ranks) * c.trace->run.threads,
                      c.run->elapsed_ns);
  };
  for (auto& [identity, repetitions] : runs) {
    const Candidate candidate = median_of(std::move(repetitions));
    if (best.trace == nullptr || rank_of(candidate) > rank_of(best)) {
      best = candidate;
    }
  }
  if (best.trace == nullptr) {
    return std::nullopt;
  }
  RunTimeline timeline = timeline_of_run(*best.trace, *best.run, max_spans);
  return timeline.spans.empty() ? std::nullopt : std::optional(std::move(timeline));
}

}  // namespace cleave::models
