// What a person should know of how the program was started.
#pragma once

#include <string>
#include <vector>

#include "skeleton/comm.hpp"

namespace cleave {

/// What is odd about how the program was started, one sentence a warning; call on rank 0.
/// Ranks and threads that outnumber the cores of their host take turns, and their times say little;
/// and an mpiexec of another MPI library starts P programs of one rank each.
std::vector<std::string> launch_warnings(const Comm& comm, int threads);

}  // namespace cleave
