// SPDX-License-Identifier: Apache-2.0
// The timed loop: repetitions of one DC_Call on fresh copies of one problem; and rehearsals, of the
// hypercube rank by rank (rehearsal.hpp), of a search all ranks in turns (virtual_ranks.hpp).
// Reference: docs/reference/programs.md.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/comm/virtual_ranks.hpp>
#include <cleave/options.hpp>
#include <cleave/program/any_run.hpp>
#include <cleave/run_options.hpp>
#include <cleave/trace.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

/// How tests and referees disturb runs, by tests/instruments; else empty. Set before main begins.
struct Instruments {
  std::function<void(CLI::App&)> add_options;
  /// Adds hooks to the call of `rank`.
  std::function<void(CallOptions& call, int rank)> attach;
  /// After all runs. Collective. \throws Error  if what was asked for did not happen
  std::function<void(const Comm& comm)> finish;
};
inline Instruments instruments;

/// Keeps freed memory for the allocations to come. Else every one above 32 MiB gets fresh pages in
/// each repetition, and to touch these first takes as long as the work.
void keep_freed_memory();

/// Calls `body` and adds the time that it takes to `total_s`.
template <class Body>
void add_time(double& total_s, Body&& body) {
  const std::int64_t begin_ns = monotonic_ns();
  body();
  total_s += static_cast<double>(monotonic_ns() - begin_ns) / 1e9;
}

/// Everything that is told of a run, by rank 0.
struct RunReport {
  std::string app;
  std::vector<int> rehearsed;  ///< these ranks without messages, in place of a run
  std::vector<double> seconds;
  std::string kept_state;  ///< by the program between repetitions
  double input_s = 0;      ///< to read or make the problem, which `seconds` leave out
  double output_s = 0;     ///< to write the result, the same
  bool reads_input = false;
  Sizes sizes;  ///< of the last repetition
  std::optional<double> imbalance;
  Figures figures;
  std::optional<bool> verified;
  std::optional<EndedEarly> ended;  ///< a search; on every rank
  /// Workers of the last repetition; none unless it was DC_Type::work_stealing.
  std::vector<WorkerStatistics> workers;
  CheckpointReport snapshots;
  // Read by the progress while it runs.
  std::atomic<std::int64_t> visits = 0;  ///< of this process in the search that is running
  std::atomic<int> runs_done = 0;

  /// Takes the times without the warm-up, unless there is none else, and the sizes.
  void take(std::span<const Repetition> repetitions);
};

/// DC_Call's options for `rank`, with snapshots of no instance yet.
CallOptions call_options(const RunOptions& options, const ProgramTraits& program, int rank,
                         Recorder& recorder, RunReport& report);

/// Calls `body`. Meanwhile SIGTERM or SIGINT sets the `stop` of `call_options`, and another one,
/// two seconds later or more, ends the process.
void run_with_stop_signals(const std::function<void()>& body);

/// Binds the calling thread to a core, if all workers have one. \return  for CallOptions::bound_to
std::vector<int> bind_as(const RunOptions& options, const Comm& comm);

/// The seed of repetition `index`, from 0 on with the warm-up. The last has that of --seed.
std::uint64_t seed_of_repetition(const RunOptions& options, int index);

/// Adds the sizes of --size to those of the run that the executor has told of: it knows neither
/// those of a whole that is made in parts, nor those that work stealing divides.
void add_asked_sizes(const RunOptions& options, Recorder& recorder);

/// Makes the problem and solves it, as often as the options say; the last repetition solves that of
/// `options.seed`. A search that is ended early is the last. Collective over `world`.
/// \param recorders  of the ranks that are here
/// \param solve  solves it once, returns the longest time of a rank. \throws Error  on all alike
void measure(const Comm& world, AnyRun& run, const RunOptions& options,
             std::span<Recorder> recorders, RunReport& report,
             const std::function<std::int64_t()>& solve);

/// Solves the problem, from the moment that all ranks have begun. DC_Type::sequential runs on rank
/// 0; the others wait. Collective. \return  the time of the slowest rank
std::int64_t solve_once(const Comm& world, AnyRun& run, const RunOptions& options,
                        const CallOptions& call);

/// How unevenly the last repetition's leaves were shared out: the most of their largest
/// sizes that one rank solved, by the mean over all ranks; nothing if none has sizes. Collective.
std::optional<double> imbalance_of(const Comm& comm, const Recorder& recorder);

/// \throws UsageError  if other options mean what no rehearsal does
void check_rehearsal(const RunOptions& options);

/// Rehearses ranks of the hypercube, each process one, evenly spaced from rank 0 on: prints the
/// times, writes the trace, of which `information` tells. Collective over `world`.
void rehearse(const Comm& world, const AnyRun& run, const ProgramTraits& program,
              const RunOptions& options, RunInformation information);

/// The network of a search that is rehearsed. \throws UsageError  if the machine lacks an entry
VirtualNetwork network_of_rehearsed_search(const RunOptions& options);

/// Writes what these ranks did. \throws Error
void write_rehearsed_search(const RunOptions& options, RunInformation run,
                            std::span<const Recorder> recorders);

/// Prints one line of JSON, or some lines for people. Of a search also the nodes a second, what its
/// workers did, and its snapshots; the imbalance is then over workers, and the efficiency the share
/// of their time in visits. \throws Error  if it cannot be written
void print_report(RunReport& report, const RunOptions& options);

/// Prints a line each to standard error, unless --quiet.
void print_warnings(std::string_view program, const std::vector<std::string>& warnings,
                    const RunOptions& options);

}  // namespace cleave::detail
