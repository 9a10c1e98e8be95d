// SPDX-License-Identifier: Apache-2.0
// How a DC_Call is run: the executor, where the data lives, and what watches it.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <cleave/dc_type.hpp>
#include <cleave/error.hpp>
#include <cleave/trace.hpp>

namespace cleave {

/// How workers share work (docs/explanation/work-stealing.md). What ends a search early holds for
/// every type, but not inside of a `sequential` functor.
struct StealingOptions {
  static constexpr int kMaxThreads = 1024;

  /// Threads of each rank, at most kMaxThreads. Only the calling one calls MPI, for which
  /// MPI_THREAD_FUNNELED suffices. The others sleep between calls until the process ends;
  /// with 1 none is started. All call the application's functors at once. On the hypercube they
  /// share a rank's own part.
  int threads = 1;
  std::uint64_t seed = 1;  ///< of the choice of victims

  /// A tree with more nodes is refused: the search ends with an Error. They are what the solution
  /// calls "nodes" in its sizes, else visits; of every rank, and of all together.
  std::int64_t max_nodes = std::numeric_limits<std::int64_t>::max();
  /// The longest time of a search, or on the hypercube of a rank's own part; it is ended alike.
  double max_s = std::numeric_limits<double>::infinity();
  /// Set by a signal handler: end the search. May be null.
  const std::atomic<bool>* stop = nullptr;
  /// Where every rank is told why a search was ended by one of these: DC_Call then returns what was
  /// found so far, in place of throwing. In the search form; on every rank, or on none.
  std::optional<EndedEarly>* ended_early = nullptr;

  /// Where rank 0 is told what the workers did, if it is to be.
  std::vector<detail::WorkerStatistics>* statistics = nullptr;
};

/// The fate of a search's snapshots; on rank 0.
struct CheckpointReport {
  std::int64_t resumed_from = 0;  ///< the number of a snapshot; 0: the search began at its start
  std::int64_t written = 0;
  std::int64_t resting_ns = 0;  ///< in which all ranks rested for them, but for one at the end
};

/// Snapshots of a search, from which the same search can be resumed on any number of ranks and
/// threads. For applications in the search form. A search that is ended early writes one more; if
/// it was asked to stop, by `StealingOptions::stop` or `max_s`, that is `Interrupted`.
struct CheckpointOptions {
  std::filesystem::path folder;  ///< that all ranks see; made if it does not exist
  double every_s = 60;
  /// Begin from the newest snapshot in `folder`, or from the start if there is none. Without it a
  /// folder that holds a snapshot is refused.
  bool resume = false;
  /// The application and its instance: the snapshot of another one is refused.
  std::string app;
  std::string instance;
  CheckpointReport* report = nullptr;
};

struct Options {
  /// Any communicator; every rank of it makes the same call. Not used by DC_Type::sequential.
  MPI_Comm comm = MPI_COMM_NULL;
  /// Where this rank's spans go; none are taken without it.
  Recorder* recorder = nullptr;
  Placement placement = Placement::replicated;
  StealingOptions stealing{};
  std::optional<CheckpointOptions> checkpoint{};
};

namespace detail {

struct CallOptions : Options {
  /// Called before each functor and each piece of the skeleton's own work with its block and level,
  /// as part of it: what it throws is the functor's failure. Work stealing calls it with
  /// Block::sequential before a few visits at once, on every worker.
  std::function<void(Block, int level)> before_block = nullptr;
  /// Where the workers of this rank add up their visits after each batch; may be null.
  std::atomic<std::int64_t>* visits = nullptr;
  /// The hardware thread that each worker of this rank is bound to; empty where none is bound. Work
  /// stealing binds the threads that it starts; the calling one is bound by whoever says this.
  std::vector<int> bound_to{};
  bool is_polite = false;  ///< others want the cores of this rank's threads, too
};

}  // namespace detail

}  // namespace cleave
