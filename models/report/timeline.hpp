// SPDX-License-Identifier: Apache-2.0
// The spans of a trace in their places on a timeline: what formats of timelines have in common.
#pragma once

#include <cstdint>
#include <vector>

#include <cleave/trace/span.hpp>
#include <cleave/trace/trace_file.hpp>

namespace cleave::models {

/// A span on the track of its rank, or of its rank's worker.
struct PlacedSpan {
  int rank = 0;
  int worker = 0;             ///< 0 but in a search
  std::int64_t begin_ns = 0;  ///< from the first span on, on rank 0's clock
  std::int64_t end_ns = 0;
  const detail::Span* span = nullptr;  ///< in the trace
};

struct Timeline {
  bool has_workers = false;       ///< whether a rank has a track for each worker
  std::vector<PlacedSpan> spans;  ///< by rank, worker, repetition and begin; the longer first
};

/// Refers to `trace`. Times that no clock shows (2^63 ns are 292 years) wrap around.
Timeline timeline_of(const detail::Trace& trace);

}  // namespace cleave::models
