// SPDX-License-Identifier: Apache-2.0
#include "models/report/timeline.hpp"

#include <algorithm>
#include <limits>
#include <tuple>

#include <cleave/dc_type.hpp>

namespace cleave::models {

namespace {

std::int64_t offset_of(const detail::Trace& trace, int rank) {
  const auto index = static_cast<std::size_t>(rank);
  return index < trace.run.clock_offset_ns.size() ? trace.run.clock_offset_ns[index] : 0;
}

}  // namespace

Timeline timeline_of(const detail::Trace& trace) {
  // A search gives the worker of a rank as the level.
  Timeline timeline{.has_workers = trace.run.type == name_of(DC_Type::work_stealing)};
  std::int64_t first_ns = std::numeric_limits<std::int64_t>::max();
  for (const auto& [rank, span] : trace.spans) {
    const std::int64_t offset_ns = offset_of(trace, rank);
    timeline.spans.push_back({.rank = rank,
                              .worker = timeline.has_workers ? int{span.level} : 0,
                              .begin_ns = span.begin_ns - offset_ns,
                              .end_ns = span.end_ns - offset_ns,
                              .span = &span});
    first_ns = std::min(first_ns, timeline.spans.back().begin_ns);
  }
  for (PlacedSpan& placed : timeline.spans) {
    placed.begin_ns -= first_ns;
    placed.end_ns -= first_ns;
  }
  std::ranges::sort(timeline.spans, [](const PlacedSpan& a, const PlacedSpan& b) {
    return std::tie(a.rank, a.worker, a.span->repetition, a.begin_ns, b.end_ns) <
           std::tie(b.rank, b.worker, b.span->repetition, b.begin_ns, a.end_ns);
  });
  return timeline;
}

}  // namespace cleave::models
