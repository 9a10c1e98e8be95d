// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include <cleave/comm.hpp>
#include <cleave/comm/virtual_ranks.hpp>
#include <cleave/command_line/output.hpp>
#include <cleave/dc_call.hpp>
#include <cleave/error.hpp>
#include <cleave/host/host.hpp>
#include <cleave/kernel/rehearsal.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/trace/words.hpp>

namespace cleave::detail {

namespace {

/// Lines of the trace of `rank`: everything but messages, at its levels in the whole call.
std::string lines_of(const Recorder& recorder, int rank, int level_offset) {
  Recorder written(rehearsed_ns);
  for (const Repetition& repetition : recorder.repetitions()) {
    written.begin_repetition(repetition.index, repetition.warm_up);
    for (const Span& span : recorder.spans()) {
      if (span.repetition == repetition.index && span.block != Block::exchange &&
          span.block != Block::wait) {
        written.record(span.block, span.level + level_offset, span.group, span.begin_ns,
                       end_of(span), span.bytes, recorder.sizes_of(span));
      }
    }
  }
  check_size_names(written);
  return span_lines(written, rank, 0, written.spans().size());
}

std::string lines_of(const PreparedRehearsal& prepared) {
  check_size_names(prepared.own_parts);
  std::string lines;
  for (std::size_t i = 0; i < prepared.ranks.size(); ++i) {
    lines += span_lines(prepared.own_parts, prepared.ranks[i], i, 1);
  }
  return lines;
}

/// Writes the trace of `ranks` of a run. \throws Error
void write_rehearsed(const RunOptions& options, RunInformation run, std::vector<int> ranks,
                     std::span<const Repetition> repetitions,
                     const std::vector<std::string>& lines) {
  run.ranks = options.ranks;
  run.rehearsed = std::move(ranks);
  run.clock_offset_ns.assign(static_cast<std::size_t>(run.ranks), 0);
  TraceWriter writer(*options.trace, run);
  for (const Repetition& repetition : repetitions) {
    writer.add(repetition);
  }
  std::ranges::for_each(lines, [&](const std::string& part) { writer.add_lines(part); });
  writer.commit();
}

/// Prepares the rank and makes its calls, with `Inputs::each_new` each for itself, unless a
/// preparation, of at most `max_bytes`, takes too much to be repeated. Collective over `world`.
std::unique_ptr<Rehearsal> rehearse_rank(const Comm& world, const AnyRun& run, const AnyApp& app,
                                         const RunOptions& options, const CallOptions& call,
                                         int rank, std::int64_t max_bytes) {
  const int runs = options.warm_up + options.repetitions;
  const bool makes_new = options.inputs == Inputs::each_new;
  const Solver solver = solver_of(app, call);
  RehearsalLimits limits{.max_bytes = max_bytes};
  limits.max_s /= makes_new ? runs : 1;
  std::function<ErasedValue(int)> make;
  std::unique_ptr<Rehearsal> rehearsal;
  for (int i = 0; i < runs; ++i) {
    if (!rehearsal || (makes_new && rehearsal->prepared().first_level == 0)) {
      make = agree(world,
                   [&] { return run.maker_of_problems(options, seed_of_repetition(options, i)); });
      rehearsal = std::make_unique<Rehearsal>(app, call, world, options.ranks, rank, make, solver);
      agree(world, [&] { rehearsal->prepare(limits); });
      limits = {.max_s = std::numeric_limits<double>::infinity()};  // it takes as much again
    }
    auto problem = agree(world, [&] { return make(rank); });
    call.recorder->begin_repetition(i + 1, i < options.warm_up);  // 0 is the preparation
    const std::int64_t elapsed_ns =
        agree(world, [&] { return rehearsal->run(std::move(problem)); });
    if (is_distributed(options)) {
      add_asked_sizes(options, *call.recorder);
    }
    call.recorder->end_repetition(world.allreduce_max(elapsed_ns));
  }
  return rehearsal;
}

int ranks_per_host(const RunOptions& options) {
  return std::min(options.ranks, options.ranks_per_host.value_or(usable_cores()));
}

}  // namespace

void check_rehearsal(const RunOptions& o) {
  constexpr int kMaxVirtual = 4096;  // ranks of 8 MiB of address space each
  const bool searches = o.type == DC_Type::work_stealing;
  const bool is_limited = o.max_nodes != RunOptions().max_nodes || std::isfinite(o.max_s);
  refuse_first(
      {{!searches && o.type != DC_Type::hypercube,
        fmt::format("{} is not rehearsed, take --type hypercube", name_of(o.type))},
       {!searches && o.verify, "--verify is not for a rehearsal, which has no result"},
       {!searches && is_limited,
        "a limit is not for a rehearsal, which solves each part as a whole"},
       {searches && o.threads > 1,
        "--threads is not for a rehearsal, whose ranks have one thread each"},
       {searches && o.checkpoint.has_value(),
        "--checkpoint is not for a rehearsal, which begins at the start"},
       {searches && o.ranks > kMaxVirtual,
        fmt::format("{} ranks of a search, allowed are {}", o.ranks, kMaxVirtual)},
       {searches && o.ranks > 1 && !o.machine,
        "say by --network what messages of a search take, a file that cleave-calibrate writes"}},
      "--rehearse: ");
}

void rehearse(const Comm& world, const AnyRun& run, const ProgramTraits& program,
              const RunOptions& options, RunInformation information) {
  if (simulates_hosts(mpi_library())) {
    throw UsageError("--rehearse: not on simulated hosts, whose ranks are all there");
  }
  if (world.size() > options.ranks) {
    throw UsageError(fmt::format("--rehearse: {} processes for {}, start at most {}", world.size(),
                                 format_ranks(options.ranks), options.ranks));
  }
  keep_freed_memory();
  const Hosts& hosts = hosts_of(world);
  const auto rank = static_cast<int>(std::int64_t{options.ranks} * world.rank() / world.size());
  Recorder recorder(rehearsed_ns);
  CallOptions call{{.comm = MPI_COMM_WORLD,
                    .recorder = &recorder,
                    .placement = options.placement,
                    .stealing = {.threads = options.threads}}};
  const std::int64_t max_bytes = available_memory() / hosts.ranks_per_host();
  call.bound_to = bind_as(options, world);
  const std::unique_ptr<AnyApp> app = run.app();
  const auto rehearsal = rehearse_rank(world, run, *app, options, call, rank, max_bytes);

  const std::vector<std::int64_t> ranks = world.gather(rank);
  const std::vector<std::int64_t> first_levels = world.gather(rehearsal->prepared().first_level);
  const std::vector<std::int64_t> level_offsets = world.gather(rehearsal->prepared().level_offset);
  RunReport report{.app = program.name, .rehearsed = {ranks.begin(), ranks.end()}};
  report.take(recorder.repetitions());
  if (options.trace) {
    const std::string mine = agree(world, [&] {
      // Other processes have solved the same leaves.
      return (world.rank() == 0 ? lines_of(rehearsal->prepared()) : "") +
             lines_of(recorder, rank, rehearsal->prepared().level_offset);
    });
    std::vector<std::string> lines;
    for_each_text(world, mine, [&](const std::string& each) { lines.push_back(each); });
    agree(world, [&] {
      if (world.rank() == 0) {
        information.ranks_per_host = hosts.ranks_per_host();
        information.oversubscribed = hosts.oversubscribed(options.threads);
        const auto runs = recorder.repetitions();
        std::vector<Repetition> repetitions(runs.begin(), runs.end());
        const Repetition preparation{.index = 0, .warm_up = true, .sizes = runs.front().sizes};
        repetitions.insert(repetitions.begin(), preparation);
        write_rehearsed(options, std::move(information), report.rehearsed, repetitions, lines);
      }
    });
  }
  agree(world, [&] {
    if (world.rank() == 0) {
      std::vector<std::string> warnings = launch_warnings(world, options.threads);
      for (std::size_t i = 0; i < ranks.size(); ++i) {
        if (first_levels[i] > 0) {
          warnings.push_back(fmt::format(
              "rank {}: nothing is {} at levels 0 to {}, for which the other ranks' part takes "
              "more time or memory than one host has",
              ranks[i], level_offsets[i] > 0 ? "rehearsed" : "combined", first_levels[i] - 1));
        }
      }
      print_warnings(program.program, warnings, options);
      print_report(report, options);
    }
  });
}

VirtualNetwork network_of_rehearsed_search(const RunOptions& options) {
  return options.machine
             ? network_of(read_machine(*options.machine), options.ranks, ranks_per_host(options))
             : VirtualNetwork{};
}

void write_rehearsed_search(const RunOptions& options, RunInformation run,
                            std::span<const Recorder> recorders) {
  run.ranks_per_host = ranks_per_host(options);
  run.provenance.clock = "virtual";
  std::vector<int> ranks;
  std::vector<std::string> lines;
  for (const Recorder& recorder : recorders) {
    check_size_names(recorder);
    const auto rank = static_cast<int>(ranks.size());
    lines.push_back(span_lines(recorder, rank, 0, recorder.spans().size()) +
                    last_lines(recorder, rank));
    ranks.push_back(rank);
  }
  write_rehearsed(options, std::move(run), ranks, recorders.front().repetitions(), lines);
}

}  // namespace cleave::detail
