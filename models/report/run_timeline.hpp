// SPDX-License-Identifier: Apache-2.0
// One run from its trace, as a picture of ranks and blocks over time needs it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <cleave/sizes.hpp>
#include <cleave/trace/span.hpp>
#include <cleave/trace/trace_file.hpp>

namespace cleave::models {

struct TimelineSpan {
  int rank = 0;
  int level = 0;  ///< of a search: the worker of the rank
  detail::Block block = detail::Block::skeleton;
  std::int64_t begin_ns = 0;  ///< from the first span of the repetition on, by rank 0's clock
  std::int64_t duration_ns = 0;
  std::int64_t bytes = 0;
};

/// One repetition.
struct RunTimeline {
  std::string file;
  int repetition = 0;
  int ranks = 1;
  int threads = 1;
  bool levels_are_workers = false;
  NamedSizes sizes;
  std::int64_t elapsed_ns = 0;
  std::vector<TimelineSpan> spans;  ///< by rank, then by begin
  std::size_t left_out = 0;         ///< the shortest spans, of a trace that has too many
};

inline constexpr std::size_t kMaxTimelineSpans = 200'000;

/// The longest run on the most ranks and threads: of its repetitions over all rounds the one of
/// median time. Nothing where no trace has spans. Cost: a pass over the spans of that trace.
std::optional<RunTimeline> largest_run(std::span<const detail::Trace> traces,
                                       std::size_t max_spans = kMaxTimelineSpans);

}  // namespace cleave::models
