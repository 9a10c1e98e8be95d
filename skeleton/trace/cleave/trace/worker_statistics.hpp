// SPDX-License-Identifier: Apache-2.0
// What one worker of a search did, as traces keep it (docs/reference/formats.md). No MPI.
#pragma once

#include <cstdint>

namespace cleave::detail {

/// One worker: a thread of a rank. Times are nanoseconds.
struct WorkerStatistics {
  int rank = 0;
  int thread = 0;
  std::int64_t visits = 0;       ///< calls of `visit`, or of `conquer` and `divide`
  std::int64_t nodes = 0;        ///< what it added to the size "nodes" of its total; else `visits`
  std::int64_t searches = 0;     ///< times that it had nodes to visit, after it had none
  std::int64_t local_tried = 0;  ///< steals from another worker of the rank
  std::int64_t local_made = 0;
  std::int64_t remote_tried = 0;  ///< requests to other ranks; a rank's are its first worker's
  std::int64_t remote_made = 0;
  std::int64_t nodes_stolen = 0;    ///< by these steals
  std::int64_t bytes_received = 0;  ///< of nodes, from other ranks
  std::int64_t searching_ns = 0;
  std::int64_t stealing_ns = 0;  ///< from running dry until it has nodes again
  std::int64_t starting_ns = 0;  ///< of this, before its first visit
  std::int64_t idle_ns = 0;      ///< from running dry to the end, or to a moment of rest
  std::int64_t ending_ns = 0;    ///< of this, the last time
};

}  // namespace cleave::detail
