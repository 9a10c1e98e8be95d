// SPDX-License-Identifier: Apache-2.0
// The trace file of all ranks.
#pragma once

#include <filesystem>

#include <cleave/comm.hpp>
#include <cleave/trace.hpp>

namespace cleave {

/// Writes the spans of every rank's `recorder` to `path`, on rank 0.
///
/// Collective. Fills in what the communicator knows: ranks, ranks per host, whether these take
/// turns on its cores, and clock offsets; and the most memory that a rank had. Memory: a few MiB on
/// each rank, for any traces. \throws Error  on every rank, and leaves no file, if it is not whole
void write_trace(const Comm& comm, const std::filesystem::path& path, RunInformation run,
                 const Recorder& recorder);

}  // namespace cleave
