// SPDX-License-Identifier: Apache-2.0
// The frame of an MPI program: starts and ends MPI, and turns whatever goes wrong into one line on
// standard error and a non-zero status on every rank.
#pragma once

#include <functional>
#include <string>

#include <cleave/comm.hpp>
#include <cleave/trace/provenance.hpp>

namespace cleave::detail {

/// Of a search that was told to stop and has left a snapshot: EX_TEMPFAIL of sysexits.h, "try again
/// later". Batch scripts queue such a job again (models/study/slurm.cpp).
inline constexpr int kStoppedStatus = 75;

/// Runs `body` on every rank of MPI_COMM_WORLD between MPI_Init and MPI_Finalize.
///
/// \return the status to end with: 0, 2 after a UsageError, kStoppedStatus after Interrupted, 1
/// after any other exception. An exception that all ranks throw is printed once, by rank 0. One
/// that only some ranks throw is printed by the lowest of them, and the job is aborted so that no
/// rank waits.
int run_mpi_program(int argc, char** argv, const std::string& name,
                    const std::function<void(const Comm& world)>& body);

/// provenance_here with the MPI library and MPI's clock.
Provenance mpi_provenance(std::string program, std::string command_line);

}  // namespace cleave::detail
