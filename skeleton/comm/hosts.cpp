// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <cleave/clock.hpp>
#include <cleave/file.hpp>
#include <cleave/hosts.hpp>
#include <cleave/trace/provenance.hpp>

namespace cleave {

using namespace detail;

namespace {

bool is_told_to_be_polite() {
  const char* const told = std::getenv("CLEAVE_WAIT");
  return told != nullptr && std::string_view(told) == "polite";
}

std::uint64_t hash_of_host_name() {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check_mpi("MPI_Get_processor_name", MPI_Get_processor_name(name.data(), &length));
  return crc_64(std::string_view(name.data(), static_cast<std::size_t>(length)));
}

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

/// By the hosts' names. A communicator that is split by shared memory would tell as well, but takes
/// SMPI the square of the ranks.
Hosts::Hosts(MPI_Comm comm) {
  struct OfRank {
    std::uint64_t host = 0;
    AllowedCores cores;
    bool is_told_to_be_polite = false;
  };
  OfRank own{.host = hash_of_host_name(),
             .cores = summary_of(cores_of_this_host()),
             .is_told_to_be_polite = cleave::is_told_to_be_polite()};
  own.cores.quota = quota_of_this_process();
  int size = 0;
  MPI_Comm_size(comm, &size);
  std::vector<OfRank> all(static_cast<std::size_t>(size));
  check_mpi("MPI_Allgather",
            MPI_Allgather(&own, sizeof(own), MPI_BYTE, all.data(), sizeof(own), MPI_BYTE, comm));
  std::unordered_map<std::uint64_t, int> lowest;
  std::unordered_map<std::uint64_t, int> ranks;
  for (int rank = 0; rank < size; ++rank) {
    const OfRank& each = all[static_cast<std::size_t>(rank)];
    of_ranks_.push_back(lowest.try_emplace(each.host, rank).first->second);
    allowed_cores_.push_back(each.cores);
    ranks_per_host_ = std::max(ranks_per_host_, ++ranks[each.host]);
    is_told_to_be_polite_ = is_told_to_be_polite_ || each.is_told_to_be_polite;
  }
  cores_per_rank_ = cores_per_rank(of_ranks_, allowed_cores_);
}

std::vector<int> detail::hardware_threads_of_workers(const Comm& comm, int threads) {
  const RanksOfHost host(comm);
  if (simulates_hosts(mpi_library()) || !take_all(host.cores, threads)) {
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

Surroundings detail::surroundings_of(const Comm& comm, int threads) {
  std::vector<int> near = RanksOfHost(comm).ranks;
  std::erase(near, comm.rank());
  return {.near = std::move(near), .is_polite = hosts_of(comm).polite(threads)};
}

}  // namespace cleave
