// SPDX-License-Identifier: Apache-2.0
// The frame of an MPI program: starts and ends MPI, and makes one line and a status of any failure.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/trace.hpp>

namespace cleave::detail {

/// The fault, if there is one.
using Wrong = std::optional<std::string>;

/// The status of a search that was told to stop and has left a snapshot: EX_TEMPFAIL of sysexits.h,
/// "try again later". Batch scripts queue such a job again (models/study/slurm.cpp).
inline constexpr int kStoppedStatus = 75;

/// Runs `body` on every rank of MPI_COMM_WORLD between MPI_Init and MPI_Finalize.
///
/// \return the status to end with: 0, 2 after a UsageError, kStoppedStatus after Interrupted, 1
/// after any other exception. An exception that all ranks throw is printed once, by rank 0. One
/// that only some ranks throw is printed by the lowest of them, and the job is aborted.
int run_mpi_program(int argc, char** argv, const std::string& name,
                    const std::function<void(const Comm& world)>& body);

/// Lets recorders know how long threads have no core, where that is known. \pre  MPI has begun
void tell_run_delay();
bool tells_run_delay();

/// provenance_here with the MPI library and MPI's clock.
Provenance mpi_provenance(std::string program, std::string command_line);

/// Sentences on how the program was started; call on rank 0. Ranks and threads that outnumber the
/// cores of their host take turns, and their times say little. An mpiexec of another MPI library
/// starts P programs of one rank each.
std::vector<std::string> launch_warnings(const Comm& comm, int threads);

/// The fault on the lowest rank that has one, told to every rank.
Wrong first_wrong(const Comm& comm, const Wrong& wrong);

/// Collective. \throws UsageError  if ranks were started with different programs or arguments
void require_same_command(const Comm& comm, const std::string& program, int argc, char** argv);

/// Whether a launcher started this process, and not as its first.
bool is_launched_as_another();

}  // namespace cleave::detail
