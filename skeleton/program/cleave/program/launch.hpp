// SPDX-License-Identifier: Apache-2.0
// How the ranks of a program were started.
#pragma once

#include <string>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/program/any_run.hpp>

namespace cleave::detail {

/// What is odd about how the program was started, one sentence a warning; call on rank 0.
/// Ranks and threads that outnumber the cores of their host take turns, and their times say little.
/// An mpiexec of another MPI library starts P programs of one rank each.
std::vector<std::string> launch_warnings(const Comm& comm, int threads);

/// What is wrong on the lowest rank where anything is, told to every rank.
Wrong first_wrong(const Comm& comm, const Wrong& wrong);

/// Collective. \throws UsageError  if ranks were started with other programs or arguments than rank
/// 0
void require_same_command(const Comm& comm, const std::string& program, int argc, char** argv);

/// Whether this process is one that a launcher started and not its first.
bool is_launched_as_another();

}  // namespace cleave::detail
