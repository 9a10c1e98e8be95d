// SPDX-License-Identifier: Apache-2.0
// Where the ranks of a communicator and their workers run, and whether they share cores.
#pragma once

#include <mpi.h>

#include <vector>

#include <cleave/comm.hpp>
#include <cleave/host/placing.hpp>

namespace cleave {

/// The hosts of a communicator when it was first used.
class Hosts {
 public:
  /// Collective. Cost: an MPI_Allgather.
  /// \throws MpiError
  explicit Hosts(MPI_Comm comm);

  /// The host of each rank, named by its lowest rank.
  const std::vector<int>& of_ranks() const { return of_ranks_; }
  int ranks_per_host() const { return ranks_per_host_; }  ///< the most on any host
  /// The cores that each rank may use of its host: by its affinity and by the CPU quota of its
  /// control group.
  const std::vector<detail::AllowedCores>& allowed_cores() const { return allowed_cores_; }
  /// Whether ranks, of so many threads each, outnumber these.
  bool oversubscribed(int threads = 1) const { return threads > cores_per_rank_; }
  /// Whether waits leave the core to others: oversubscribed, or the environment of a rank says
  /// CLEAVE_WAIT=polite, for hosts that are parts of one machine.
  bool polite(int threads = 1) const { return oversubscribed(threads) || is_told_to_be_polite_; }

 private:
  std::vector<int> of_ranks_;
  std::vector<detail::AllowedCores> allowed_cores_;
  int ranks_per_host_ = 1;
  int cores_per_rank_ = 1;  ///< where ranks have the fewest; 0 if they outnumber their cores
  bool is_told_to_be_polite_ = false;  ///< on any rank
};

/// The hosts of `comm`'s ranks. No message.
const Hosts& hosts_of(const Comm& comm);

namespace detail {

/// The hardware threads that this rank's workers are to be bound to, each on a core that no other
/// worker of this host is bound to. Empty where workers outnumber cores or leave one idle, or hosts
/// are simulated.
std::vector<int> hardware_threads_of_workers(const Comm& comm, int threads);

/// The place of a rank's workers.
struct Surroundings {
  std::vector<int> near;   ///< the other ranks of this host
  bool is_polite = false;  ///< whether idle workers leave their cores to others
};
Surroundings surroundings_of(const Comm& comm, int threads);

}  // namespace detail
}  // namespace cleave
