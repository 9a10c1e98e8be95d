// SPDX-License-Identifier: Apache-2.0
// The clock of a rank, and how those of the others differ.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <cleave/comm.hpp>

namespace cleave {

/// A Clock for the recorders of ranks: the steady clock, or MPI's where hosts are simulated.
/// MPICH's MPI_Wtime is the clock of the day, which may be set back.
std::int64_t mpi_time_ns();
/// The name of the clock of mpi_time_ns.
std::string mpi_clock_name();

namespace detail {
/// The name and version of the MPI library, in one line.
std::string mpi_library();
}  // namespace detail

/// Each rank's mpi_time_ns minus that of rank 0, in rank order, on every rank.
/// Collective. Cost: 20 round trips to each rank; the fastest of them is used, so the error is
/// at most half of its time.
std::vector<std::int64_t> clock_offsets_ns(const Comm& comm);

}  // namespace cleave
