// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/host/host_cores.hpp>
#include <cleave/hosts.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/program/mpi_program.hpp>
#include <cleave/program/rehearse.hpp>
#include <cleave/program/rehearse_rank.hpp>
#include <cleave/program/summary.hpp>
#include <cleave/trace/duration.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/median.hpp>
#include <cleave/trace/trace_file.hpp>
#include <cleave/trace/words.hpp>
#include <cleave/write_trace.hpp>

namespace cleave::detail {

namespace {

bool is_message(Block block) { return block == Block::exchange || block == Block::wait; }

/// What a person compares of a span: its place and its sizes.
std::string text_of(const Recorder& recorder, const Span& span) {
  std::vector<std::string> sizes;
  for (const Size& size : recorder.sizes_of(span)) {
    sizes.push_back(fmt::format("{}={}", size.name, size.value));
  }
  return fmt::format("{} of {} at level {}", name_of(span.block), fmt::join(sizes, ","),
                     span.level);
}

/// What is done in repetition `index`, in its order.
std::vector<std::string> work_of(const Recorder& recorder, int index) {
  std::vector<std::string> work;
  for (const Span& span : recorder.spans()) {
    if (span.repetition == index && !is_message(span.block)) {
      work.push_back(text_of(recorder, span));
    }
  }
  return work;
}

std::string or_nothing(const std::vector<std::string>& work, std::size_t at) {
  return at < work.size() ? work[at] : "nothing";
}

/// The first thing that a repetition does otherwise than the one before; none if all do the same.
std::optional<std::string> difference_of(const RehearsedRank& rehearsed) {
  std::vector<std::string> before;
  for (const Repetition& repetition : rehearsed.recorder.repetitions()) {
    std::vector<std::string> work = work_of(rehearsed.recorder, repetition.index);
    if (!before.empty() && work != before) {
      const auto at =
          static_cast<std::size_t>(std::ranges::mismatch(before, work).in1 - before.begin());
      return fmt::format(
          "rank {} does {} in repetition {} and {} in the next: the application is not "
          "deterministic, or keeps state from call to call",
          rehearsed.rank, or_nothing(before, at), repetition.index - 1, or_nothing(work, at));
    }
    before = std::move(work);
  }
  return std::nullopt;
}

/// Each process's `text` on process 0, the others get nothing.
std::vector<std::string> gather_texts(const Comm& world, const std::string& text) {
  if (world.rank() != 0) {
    text_of_rank(world, world.rank(), text);
    return {};
  }
  std::vector<std::string> texts = {text};
  for (int other = 1; other < world.size(); ++other) {
    texts.push_back(text_of_rank(world, other, ""));
  }
  return texts;
}

/// Everything but messages, at its levels in the whole call.
std::string lines_of(const RehearsedRank& rehearsed) {
  Recorder written(rehearsed_ns);
  for (const Repetition& repetition : rehearsed.recorder.repetitions()) {
    written.begin_repetition(repetition.index, repetition.warm_up);
    for (const Span& span : rehearsed.recorder.spans()) {
      if (span.repetition == repetition.index && !is_message(span.block)) {
        written.record(span.block, span.level + rehearsed.level_offset, span.group, span.begin_ns,
                       span.end_ns, span.bytes, rehearsed.recorder.sizes_of(span));
      }
    }
  }
  check_size_names(written);
  return span_lines(written, rehearsed.rank, 0, written.spans().size());
}

std::string lines_of(const Leaves& leaves) {
  check_size_names(leaves.recorder);
  std::string lines;
  for (std::size_t i = 0; i < leaves.ranks.size(); ++i) {
    lines += span_lines(leaves.recorder, leaves.ranks[i], i, 1);
  }
  return lines;
}

/// Those of this process's first rank, each as long as that of the slowest rank of all. Collective.
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

/// Collective. \throws Error
void write_rehearsal(const Comm& world, RunInformation run, const std::vector<int>& ranks,
                     const std::vector<Repetition>& repetitions,
                     const std::vector<RehearsedRank>& mine, const std::filesystem::path& path) {
  std::string lines = agree(world, [&] {
    // Other processes have solved the same leaves.
    std::string all = world.rank() == 0 ? lines_of(mine.front().leaves) : std::string();
    for (const RehearsedRank& rehearsed : mine) {
      all += lines_of(rehearsed);
    }
    return all;
  });
  const std::vector<std::string> of_all = gather_texts(world, lines);
  agree(world, [&] {
    if (world.rank() != 0) {
      return;
    }
    run.rehearsed = ranks;
    run.clock_offset_ns.assign(static_cast<std::size_t>(run.ranks), 0);
    TraceWriter writer(path, run);
    writer.add({.index = 0, .warm_up = true, .sizes = repetitions.front().sizes});
    for (const Repetition& repetition : repetitions) {
      writer.add(repetition);
    }
    for (const std::string& of_process : of_all) {
      writer.add_lines(of_process);
    }
    writer.commit();
  });
}

void print_times(const std::string& app, const RunOptions& options, const std::vector<int>& ranks,
                 const std::vector<Repetition>& repetitions) {
  std::vector<double> seconds;
  for (const Repetition& repetition : repetitions) {
    if (!repetition.warm_up) {
      seconds.push_back(static_cast<double>(repetition.elapsed_ns) * 1e-9);
    }
  }
  nlohmann::ordered_json sizes = nlohmann::ordered_json::object();
  for (const Size& size : repetitions.back().sizes) {
    sizes[std::string(size.name)] = size.value;
  }
  std::string text;
  if (options.json) {
    text = nlohmann::ordered_json{{"app", app},
                                  {"ranks", options.rehearse->of},
                                  {"rehearsed", ranks},
                                  {"type", name_of(options.type)},
                                  {"placement", name_of(options.placement)},
                                  {"seed", options.seed},
                                  {"sizes", sizes},
                                  {"seconds_without_messages", seconds}}
               .dump() +
           "\n";
  } else if (!options.quiet && !is_standard_output(options.trace.value_or(""))) {
    text = fmt::format("{}, {} {} of {} rehearsed, {}, {}\n", app,
                       ranks.size() == 1 ? "rank" : "ranks", fmt::join(ranks, ", "),
                       options.rehearse->of, name_of(options.type), name_of(options.placement));
    for (const auto& [name, value] : sizes.items()) {
      text += fmt::format("{:<22}{}\n", name, value.dump());
    }
    text += fmt::format("{:<22}{} median of {}, without messages\n", "time",
                        format_seconds(median(seconds)), seconds.size());
  }
  write_out(text);
}

/// Which ranks this process is to rehearse, one after the other: of those that were named every
/// so many-th, else one, evenly spaced from 0 on. \throws UsageError  if processes would have
/// different numbers of ranks
std::vector<int> ranks_of_process(const Comm& world, const RehearsedRanks& wanted) {
  if (simulates_hosts(mpi_library())) {
    throw UsageError("--rehearse: not on simulated hosts, whose ranks are all there");
  }
  const int processes = world.size();
  if (wanted.ranks.empty()) {
    if (processes > wanted.of) {
      throw UsageError(fmt::format("--rehearse: {} processes for {}, start at most {}", processes,
                                   format_ranks(wanted.of), wanted.of));
    }
    return {static_cast<int>(std::int64_t{wanted.of} * world.rank() / processes)};
  }
  if (std::ssize(wanted.ranks) % processes != 0) {
    throw UsageError(fmt::format("--rehearse: {} ranks for {} processes, name as many for each",
                                 wanted.ranks.size(), processes));
  }
  std::vector<int> mine;
  for (std::size_t i = world.rank(); i < wanted.ranks.size(); i += processes) {
    mine.push_back(wanted.ranks[i]);
  }
  return mine;
}

/// Prints the times, and to standard error what is to be known of them; writes the trace. `mine` as
/// `ranks_of_process` has it. Collective.
void tell_rehearsal(const Comm& world, const ProgramTraits& program, const RunOptions& options,
                    RunInformation information, const std::vector<RehearsedRank>& mine) {
  std::vector<int> ranks;
  for (const RehearsedRank& rehearsed : mine) {
    for (const std::int64_t rank : world.gather(rehearsed.rank)) {
      ranks.push_back(static_cast<int>(rank));
    }
  }
  const std::vector<Repetition> repetitions = repetitions_of_all(world, mine);
  for (const RehearsedRank& rehearsed : mine) {
    for (const std::string& text :
         gather_texts(world, what_to_know_of(rehearsed, options.inputs))) {
      if (!text.empty()) {
        print_warnings(program.program, {text}, options);
      }
    }
  }
  agree(world, [&] {
    if (world.rank() == 0) {
      print_warnings(program.program, launch_warnings(world, options.threads), options);
      print_times(program.name, options, ranks, repetitions);
    }
  });
  if (options.trace) {
    information.ranks = options.rehearse->of;
    information.ranks_per_host = hosts_of(world).ranks_per_host();
    information.oversubscribed = hosts_of(world).oversubscribed(options.threads);
    write_rehearsal(world, std::move(information), ranks, repetitions, mine, *options.trace);
  }
}

/// All of its ranks run here, with one thread each and the messages of a machine.
template <class Refuse>
void check_rehearsed_search(const RunOptions& options, const Refuse& refuse) {
  if (options.threads > 1) {
    refuse("--threads", "whose ranks have one thread each");
  }
  if (options.checkpoint) {
    refuse("--checkpoint", "which begins at the start");
  }
  if (options.inputs != Inputs::same) {
    refuse("--inputs new", "which repeats one input");
  }
  const RehearsedRanks& wanted = *options.rehearse;
  if (!wanted.ranks.empty()) {
    throw UsageError(
        fmt::format("--rehearse: all ranks of a search run here, say --rehearse {}", wanted.of));
  }
  constexpr int kMaxVirtual = 4096;  // of 8 MiB of address space each
  if (wanted.of > kMaxVirtual) {
    throw UsageError(
        fmt::format("--rehearse: {} ranks of a search, allowed are {}", wanted.of, kMaxVirtual));
  }
  if (wanted.of > 1 && !options.machine) {
    throw UsageError(
        "--rehearse: say by --network what messages of a search take, a file that cleave-calibrate "
        "writes");
  }
  if (const auto cores = std::ssize(cores_of_this_host());
      wanted.of > cores && !options.ranks_per_host) {
    throw UsageError(fmt::format(
        "--rehearse: {} ranks are more than this host has cores ({}), say by --ranks-per-host how "
        "many share a host",
        wanted.of, cores));
  }
}

/// \throws UsageError
int count_between(std::string text, int min, int max) {
  if (const std::string wrong = Count(min, max)(text); !wrong.empty()) {
    throw UsageError(wrong);
  }
  return std::stoi(text);
}

}  // namespace

RehearsedRanks parse_rehearsed_ranks(const std::string& text) {
  const std::size_t colon = text.find(':');
  RehearsedRanks wanted{.of = count_between(text.substr(0, colon), 1, kMaxRanks)};
  for (std::size_t at = colon; at != std::string::npos;) {
    const std::size_t end = text.find(',', at + 1);
    const std::string rank = text.substr(at + 1, end == std::string::npos ? end : end - at - 1);
    wanted.ranks.push_back(count_between(rank, 0, wanted.of - 1));
    at = end;
  }
  const std::set<int> different(wanted.ranks.begin(), wanted.ranks.end());
  if (different.size() != wanted.ranks.size()) {
    throw UsageError(fmt::format("'{}' names a rank twice", text));
  }
  return wanted;
}

std::string what_to_know_of(const RehearsedRank& rehearsed, Inputs inputs) {
  std::string text = inputs == Inputs::same ? difference_of(rehearsed).value_or("") : "";
  if (rehearsed.first_level > 0) {
    text += fmt::format(
        "{}rank {}: {} at levels 0 to {}, for which the other ranks' part takes more time or "
        "memory than one host has",
        text.empty() ? "" : "; ", rehearsed.rank,
        rehearsed.level_offset > 0 ? "nothing is rehearsed" : "nothing is combined",
        rehearsed.first_level - 1);
  }
  return text;
}

void check_rehearsal(const RunOptions& options) {
  const auto refuse = [](const char* option, const char* why) {
    throw UsageError(fmt::format("--rehearse: {} is not for a rehearsal, {}", option, why));
  };
  if (options.type == DC_Type::work_stealing) {
    check_rehearsed_search(options, refuse);
    return;
  }
  if (options.type != DC_Type::hypercube) {
    throw UsageError(fmt::format("--rehearse: {} is not rehearsed, take --type hypercube",
                                 name_of(options.type)));
  }
  if (options.verify) {
    refuse("--verify", "which has no result");
  }
  if (options.max_nodes != RunOptions().max_nodes || std::isfinite(options.max_s) ||
      options.max_memory_bytes != RunOptions().max_memory_bytes) {
    refuse("a limit", "which solves each part as a whole");
  }
  if (options.machine || options.ranks_per_host) {
    throw UsageError(
        "--network and --ranks-per-host are for --rehearse of a search: cleave predict takes a "
        "machine");
  }
}

void rehearse(const Comm& world, const AnyRun& run, const ProgramTraits& program,
              const CommandLine& line, RunInformation information) {
  RunOptions options = line.options;
  if (!run.facts().is_generated) {
    options.inputs = Inputs::same;
  }
  const std::vector<int> ranks = ranks_of_process(world, *options.rehearse);
  CallOptions call{{.comm = MPI_COMM_WORLD,
                    .placement = options.placement,
                    .stealing = {.threads = options.threads}}};
  keep_freed_memory();
  call.bound_to = bind_as(options, world);
  const std::int64_t max_bytes = available_memory() / hosts_of(world).ranks_per_host();
  const auto holding = [&](int rank) { return holding_of(rank, options); };
  std::vector<RehearsedRank> mine;
  for (const int rank : ranks) {
    mine.push_back(run.rehearse(world, options, call, rank, max_bytes, holding));
  }
  tell_rehearsal(world, program, options, std::move(information), mine);
}

}  // namespace cleave::detail
