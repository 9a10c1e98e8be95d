// What the workers of a search did. No MPI.
#pragma once

#include <cstdint>
#include <vector>

namespace cleave {

/// One worker: a thread of a rank. Times are nanoseconds.
struct WorkerStatistics {
  int rank = 0;
  int thread = 0;
  std::int64_t visits = 0;       ///< calls of `visit`, or of `conquer` and `divide`
  std::int64_t nodes = 0;        ///< what it added to the size "nodes" of its total; else `visits`
  std::int64_t local_tried = 0;  ///< steals from another worker of the rank
  std::int64_t local_made = 0;
  std::int64_t remote_tried = 0;  ///< requests to other ranks; a rank's are its first worker's
  std::int64_t remote_made = 0;
  std::int64_t nodes_stolen = 0;  ///< by these steals
  std::int64_t searching_ns = 0;
  std::int64_t stealing_ns = 0;  ///< looking for a victim in the rank, moving nodes
  std::int64_t idle_ns = 0;      ///< waiting for another rank, for work of this one, or for the end
};

/// The workers of all ranks, by rank and thread; on rank 0.
using Statistics = std::vector<WorkerStatistics>;

}  // namespace cleave
