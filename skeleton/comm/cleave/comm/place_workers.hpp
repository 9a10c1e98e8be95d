// SPDX-License-Identifier: Apache-2.0
// Where the workers of a communicator's ranks run, of what all ranks know of each other
// (placing.hpp). No message is sent.
#pragma once

#include <vector>

#include <cleave/comm.hpp>

namespace cleave::detail {

/// The hardware threads that this rank's workers are to be bound to, each on a core that no other
/// worker of this host is bound to. Empty where workers outnumber cores or hosts are simulated.
/// \param only_all  and where the workers of the host would leave a core idle
std::vector<int> hardware_threads_of_workers(const Comm& comm, int threads, bool only_all);

/// What a rank's workers know of their place.
struct Surroundings {
  /// The other ranks of this host in circles around this one, the nearest first
  /// (`circles_around`).
  std::vector<std::vector<int>> near;
  bool is_polite = false;  ///< whether idle workers leave their cores to others
};
Surroundings surroundings_of(const Comm& comm, int threads, bool is_bound);

}  // namespace cleave::detail
