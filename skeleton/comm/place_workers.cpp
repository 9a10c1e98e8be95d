// SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <utility>

#include <cleave/clock.hpp>
#include <cleave/comm/place_workers.hpp>
#include <cleave/host/placing.hpp>
#include <cleave/hosts.hpp>
#include <cleave/trace/provenance.hpp>

namespace cleave::detail {

namespace {

/// The ranks of this host, in order.
struct RanksOfHost {
  explicit RanksOfHost(const Comm& comm) {
    const std::vector<int>& hosts = hosts_of(comm).of_ranks();
    const int here = hosts[static_cast<std::size_t>(comm.rank())];
    for (int rank = here; rank < comm.size(); ++rank) {
      if (hosts[static_cast<std::size_t>(rank)] == here) {
        self = rank == comm.rank() ? ranks.size() : self;
        ranks.push_back(rank);
        cores.push_back(hosts_of(comm).allowed_cores()[static_cast<std::size_t>(rank)]);
      }
    }
  }

  std::vector<int> ranks;
  std::vector<AllowedCores> cores;
  std::size_t self = 0;  ///< the place of this rank in both
};

}  // namespace

std::vector<int> hardware_threads_of_workers(const Comm& comm, int threads, bool only_all) {
  const RanksOfHost host(comm);
  if (simulates_hosts(mpi_library()) || (only_all && !take_all(host.cores, threads))) {
    return {};
  }
  const HostCores& cores = cores_of_this_host();
  const auto places = cores_of_workers(cores, host.cores, host.self, threads);
  std::vector<int> hardware_threads;
  if (!places.empty()) {
    for (const int place : places[host.self]) {
      hardware_threads.push_back(cores[static_cast<std::size_t>(place)].hardware_thread);
    }
  }
  return hardware_threads;
}

Surroundings surroundings_of(const Comm& comm, int threads, bool is_bound) {
  const HostCores& cores = cores_of_this_host();
  const RanksOfHost host(comm);
  const auto places = is_bound ? cores_of_workers(cores, host.cores, host.self, threads)
                               : std::vector<std::vector<int>>{};
  std::vector<std::vector<int>> circles = circles_around(cores, host.cores, host.self, places);
  for (std::vector<int>& circle : circles) {
    for (int& rank : circle) {
      rank = host.ranks[static_cast<std::size_t>(rank)];
    }
  }
  return {.near = std::move(circles), .is_polite = hosts_of(comm).polite(threads)};
}

}  // namespace cleave::detail
