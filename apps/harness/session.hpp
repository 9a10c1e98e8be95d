// One run of an application as an MPI program: MPI from start to end, collective failures, and what
// a person should know of how it was started.
#pragma once

#include <exception>
#include <functional>
#include <new>
#include <string>
#include <string_view>
#include <utility>

#include "skeleton/comm.hpp"
#include "skeleton/error.hpp"

namespace cleave {

/// Runs `function` on every rank; if it throws on any, every rank throws an Error with the message
/// of the lowest such rank. Collective. As `agree`, but whatever was thrown becomes an Error:
/// nothing else that leaves a collective step is known to have reached all ranks.
template <class Function>
auto together(const Comm& comm, Function&& function) {
  return agree(comm, [&function] {
    try {
      return function();
    } catch (const Error&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw Error("out of memory");
    } catch (const std::exception& error) {
      throw Error(error.what());
    }
  });
}

/// Starts MPI, runs `body` on every rank and returns the status that the program should end with:
/// that of `body`; 2 on every rank after a UsageError, 1 after any other Error, of which rank 0
/// prints the message, one line. `body` throws these on all ranks alike. Anything else, which one
/// rank may have thrown alone, is printed by it and aborts the job, so that no rank waits forever.
int run_with_mpi(int& argc, char**& argv, const std::string& program,
                 const std::function<int(const Comm&)>& body);

/// What is odd about how the program was started, one sentence a warning; call on rank 0.
/// Ranks that outnumber the cores of their host take turns, and their times say little; and an
/// mpiexec of another MPI library starts P programs of one rank each.
std::vector<std::string> launch_warnings(const Comm& comm);

/// Name and version of the MPI library, e.g. "MPICH 4.0.2".
std::string mpi_library();

}  // namespace cleave
