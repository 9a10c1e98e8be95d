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
#include <cleave/command_line/progress.hpp>
#include <cleave/options.hpp>
#include <cleave/program/any_run.hpp>
#include <cleave/run_options.hpp>
#include <cleave/trace/span.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

/// How tests and referees disturb the runs of a program that is linked with tests/instruments.
class Instruments {
 public:
  Instruments() = default;
  Instruments(const Instruments&) = delete;
  Instruments& operator=(const Instruments&) = delete;
  virtual ~Instruments() = default;

  virtual void add_options(CLI::App& cli) = 0;
  /// Adds hooks to the call of `rank`.
  virtual void attach(CallOptions& call, int rank) = 0;
  /// After all runs. Collective. \throws Error  if what was asked for did not happen
  virtual void finish(const Comm& comm) = 0;
};

/// The instruments that are linked; set before main begins.
inline Instruments* instruments = nullptr;

/// Keeps freed memory for the allocations to come. Else every one above 32 MiB gets fresh pages in
/// each repetition, and to touch these first takes as long as the work.
void keep_freed_memory();

/// Tells on rank 0 how many runs are completed, and about how many nodes a search has visited:
/// `visits`, those of this process, times the processes. Nothing with --quiet.
class RunProgress {
 public:
  RunProgress(const Comm& world, const std::string& program, const RunOptions& options,
              const std::atomic<std::int64_t>& visits);

  void end_run() { ++done_; }

 private:
  std::atomic<int> done_ = 0;         ///< runs
  std::optional<Progress> progress_;  ///< last, since its thread looks at the others
};

/// Calls `body` and adds the time that it takes to `total_s`.
template <class Body>
void add_time(double& total_s, Body&& body) {
  const std::int64_t begin_ns = monotonic_ns();
  body();
  total_s += static_cast<double>(monotonic_ns() - begin_ns) / 1e9;
}

/// The report on a run beside its times; on rank 0.
struct SearchReport {
  /// Workers of the last repetition; none unless it was DC_Type::work_stealing.
  std::vector<WorkerStatistics> workers;
  CheckpointReport snapshots;
  std::optional<EndedEarly> ended;       ///< a search; on every rank
  std::atomic<std::int64_t> visits = 0;  ///< of this process in the search that is running
};

/// DC_Call's options, with snapshots of no instance yet.
CallOptions call_options(const RunOptions& options, const ProgramTraits& program, int rank,
                         Recorder& recorder, SearchReport& report);

/// Calls `body`. Meanwhile SIGTERM or SIGINT sets the `stop` of `call_options`, and another one,
/// two seconds later or more, ends the process.
void run_with_stop_signals(const std::function<void()>& body);

/// Binds the calling thread as --bind says. \return  what `CallOptions::bound_to` is to be
std::vector<int> bind_as(const RunOptions& options, const Comm& comm);

/// Runs the application as the options say. The times go to `recorder`: DC_Call alone, the longest
/// over the ranks, from the moment that all have begun. The last repetition solves the problem of
/// `options.seed`. Collective over MPI_COMM_WORLD. DC_Type::sequential runs on rank 0; the others
/// wait. A search that is ended early is the last.
/// \param input_s  the time to make problems is added here
/// \throws Error  the same on every rank
void measure(const Comm& world, AnyRun& run, const RunOptions& options,
             const CallOptions& call_options, Recorder& recorder, RunProgress& progress,
             double& input_s);

/// The repetitions' times without the warm-up, unless there is none else.
std::vector<double> seconds_of(std::span<const Repetition> repetitions);

/// How unevenly the last repetition's leaves were shared out: the most of the size `work` that one
/// rank solved, by the mean over all ranks; nothing if none recorded any. Collective.
std::optional<double> imbalance_of(const Comm& comm, const Recorder& recorder,
                                   std::string_view work);

/// "64" or "64:0,5". \throws UsageError
RehearsedRanks parse_rehearsed_ranks(const std::string& text);

/// \throws UsageError  if other options mean what no rehearsal does
void check_rehearsal(const RunOptions& options);

/// A warning of levels of a rehearsal that are left out; empty if there are none.
std::string levels_left_out(int rank, int first_level, int level_offset);

/// Rehearses ranks of the hypercube: prints the times, writes the trace, of which `information`
/// tells. Collective over `world`.
void rehearse(const Comm& world, const AnyRun& run, const ProgramTraits& program,
              RunOptions options, RunInformation information);

/// In place of `measure`: runs the search on virtual ranks, whose spans and times go to
/// `recorders`, one a rank. \throws UsageError  if the machine lacks an entry, or in several
/// processes
void rehearse_search(const Comm& world, AnyRun& run, const RunOptions& options,
                     const std::function<CallOptions(int rank)>& options_of,
                     std::span<Recorder> recorders, RunProgress& progress, double& input_s);

/// Writes what these ranks did. \throws Error
void write_rehearsed_search(const RunOptions& options, RunInformation run,
                            std::span<const Recorder> recorders);

/// Everything that is told of a run.
struct Summary {
  std::string app;
  std::vector<int> rehearsed;  ///< these ranks without messages, in place of a run
  std::vector<double> seconds;
  double input_s = 0;   ///< to read or make the problem, which `seconds` leave out
  double output_s = 0;  ///< to write the result, the same
  bool reads_input = false;
  Sizes sizes;
  std::optional<double> imbalance;
  Figures figures;
  std::optional<bool> verified;
  std::optional<std::string> ended_early;  ///< why the figures are those of a part of the search
};

/// Prints one line of JSON, or some lines for people. Of a search also the nodes a second, what its
/// workers did, and its snapshots; the imbalance is then over workers, and the efficiency the share
/// of their time in visits. \throws Error  if it cannot be written
void print_summary(Summary summary, const SearchReport& report, const RunOptions& options);

/// Prints a line each to standard error, unless --quiet.
void print_warnings(std::string_view program, const std::vector<std::string>& warnings,
                    const RunOptions& options);

}  // namespace cleave::detail
