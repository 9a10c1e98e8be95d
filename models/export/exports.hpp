// SPDX-License-Identifier: Apache-2.0
// Traces for other programs.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include <cleave/trace/trace_file.hpp>

namespace cleave::models {

/// A table: one line a span (RFC 4180), with a column for each size; nanoseconds of the rank's own
/// clock.
std::string to_span_csv(std::span<const detail::Trace> traces);

/// Extra-P's JSON Lines: one line for each counted repetition, metric `time` in seconds, parameters
/// `p` and the sizes of the run. Its call paths are `DC_Call` (the whole run) and `DC_Call->BLOCK`
/// (the sum over levels of the longest over the ranks, as in equation 6).
std::string to_extra_p(std::span<const detail::Trace> traces);

/// The trace event format of Chrome and Perfetto (JSON): a process for each rank, a thread for each
/// worker, an event for each span with level, group, bytes and sizes. Times are microseconds from
/// the first span on, with the ranks' clocks set to rank 0's.
std::string to_trace_events(const detail::Trace& trace);

/// Writes an archive of the Open Trace Format 2, for Vampir, Scalasca, TAU and others: the folder
/// `folder` with traces.otf2 and what belongs to it. It appears whole or not at all, and replaces
/// an archive that is there.
///
/// A location for each rank, or for each worker of a search; regions are the blocks, inside a
/// region for each repetition. Attributes of an enter event: level, group, bytes, sizes, and of a
/// repetition its number. Times are nanoseconds from the first span on, on rank 0's clock.
/// Cost: one pass over the spans; the library buffers 1 MiB a location.
///
/// \throws UsageError  if this build has no OTF2 library
/// \throws FileError   if `folder` is there and no archive, cannot be written, or if spans of a
///                     track overlap, which the format cannot hold
void write_otf2(const detail::Trace& trace, const std::filesystem::path& folder);

}  // namespace cleave::models
