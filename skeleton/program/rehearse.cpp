// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <numeric>
#include <set>

#include <cleave/comm/virtual_ranks.hpp>
#include <cleave/command_line/output.hpp>
#include <cleave/error.hpp>
#include <cleave/host/host_cores.hpp>
#include <cleave/hosts.hpp>
#include <cleave/kernel/call.hpp>
#include <cleave/kernel/rehearsal.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/machine_file.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/trace/words.hpp>
#include <cleave/write_trace.hpp>

namespace cleave::detail {

namespace {

/// A rank that this process has rehearsed.
struct RehearsedRank {
  int rank = 0;
  Recorder recorder{rehearsed_ns};
  PreparedRehearsal prepared{};
};

bool is_message(const Span& span) {
  return span.block == Block::exchange || span.block == Block::wait;
}

/// Each process's `text` on process 0, the others get nothing.
std::vector<std::string> gather_texts(const Comm& world, const std::string& text) {
  std::vector<std::string> texts;
  for (int process = 0; process < world.size(); ++process) {
    if (world.rank() == 0 || world.rank() == process) {
      texts.push_back(process == 0 ? text : text_of_rank(world, process, text));
    }
  }
  return world.rank() == 0 ? texts : std::vector<std::string>();
}

/// Lines of a trace: everything but messages, at its levels in the whole call.
std::string lines_of(const RehearsedRank& rehearsed) {
  Recorder written(rehearsed_ns);
  for (const Repetition& repetition : rehearsed.recorder.repetitions()) {
    written.begin_repetition(repetition.index, repetition.warm_up);
    for (const Span& span : rehearsed.recorder.spans()) {
      if (span.repetition == repetition.index && !is_message(span)) {
        written.record(span.block, span.level + rehearsed.prepared.level_offset, span.group,
                       span.begin_ns, span.end_ns, span.bytes, rehearsed.recorder.sizes_of(span));
      }
    }
  }
  check_size_names(written);
  return span_lines(written, rehearsed.rank, 0, written.spans().size());
}

std::string lines_of(const PreparedRehearsal& prepared) {
  check_size_names(prepared.own_parts);
  std::string lines;
  for (std::size_t i = 0; i < prepared.ranks.size(); ++i) {
    lines += span_lines(prepared.own_parts, prepared.ranks[i], i, 1);
  }
  return lines;
}

/// The repetitions of this process's first rank, each as long as that of the slowest rank of all.
/// Collective.
std::vector<Repetition> repetitions_of_all(const Comm& world,
                                           const std::vector<RehearsedRank>& mine) {
  const auto first = mine.front().recorder.repetitions();
  std::vector<Repetition> all(first.begin(), first.end());
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (const RehearsedRank& rehearsed : mine) {
      all[i].elapsed_ns =
          std::max(all[i].elapsed_ns, rehearsed.recorder.repetitions()[i].elapsed_ns);
    }
    all[i].elapsed_ns = world.allreduce_max(all[i].elapsed_ns);
  }
  return all;
}

/// Writes the trace of `ranks` of a run, whose parts `lines_of` has. \throws Error
template <class LinesOf>
void write_rehearsed(const RunOptions& options, RunInformation run, std::vector<int> ranks,
                     std::span<const Repetition> repetitions, std::size_t parts,
                     const LinesOf& lines_of) {
  run.ranks = options.ranks;
  run.rehearsed = std::move(ranks);
  run.clock_offset_ns.assign(static_cast<std::size_t>(run.ranks), 0);
  TraceWriter writer(*options.trace, run);
  for (const Repetition& repetition : repetitions) {
    writer.add(repetition);
  }
  for (std::size_t part = 0; part < parts; ++part) {
    writer.add_lines(lines_of(part));
  }
  writer.commit();
}

/// Prepares the rank and makes its calls, with `Inputs::each_new` each for itself, unless a
/// preparation takes too much to be repeated. Collective over `world`.
/// \param max_bytes  that the preparation may take
RehearsedRank rehearse_rank(const Comm& world, const AnyRun& run, const AnyApp& app,
                            const RunOptions& options, CallOptions call, int rank,
                            std::int64_t max_bytes) {
  const int runs = options.warm_up + options.repetitions;
  const bool makes_new = options.inputs == Inputs::each_new;
  const Solver solver = solver_of(app, call);
  RehearsedRank rehearsed{.rank = rank};
  call.recorder = &rehearsed.recorder;
  RehearsalLimits limits{.max_bytes = max_bytes};
  limits.max_s /= makes_new ? runs : 1;
  std::function<ErasedValue(int)> make;
  std::optional<Rehearsal> rehearsal;
  for (int i = 0; i < runs; ++i) {
    if (!rehearsal || (makes_new && rehearsal->prepared().first_level == 0)) {
      make = agree(world,
                   [&] { return run.maker_of_problems(options, seed_of_repetition(options, i)); });
      rehearsal.emplace(app, call, world, options.rehearse->of, rank, make, solver);
      agree(world, [&] { rehearsal->prepare(limits); });
      limits = {.max_s = std::numeric_limits<double>::infinity()};  // it takes as much again
    }
    auto problem = agree(world, [&] { return make(rank); });
    rehearsed.recorder.begin_repetition(i + 1, i < options.warm_up);  // 0 is the preparation
    const std::int64_t elapsed_ns =
        agree(world, [&] { return rehearsal->run(std::move(problem)); });
    if (is_distributed(options)) {
      add_asked_sizes(options, rehearsed.recorder);
    }
    rehearsed.recorder.end_repetition(elapsed_ns);
  }
  rehearsed.prepared = rehearsal->prepared();
  return rehearsed;
}

/// Which ranks this process is to rehearse, one after the other: of those that were named every
/// so many-th, else one, evenly spaced from 0 on. \throws UsageError  if processes would have
/// different numbers of ranks
std::vector<int> ranks_of_process(const Comm& world, const RehearsedRanks& wanted) {
  const int processes = world.size();
  if (simulates_hosts(mpi_library())) {
    throw UsageError("--rehearse: not on simulated hosts, whose ranks are all there");
  }
  if (wanted.ranks.empty() && processes > wanted.of) {
    throw UsageError(fmt::format("--rehearse: {} processes for {}, start at most {}", processes,
                                 format_ranks(wanted.of), wanted.of));
  }
  if (std::ssize(wanted.ranks) % processes != 0) {
    throw UsageError(fmt::format("--rehearse: {} ranks for {} processes, name as many for each",
                                 wanted.ranks.size(), processes));
  }
  std::vector<int> mine;
  for (std::size_t i = world.rank(); i < wanted.ranks.size(); i += processes) {
    mine.push_back(wanted.ranks[i]);
  }
  return wanted.ranks.empty()
             ? std::vector{static_cast<int>(std::int64_t{wanted.of} * world.rank() / processes)}
             : mine;
}

int ranks_per_host(const RunOptions& options) {
  return std::min(options.ranks, options.ranks_per_host.value_or(options.ranks));
}

}  // namespace

