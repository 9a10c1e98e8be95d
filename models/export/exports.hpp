// SPDX-License-Identifier: Apache-2.0
// Traces for other programs.
#pragma once

#include <span>
#include <string>

#include <cleave/trace/trace_file.hpp>

namespace cleave::models {

/// A table: one line a span (RFC 4180), with a column for each size; nanoseconds of the rank's own
/// clock.
std::string to_span_csv(std::span<const detail::Trace> traces);

/// The trace event format of Chrome and Perfetto (JSON): a process for each rank, a thread for each
/// worker, an event for each span with level, group, bytes and sizes. Times are microseconds from
/// the first span on, with the ranks' clocks set to rank 0's.
std::string to_trace_events(const detail::Trace& trace);

}  // namespace cleave::models
