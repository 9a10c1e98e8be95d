// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <map>
#include <system_error>

#include <cleave/clock.hpp>
#include <cleave/comm/virtual_ranks.hpp>
#include <cleave/command_line/options.hpp>
#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/program.hpp>
#include <cleave/program/instruments.hpp>
#include <cleave/program/launch.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/program/mpi_program.hpp>
#include <cleave/program/parse_options.hpp>
#include <cleave/program/rehearse.hpp>
#include <cleave/program/summary.hpp>
#include <cleave/stealing/snapshot.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/checksum.hpp>
#include <cleave/write_trace.hpp>

namespace cleave::detail {

namespace {

/// Without its dashes.
std::string name_of_option(const OwnOption& option) {
  return option.name.substr(option.name.find_first_not_of('-'));
}

/// "size=N=1M,input=file 0123456789abcdef" of the application's own options: a value that names a
/// file stands for what the file holds. \throws FileError  if it cannot be read
std::string content_of(const std::vector<OwnOption>& options) {
  std::string text;
  for (const OwnOption& option : options) {
    std::error_code none;
    const std::string value = std::filesystem::is_regular_file(option.value, none)
                                  ? "file " + hexadecimal(crc_64(read_file(option.value)))
                                  : option.value;
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name_of_option(option), value);
  }
  return text;
}

/// All that makes the problem of a run: a snapshot of another is refused.
std::string instance_of(const ProblemFacts& facts, const CommandLine& line) {
  const std::string text = facts.instance ? facts.instance() : content_of(line.own);
  const std::string seed = fmt::format("seed={}", line.options.seed);
  return facts.is_generated ? text + (text.empty() ? "" : ",") + seed : text;
}

/// Refuses a trace file that could not be written, before anything is run. \throws FileError
void check_trace_path(const std::filesystem::path& path) {
  std::error_code none;
  if (std::filesystem::is_directory(path, none)) {
    throw FileError(path, "is a folder, expected a file to write the trace to");
  }
  check_writable(path);
}

/// What a trace says of the run; `argv` as main got it.
RunInformation run_information(const ProgramTraits& program, const CommandLine& line, int argc,
                               char** argv) {
  const RunOptions& options = line.options;
  std::map<std::string, std::string> own;
  for (const OwnOption& option : line.own) {
    own[name_of_option(option)] = option.value;
  }
  SizeSteps steps;
  for (const SizeOption& size : program.sizes) {
    if (!size.step.is_any()) {
      steps[std::string(size.name)] = size.step;
    }
  }
  return {.app = program.name,
          .type = std::string(name_of(options.type)),
          .placement = std::string(name_of(options.placement)),
          .threads = options.threads,
          .seed = options.seed,
          .repetitions = options.repetitions,
          .warm_up = options.warm_up,
          .inputs = std::string(name_of(options.inputs)),
          .options = std::move(own),
          .steps = std::move(steps),
          .provenance = mpi_provenance(program.program, command_line_of(argc, argv))};
}

/// The ranks that a solution is spread over: all of `comm`, or this one alone where each has all of
/// it. Collective.
Comm ranks_of_solution(const Comm& comm, const RunOptions& options) {
  return all_hold_solution(options) ? Comm(MPI_COMM_SELF) : comm;
}

/// What rank 0 knows of an end, on every rank. Collective.
void share_end(const Comm& comm, std::optional<EndedEarly>& end) {
  if (comm.allreduce_max(end ? 1 : 0) != 0) {
    const std::string reason = comm.bcast(end ? end->reason : "", 0);
    const bool can_be_resumed = comm.allreduce_max(end && end->can_be_resumed ? 1 : 0) != 0;
    end = EndedEarly{.reason = reason, .can_be_resumed = can_be_resumed};
  }
}

/// What is wrong with the result of the last repetition. Collective.
Wrong find_wrong(const Comm& comm, AnyRun& run, const RunOptions& options) {
  const bool in_parts = is_distributed(options);
  if (run.checks_parts() && (in_parts || !run.keeps_problem())) {
    const Comm holders = ranks_of_solution(comm, options);
    return first_wrong(comm, agree(comm, [&] { return run.wrong_part(holders, options); }));
  }
  if (in_parts) {
    agree(comm, [&] { run.gather_solution(comm); });
  }
  const bool has_solution = comm.rank() == 0 || (all_hold_solution(options) && !in_parts);
  const bool checks = has_solution && (in_parts || holds_problem(comm.rank(), options));
  return first_wrong(
      comm, agree(comm, [&] { return checks ? run.wrong(options, in_parts) : std::nullopt; }));
}

/// Prints what a search found before it was ended. Collective.
/// \throws Error  on every rank, the reason
[[noreturn]] void tell_of_part(const Comm& comm, const AnyRun& run, const RunOptions& options,
                               const SearchReport& report, Summary summary) {
  const Comm holders = ranks_of_solution(comm, options);
  agree(comm, [&] {
    summary.figures = run.figures(holders).json();
    if (comm.rank() == 0) {
      summary.ended_early = report.ended->reason;
      add_search_figures(summary, report, options);
      print_summary(summary, options);
    }
  });
  throw_ended_early(*report.ended);
}

/// Checks the result, writes it and tells of it, as the options say. Collective.
/// \return  what is wrong with it
Wrong finish(const Comm& comm, AnyRun& run, const ProgramTraits& program, const RunOptions& options,
             const SearchReport& report, Summary summary) {
  Wrong wrong;
  if (options.verify) {
    wrong = find_wrong(comm, run, options);
    summary.verified = !wrong;
  }
  const Comm holders = ranks_of_solution(comm, options);
  if (run.keeps_solution()) {
    const Stopwatch stopwatch(summary.output_s);
    agree(comm, [&] {
      if (!wrong && (comm.rank() == 0 || holders.size() > 1)) {
        run.keep(holders);
      }
    });
  }
  agree(comm, [&] {
    summary.figures = run.figures(holders).json();
    if (comm.rank() == 0) {
      print_warnings(program.program, launch_warnings(comm, options.threads), options);
      add_search_figures(summary, report, options);
      print_summary(summary, options);
      if (options.checkpoint) {
        remove_snapshots(*options.checkpoint);  // of a search that is done
      }
    }
  });
  return wrong;
}

/// Tells of what was run, and writes its trace by `write(information)`. Collective.
template <class Write>
void tell_of_run(const Comm& comm, AnyRun& run, const ProgramTraits& program,
                 const CommandLine& line, SearchReport& report, Summary summary,
                 RunInformation information, const Write& write) {
  const RunOptions& options = line.options;
  share_end(comm, report.ended);
  if (report.ended) {
    tell_of_part(comm, run, options, report, std::move(summary));
  }
  const Wrong wrong = finish(comm, run, program, options, report, std::move(summary));
  if (options.trace) {
    information.costs = run.facts().costs ? run.facts().costs() : Costs{};
    write(std::move(information));
  }
  if (wrong) {
    throw Error("the result is wrong: " + *wrong);
  }
  if (instruments != nullptr) {
    instruments->finish(comm);
  }
}

/// What all ranks of a search would do, on virtual ones.
void rehearse_application(const Comm& comm, AnyRun& run, const ProgramTraits& program,
                          const CommandLine& line, RunInformation information) {
  const RunOptions& options = line.options;
  std::vector<Recorder> recorders(static_cast<std::size_t>(options.ranks),
                                  Recorder(VirtualRanks::now_ns));
  SearchReport report;
  const auto options_of = [&](int rank) {
    CallOptions call = call_options(options, program, "", rank, recorders[rank], report);
    call.stealing.statistics = rank == 0 ? &report.workers : nullptr;
    return call;
  };
  RunProgress progress(comm, program.program, options, report.visits);
  bind_as(options, comm);
  double input_s = 0;
  {
    const StopSignals signals(program.searches);
    rehearse_search(comm, run, options, options_of, recorders, progress, input_s);
  }
  tell_of_run(comm, run, program, line, report,
              {.app = program.name,
               .seconds = seconds_of(recorders.front()),
               .input_s = input_s,
               .reads_input = !run.facts().is_generated,
               .sizes = recorders.front().repetitions().back().sizes},
              std::move(information), [&](RunInformation told) {
                write_rehearsed_search(options, std::move(told), recorders);
              });
}

void run_application(const Comm& comm, AnyRun& run, const ProgramTraits& program,
                     const CommandLine& line, RunInformation information) {
  const RunOptions& options = line.options;
  // Spans are taken even if no trace is written, since they also tell the imbalance.
  Recorder recorder(mpi_time_ns);
  SearchReport report;
  const std::string instance = agree(comm, [&] {
    return options.checkpoint && comm.rank() == 0 ? instance_of(run.facts(), line) : std::string();
  });
  CallOptions call = call_options(options, program, instance, comm.rank(), recorder, report);
  if (call.checkpoint) {
    call.checkpoint->warn = [&](const std::string& what) {
      print_warnings(program.program, {what}, options);
    };
  }
  // Its thread is not bound.
  RunProgress progress(comm, program.program, options, report.visits);
  // Before the problem is made: memory is taken near the core that first touches it.
  call.bound_to = bind_as(options, comm);
  double input_s = 0;
  {
    const StopSignals signals(call.stealing.stop != nullptr);
    measure(comm, run, options, call, recorder, progress, input_s);
  }
  const std::string& work = run.facts().work;
  const std::string_view first = program.sizes.empty() ? "" : program.sizes.front().name;
  Summary summary{.app = program.name,
                  .seconds = seconds_of(recorder),
                  .input_s = input_s,
                  .reads_input = !run.facts().is_generated,
                  .sizes = recorder.repetitions().back().sizes,
                  .imbalance = imbalance_of(comm, recorder, work.empty() ? first : work)};
  tell_of_run(
      comm, run, program, line, report, std::move(summary), std::move(information),
      [&](RunInformation told) { write_trace(comm, *options.trace, std::move(told), recorder); });
}

/// Parses the command line, for a run of so many ranks. \return  nothing if there is nothing more
/// to do
std::optional<CommandLine> set_up(const ProgramTraits& traits, const Programs& programs, int ranks,
                                  int argc, char** argv, bool speaks) {
  std::optional<CommandLine> line = parse_options(traits, programs.add_options, argc, argv, speaks);
  if (line) {
    const auto& rehearse = line->options.rehearse;
    line->options.ranks = rehearse ? rehearse->of : ranks;
    if (programs.check_options) {
      programs.check_options(line->options);
    }
  }
  return line;
}

void run_on_ranks(const Comm& comm, const ProgramTraits& traits, const Programs& programs, int argc,
                  char** argv) {
  require_same_command(comm, traits.program, argc, argv);
  const bool is_first = comm.rank() == 0;
  const auto line = set_up(traits, programs, comm.size(), argc, argv, is_first);
  if (!line) {
    return;
  }
  const RunOptions& options = line->options;
  agree(comm, [&] {
    if (is_first) {
      print_warnings(traits.program, options.warnings, options);
      if (options.trace) {
        check_trace_path(*options.trace);
      }
    }
  });
  if (!programs.choose) {
    throw Error("the program must have `choose`, which says which application it runs");
  }
  const auto run = programs.choose(options).begin(options);
  RunInformation information = run_information(traits, *line, argc, argv);
  if (!options.rehearse) {
    run_application(comm, *run, traits, *line, std::move(information));
  } else if (options.type == DC_Type::work_stealing) {
    rehearse_application(comm, *run, traits, *line, std::move(information));
  } else {
    rehearse(comm, *run, traits, *line, std::move(information));
  }
}

/// Answers --help, --version and --describe without MPI, which may not start without a launcher. Of
/// the processes that one started, the first answers.
/// \return  the status to end with
int answer_alone(const ProgramTraits& traits, const Programs& programs, int argc, char** argv) {
  if (is_launched_as_another()) {
    return 0;
  }
  return run_alone(traits.program, [&] {
    const auto line = set_up(traits, programs, 1, argc, argv, true);
    if (!line) {
      return;
    }
    const auto study = [&](bool is_quick) {
      return programs.study ? programs.study(line->options, is_quick)
                            : default_study(traits, is_quick);
    };
    print_description(traits, *line, study(false), study(true));
  });
}

}  // namespace

std::function<AnyProgram(const RunOptions&)> always(AnyProgram program) {
  return [program = std::move(program)](const RunOptions&) { return program; };
}

int run_program(int argc, char** argv, ProgramTraits traits, const Programs& programs) {
  traits.program = std::filesystem::path(argv[0]).filename().string();
  traits.name = programs.name.empty() ? traits.program : programs.name;
  traits.summary = programs.summary;
  traits.sizes = programs.sizes;
  traits.files = programs.files;
  if (asks_to_be_told(argc, argv)) {
    return answer_alone(traits, programs, argc, argv);
  }
  return run_mpi_program(argc, argv, traits.program, [&](const Comm& comm) {
    run_on_ranks(comm, traits, programs, argc, argv);
  });
}

}  // namespace cleave::detail