RehearsedRanks parse_rehearsed_ranks(const std::string& text) {
  const auto count_between = [](const std::string& digits, std::int64_t min, std::int64_t max) {
    const std::int64_t count = parse_count(digits);
    if (count < min || count > max) {
      throw UsageError(fmt::format("'{}' is out of range: from {} to {}", digits, min, max));
    }
    return static_cast<int>(count);
  };
  const std::size_t colon = text.find(':');
  RehearsedRanks wanted{.of = count_between(text.substr(0, colon), 1, kMaxRanks)};
  for (std::size_t at = colon; at != std::string::npos;) {
    const std::size_t end = text.find(',', at + 1);
    wanted.ranks.push_back(
        count_between(text.substr(at + 1, end - std::min(end, at + 1)), 0, wanted.of - 1));
    at = end;
  }
  const std::set<int> different(wanted.ranks.begin(), wanted.ranks.end());
  if (different.size() != wanted.ranks.size()) {
    throw UsageError(fmt::format("'{}' names a rank twice", text));
  }
  return wanted;
}

std::string levels_left_out(int rank, int first_level, int level_offset) {
  return first_level == 0
             ? ""
             : fmt::format(
                   "rank {}: {} at levels 0 to {}, for which the other ranks' part takes "
                   "more time or memory than one host has",
                   rank, level_offset > 0 ? "nothing is rehearsed" : "nothing is combined",
                   first_level - 1);
}

void check_rehearsal(const RunOptions& o) {
  constexpr int kMaxVirtual = 4096;  // ranks of 8 MiB of address space each
  const int of = o.rehearse->of;
  const auto cores = std::ssize(cores_of_this_host());
  const bool searches = o.type == DC_Type::work_stealing;
  const bool is_limited = o.max_nodes != RunOptions().max_nodes || std::isfinite(o.max_s);
  refuse_first(
      {{!searches && o.type != DC_Type::hypercube,
        fmt::format("{} is not rehearsed, take --type hypercube", name_of(o.type))},
       {!searches && o.verify, "--verify is not for a rehearsal, which has no result"},
       {!searches && is_limited,
        "a limit is not for a rehearsal, which solves each part as a whole"},
       {!searches && (o.machine || o.ranks_per_host),
        "--network and --ranks-per-host are for a search: cleave predict takes a machine"},
       {searches && o.threads > 1,
        "--threads is not for a rehearsal, whose ranks have one thread each"},
       {searches && o.checkpoint.has_value(),
        "--checkpoint is not for a rehearsal, which begins at the start"},
       {searches && o.inputs != Inputs::same,
        "--inputs new is not for a rehearsal, which repeats one input"},
       {searches && !o.rehearse->ranks.empty(),
        fmt::format("all ranks of a search run here, say --rehearse {}", of)},
       {searches && of > kMaxVirtual,
        fmt::format("{} ranks of a search, allowed are {}", of, kMaxVirtual)},
       {searches && of > 1 && !o.machine,
        "say by --network what messages of a search take, a file that cleave-calibrate writes"},
       {searches && of > cores && !o.ranks_per_host,
        fmt::format("{} ranks are more than this host has cores ({}), say by --ranks-per-host how "
                    "many share a host",
                    of, cores)}},
      "--rehearse: ");
}

