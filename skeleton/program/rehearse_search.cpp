// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include <cleave/comm/virtual_ranks.hpp>
#include <cleave/error.hpp>
#include <cleave/program/rehearse.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/trace_file.hpp>

namespace cleave::detail {

namespace {

int ranks_per_host(const RunOptions& options) {
  return std::min(options.ranks, options.ranks_per_host.value_or(options.ranks));
}

VirtualNetwork network_of(const RunOptions& options) {
  return options.machine
             ? network_of(read_machine(*options.machine), options.ranks, ranks_per_host(options))
             : VirtualNetwork{};
}

}  // namespace

void rehearse_search(const Comm& world, AnyRun& run, const RunOptions& options,
                     const std::function<CallOptions(int rank)>& options_of,
                     std::span<Recorder> recorders, RunProgress& progress, double& input_s) {
  if (world.size() > 1) {
    throw UsageError(fmt::format("--rehearse: one process rehearses all ranks of a search, not {}",
                                 world.size()));
  }
  VirtualRanks ranks(options.ranks, network_of(options), processor_ns);
  for (int i = 0; i < options.warm_up + options.repetitions; ++i) {
    if (i == 0 || !run.keeps_problem()) {
      const Stopwatch stopwatch(input_s);
      run.make_problem(world, options, options.seed, Holding::all);
    }
    run.begin_solving();
    for (Recorder& recorder : recorders) {
      recorder.begin_repetition(i, i < options.warm_up);
    }
    ranks.run([&](const VirtualMessages& rank) { run.solve_as(rank, options_of(rank.rank())); });
    for (Recorder& recorder : recorders) {
      recorder.end_repetition(ranks.elapsed_ns());
    }
    const auto* const ended = options_of(0).stealing.ended_early;
    if (ended != nullptr && *ended) {
      return;
    }
    progress.end_run();
  }
}

void write_rehearsed_search(const RunOptions& options, RunInformation run,
                            std::span<const Recorder> recorders) {
  run.ranks = options.ranks;
  run.ranks_per_host = ranks_per_host(options);
  run.rehearsed.resize(recorders.size());
  std::iota(run.rehearsed.begin(), run.rehearsed.end(), 0);
  run.clock_offset_ns.assign(recorders.size(), 0);
  run.provenance.clock = "virtual";
  if (options.machine) {
    run.options["network"] = options.machine->stem().string();
  }
  TraceWriter writer(*options.trace, run);
  for (const Repetition& repetition : recorders.front().repetitions()) {
    writer.add(repetition);
  }
  for (int rank = 0; rank < options.ranks; ++rank) {
    const Recorder& recorder = recorders[rank];
    check_size_names(recorder);
    writer.add_lines(span_lines(recorder, rank, 0, recorder.spans().size()));
    writer.add_lines(dropped_line(recorder, rank));
    writer.add_lines(worker_lines(recorder, rank));
  }
  writer.commit();
}

}  // namespace cleave::detail
