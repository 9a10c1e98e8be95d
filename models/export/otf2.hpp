// SPDX-License-Identifier: Apache-2.0
// A trace as an archive of the Open Trace Format 2, for Vampir, Scalasca, TAU and others.
#pragma once

#include <filesystem>

#include <cleave/error.hpp>
#include <cleave/trace/trace_file.hpp>

namespace cleave::models {

/// Writes an archive: the folder `folder` with traces.otf2 and what belongs to it. It appears whole
/// or not at all, and replaces an archive that is there.
///
/// A location for each rank, or for each worker of a search; regions are the blocks, inside a
/// region for each repetition. Attributes of an enter event: level, group, bytes, sizes, and of a
/// repetition its number. Times are nanoseconds from the first span on, on rank 0's clock.
/// Cost: one pass over the spans; the library buffers 1 MiB a location.
///
/// \throws UsageError  if this build has no OTF2 library
/// \throws FileError   if `folder` is there and no archive, cannot be written, or if spans of a
/// track
///                     overlap, which the format cannot hold
void write_otf2(const detail::Trace& trace, const std::filesystem::path& folder);

}  // namespace cleave::models
