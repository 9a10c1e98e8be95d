// SPDX-License-Identifier: Apache-2.0
// The timed loop: repetitions of one DC_Call on fresh copies of one problem.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/blocks/call_options.hpp>
#include <cleave/comm.hpp>
#include <cleave/command_line/progress.hpp>
#include <cleave/program/any_run.hpp>
#include <cleave/program/traits.hpp>
#include <cleave/run_options.hpp>
#include <cleave/trace/worker_statistics.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

/// Keeps memory that is freed for the allocations to come, of any length. Else every long one gets
/// fresh pages from the system in each repetition. To touch these first takes as long as the work,
/// a step at 32 MiB that has nothing to do with the algorithm.
void keep_freed_memory();

/// Tells how many runs are completed, and about how many nodes a search has visited: `visits`,
/// those of this process, times the processes. Nothing on other ranks than 0, nor with --quiet.
class RunProgress {
 public:
  RunProgress(const Comm& world, const std::string& program, const RunOptions& options,
              const std::atomic<std::int64_t>& visits);

  void end_run() { ++done_; }

 private:
  std::atomic<int> done_ = 0;         ///< runs
  std::optional<Progress> progress_;  ///< last, since its thread looks at the others
};

/// Adds the time of its life.
class Stopwatch {
 public:
  explicit Stopwatch(double& total_s) : total_s_(total_s) {}
  ~Stopwatch() { total_s_ += static_cast<double>(monotonic_ns() - begin_ns_) / 1e9; }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& total_s_;
  const std::int64_t begin_ns_ = monotonic_ns();
};

/// What is told of a run beside its times; on rank 0.
struct SearchReport {
  /// Of the last repetition; empty unless it was DC_Type::work_stealing.
  std::vector<WorkerStatistics> workers;
  CheckpointReport snapshots;
  std::optional<EndedEarly> ended;       ///< a search; on every rank
  std::atomic<std::int64_t> visits = 0;  ///< of this process in the search that is running
};

/// DC_Call's options, with snapshots of no instance yet.
CallOptions call_options(const RunOptions& options, const ProgramTraits& program, int rank,
                         Recorder& recorder, SearchReport& report);

/// While it lives, SIGTERM or SIGINT asks the search that is running to stop, by what
/// `call_options` has set as its `stop`. Another one, two seconds later or more, ends the process.
class StopSignals {
 public:
  explicit StopSignals(bool are_taken);
  ~StopSignals();
  StopSignals(const StopSignals&) = delete;
  StopSignals& operator=(const StopSignals&) = delete;

 private:
  using Handler = void (*)(int);
  bool are_taken_;
  Handler of_term_ = nullptr;
  Handler of_int_ = nullptr;
};

/// Binds the calling thread as --bind says. \return  what `CallOptions::bound_to` is to be
std::vector<int> bind_as(const RunOptions& options, const Comm& comm);

/// Runs the application as `options` and `call_options` say. The times go to `recorder`: the
/// longest over the ranks, from the moment that all have begun. Making problems, freeing solutions
/// and whatever else is not DC_Call stay outside. The last repetition solves the problem of
/// `options.seed`.
///
/// \param input_s  what it takes to make problems is added here
/// Collective over MPI_COMM_WORLD. DC_Type::sequential runs on rank 0; the other ranks wait.
/// A search that is ended early is the last.
/// \throws Error  the same on every rank
void measure(const Comm& world, AnyRun& run, const RunOptions& options,
             const CallOptions& call_options, Recorder& recorder, RunProgress& progress,
             double& input_s);

/// The repetitions' times without the warm-up, unless there is none else.
std::vector<double> seconds_of(std::span<const Repetition> repetitions);

/// How unevenly the last repetition's leaves were shared out: the most of the size named `work`
/// that one rank solved, divided by the mean over all ranks. Collective; the result is rank 0's.
/// \return  nothing if no rank recorded any such work
std::optional<double> imbalance_of(const Comm& comm, const Recorder& recorder,
                                   std::string_view work);

}  // namespace cleave::detail
