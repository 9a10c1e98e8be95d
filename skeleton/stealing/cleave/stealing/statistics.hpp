// SPDX-License-Identifier: Apache-2.0
// What the workers of a search did. No MPI.
#pragma once

#include <vector>

#include <cleave/trace/worker_statistics.hpp>

namespace cleave::detail {

/// The workers of all ranks, by rank and thread; on rank 0.
using Statistics = std::vector<WorkerStatistics>;

}  // namespace cleave::detail
