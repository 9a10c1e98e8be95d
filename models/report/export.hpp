// SPDX-License-Identifier: Apache-2.0
// Traces in the formats of other tools.
#pragma once

#include <span>
#include <string>

#include "models/traces/files.hpp"

namespace cleave::models {

/// Extra-P's JSON Lines: one line for each counted repetition, metric `time` in seconds, parameters
/// `p` and the sizes of the run. Its call paths are `DC_Call` (the whole run) and `DC_Call->BLOCK`
/// (the sum over levels of the longest over the ranks, as in equation 6).
std::string to_extra_p(std::span<const Trace> traces);

/// The trace event format of Chrome and Perfetto (JSON): a process for each rank, an event for each
/// span with level, group, bytes and sizes. Times are microseconds from the first span on, with the
/// ranks' clocks set to rank 0's.
std::string to_trace_events(const Trace& trace);

/// One line a span (RFC 4180), with a column for each size; nanoseconds of the rank's own clock.
std::string to_span_csv(std::span<const Trace> traces);

}  // namespace cleave::models
