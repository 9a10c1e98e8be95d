// How a DC_Call is run: the executor, where the data lives, and what watches it.
#pragma once

#include <mpi.h>

#include <functional>

#include "skeleton/trace/recorder.hpp"
#include "skeleton/trace/span.hpp"

namespace cleave {

/// How the recursion is run.
enum class DC_Type {
  sequential,  ///< on the calling rank alone, by the `sequential` functor where there is one
  hypercube,   ///< over the ranks of a communicator, halving their group at each level
};

/// Where problem and solution live before and after the call.
enum class Placement {
  replicated,  ///< every rank holds the whole problem, and gets the whole solution
  rooted,      ///< rank 0 holds the problem, and gets the solution
  /// Every rank holds a part of the problem. What it gets is the application's choice of form:
  /// the whole solution where it `MergesParts`, a part where it `SplitsParts` (application.hpp).
  distributed,
};

struct Options {
  /// Any communicator; every rank of it makes the same call. Not used by DC_Type::sequential.
  MPI_Comm comm = MPI_COMM_NULL;
  /// Where this rank's spans go; none are taken without it.
  Recorder* recorder = nullptr;
  Placement placement = Placement::replicated;
  /// Called before each functor with its block and level. What it throws is the functor's failure.
  std::function<void(Block, int level)> before_block = nullptr;
};

}  // namespace cleave