void rehearse(const Comm& world, const AnyRun& run, const ProgramTraits& program,
              RunOptions options, RunInformation information) {
  if (!run.facts().is_generated) {
    options.inputs = Inputs::same;
  }
  CallOptions call{{.comm = MPI_COMM_WORLD,
                    .placement = options.placement,
                    .stealing = {.threads = options.threads}}};
  keep_freed_memory();
  const Hosts& hosts = hosts_of(world);
  const std::int64_t max_bytes = available_memory() / hosts.ranks_per_host();
  const std::vector<int> my_ranks = ranks_of_process(world, *options.rehearse);
  call.bound_to = bind_as(options, world);
  const std::unique_ptr<AnyApp> app = run.app();
  std::vector<RehearsedRank> mine;
  Summary summary{.app = program.name};
  for (const int rank : my_ranks) {
    mine.push_back(rehearse_rank(world, run, *app, options, call, rank, max_bytes));
    const auto of_all = world.gather(rank);
    summary.rehearsed.insert(summary.rehearsed.end(), of_all.begin(), of_all.end());
  }
  std::vector<Repetition> repetitions = repetitions_of_all(world, mine);
  summary.seconds = seconds_of(repetitions);
  summary.sizes = repetitions.back().sizes;
  std::vector<std::string> warnings;
  for (const RehearsedRank& rehearsed : mine) {
    for (const std::string& text :
         gather_texts(world, levels_left_out(rehearsed.rank, rehearsed.prepared.first_level,
                                             rehearsed.prepared.level_offset))) {
      if (!text.empty()) {
        warnings.push_back(text);
      }
    }
  }
  agree(world, [&] {
    if (world.rank() == 0) {
      print_warnings(program.program, warnings, options);
      print_warnings(program.program, launch_warnings(world, options.threads), options);
      print_summary(summary, {}, options);
    }
  });
  if (!options.trace) {
    return;
  }
  const std::string lines = agree(world, [&] {
    // Other processes have solved the same leaves.
    std::string all = world.rank() == 0 ? lines_of(mine.front().prepared) : std::string();
    for (const RehearsedRank& rehearsed : mine) {
      all += lines_of(rehearsed);
    }
    return all;
  });
  const std::vector<std::string> of_all = gather_texts(world, lines);
  agree(world, [&] {
    if (world.rank() == 0) {
      information.ranks_per_host = hosts.ranks_per_host();
      information.oversubscribed = hosts.oversubscribed(options.threads);
      const Repetition preparation{.index = 0, .warm_up = true, .sizes = repetitions.front().sizes};
      repetitions.insert(repetitions.begin(), preparation);
      write_rehearsed(options, std::move(information), summary.rehearsed, repetitions,
                      of_all.size(), [&](std::size_t process) { return of_all[process]; });
    }
  });
}

void rehearse_search(const Comm& world, AnyRun& run, const RunOptions& options,
                     const std::function<CallOptions(int rank)>& options_of,
                     std::span<Recorder> recorders, RunProgress& progress, double& input_s) {
  if (world.size() > 1) {
    throw UsageError(fmt::format("--rehearse: one process rehearses all ranks of a search, not {}",
                                 world.size()));
  }
  const VirtualNetwork network =
      options.machine
          ? network_of(read_machine(*options.machine), options.ranks, ranks_per_host(options))
          : VirtualNetwork{};
  VirtualRanks ranks(options.ranks, network, processor_ns);
  for (int i = 0; i < options.warm_up + options.repetitions; ++i) {
    if (i == 0 || !run.keeps_problem()) {
      add_time(input_s, [&] { run.make_problem(world, options, options.seed); });
    }
    run.begin_solving();
    for (Recorder& recorder : recorders) {
      recorder.begin_repetition(i, i < options.warm_up);
    }
    ranks.run([&](const SearchMessages& rank) { run.solve_as(rank, options_of(rank.rank())); });
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
  run.ranks_per_host = ranks_per_host(options);
  run.provenance.clock = "virtual";
  if (options.machine) {
    run.options["network"] = options.machine->stem().string();
  }
  std::vector<int> ranks(recorders.size());
  std::iota(ranks.begin(), ranks.end(), 0);
  write_rehearsed(options, std::move(run), ranks, recorders.front().repetitions(), ranks.size(),
                  [&](std::size_t rank) {
                    const Recorder& recorder = recorders[rank];
                    check_size_names(recorder);
                    const auto of = static_cast<int>(rank);
                    return span_lines(recorder, of, 0, recorder.spans().size()) +
                           dropped_line(recorder, of) + worker_lines(recorder, of);
                  });
}

}  // namespace cleave::detail
