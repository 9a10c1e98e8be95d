// SPDX-License-Identifier: Apache-2.0
// A trace for Perfetto and Chrome.
#pragma once

#include <string>

#include <cleave/trace/trace_file.hpp>

namespace cleave::models {

/// The trace event format of Chrome and Perfetto (JSON): a process for each rank, a thread for each
/// worker, an event for each span with level, group, bytes and sizes. Times are microseconds from
/// the first span on, with the ranks' clocks set to rank 0's.
std::string to_trace_events(const detail::Trace& trace);

}  // namespace cleave::models
