// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <filesystem>
#include <system_error>

#include <cleave/clock.hpp>
#include <cleave/comm/virtual_ranks.hpp>
#include <cleave/command_line/output.hpp>
#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/kernel/snapshot.hpp>
#include <cleave/program.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/program/mpi_program.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/write_trace.hpp>

namespace cleave::detail {

namespace {

/// All that makes the problem of a run, as "size=N=1M,input=file 0123456789abcdef,seed=1": a
/// snapshot of another is refused. A value that names a file stands for what the file holds.
/// \throws FileError  if it cannot be read
std::string instance_of(const ProblemFacts& facts, const CommandLine& line) {
  std::string text;
  for (const auto& [name, value] : line.own) {
    std::error_code none;
    const bool is_file = std::filesystem::is_regular_file(value, none);
    text += fmt::format("{}{}={}", text.empty() ? "" : ",", name,
                        is_file ? "file " + hexadecimal(crc_64(read_file(value))) : value);
  }
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

/// The head of the run's trace; `argv` as main got it.
RunInformation run_information(const ProgramTraits& program, const CommandLine& line, int argc,
                               char** argv) {
  const RunOptions& options = line.options;
  return {.app = program.name,
          .type = std::string(name_of(options.type)),
          .placement = std::string(name_of(options.placement)),
          .threads = options.threads,
          .seed = options.seed,
          .repetitions = options.repetitions,
          .warm_up = options.warm_up,
          .inputs = std::string(name_of(options.inputs)),
          .options = {line.own.begin(), line.own.end()},
          .provenance = mpi_provenance(program.program, command_line_of(argc, argv))};
}

/// Tells every rank of an end that rank 0 knows. Collective.
void share_end(const Comm& comm, std::optional<EndedEarly>& end) {
  const std::int64_t kind = comm.allreduce_max(!end ? 0 : end->can_be_resumed ? 2 : 1);
  if (kind > 0) {
    end = EndedEarly{.reason = comm.bcast(end ? end->reason : "", 0), .can_be_resumed = kind == 2};
  }
}

/// Checks the result, writes it and tells of it, as the options say; then writes the trace by
/// `write`. Of a search that was ended early, tells what it found. Collective.
/// \throws Error  on every rank, if the result is wrong or not whole
template <class Write>
void tell_of_run(const Comm& comm, AnyRun& run, const ProgramTraits& program,
                 const RunOptions& options, SearchReport& report, Summary summary,
                 const Write& write) {
  share_end(comm, report.ended);
  // Each rank that has all of the solution is alone with it.
  const Comm holders = all_hold_solution(options) ? Comm(MPI_COMM_SELF) : comm;
  Wrong wrong;
  if (options.verify && !report.ended) {
    wrong = first_wrong(comm, run.wrong(comm, holders, options));
    summary.verified = !wrong;
  }
  if (!wrong && !report.ended) {
    add_time(summary.output_s, [&] {
      agree(comm, [&] {
        if (comm.rank() == 0 || holders.size() > 1) {
          run.keep(holders);
        }
      });
    });
  }
  agree(comm, [&] {
    if (comm.rank() == 0) {
      summary.figures = run.figures();
      if (report.ended) {
        summary.ended_early = report.ended->reason;
      }
      print_warnings(program.program, launch_warnings(comm, options.threads), options);
      print_summary(std::move(summary), report, options);
      if (options.checkpoint && !report.ended) {
        remove_snapshots(*options.checkpoint);  // of a search that is done
      }
    }
  });
  if (report.ended) {
    throw_ended_early(*report.ended);
  }
  if (options.trace) {
    write();
  }
  if (wrong) {
    throw Error("the result is wrong: " + *wrong);
  }
  if (instruments != nullptr) {
    instruments->finish(comm);
  }
}

/// Runs the application, or rehearses all ranks of a search on virtual ones. Collective.
void run_application(const Comm& comm, AnyRun& run, const ProgramTraits& program,
                     const CommandLine& line, const RunInformation& information) {
  const RunOptions& options = line.options;
  // Spans are taken even if no trace is written, since they also tell the imbalance.
  const auto clock = options.rehearse ? VirtualRanks::now_ns : mpi_time_ns;
  std::vector<Recorder> recorders(options.rehearse ? options.ranks : 1, Recorder(clock));
  Recorder& recorder = recorders.front();
  SearchReport report;
  CallOptions call = call_options(options, program, comm.rank(), recorder, report);
  if (call.checkpoint) {
    const auto of_root = [&] { return comm.rank() == 0 ? instance_of(run.facts(), line) : ""; };
    call.checkpoint->instance = comm.bcast(agree(comm, of_root), 0);
  }
  // Its thread is not bound.
  RunProgress progress(comm, program.program, options, report.visits);
  // Before the problem is made: memory is taken near the core that first touches it.
  call.bound_to = bind_as(options, comm);
  Summary summary{.app = program.name, .reads_input = !run.facts().is_generated};
  const auto solve = [&] {
    if (!options.rehearse) {
      measure(comm, run, options, call, recorder, progress, summary.input_s);
      return;
    }
    const auto options_of = [&](int rank) {
      CallOptions of_rank = call_options(options, program, rank, recorders[rank], report);
      of_rank.stealing.statistics = rank == 0 ? &report.workers : nullptr;
      return of_rank;
    };
    rehearse_search(comm, run, options, options_of, recorders, progress, summary.input_s);
  };
  if (program.searches) {
    run_with_stop_signals(solve);
  } else {
    solve();
  }
  summary.seconds = seconds_of(recorder.repetitions());
  summary.sizes = recorder.repetitions().back().sizes;
  if (!options.rehearse) {
    const std::string& work = run.facts().work;
    const std::string_view first = program.sizes.empty() ? "" : program.sizes.front().name;
    summary.imbalance = imbalance_of(comm, recorder, work.empty() ? first : work);
  }
  tell_of_run(comm, run, program, options, report, std::move(summary), [&] {
    if (options.rehearse) {
      write_rehearsed_search(options, information, recorders);
    } else {
      write_trace(comm, *options.trace, information, recorder);
    }
  });
}

/// Parses the command line, for a run of so many ranks. \return  nothing if there is nothing more
/// to do
std::optional<CommandLine> set_up(const ProgramTraits& program, int ranks, int argc, char** argv,
                                  bool speaks) {
  std::optional<CommandLine> line = parse_options(program, argc, argv, speaks);
  if (line) {
    const auto& rehearse = line->options.rehearse;
    line->options.ranks = rehearse ? rehearse->of : ranks;
    if (program.check_options) {
      program.check_options(line->options);
    }
  }
  return line;
}

void run_on_ranks(const Comm& comm, const ProgramTraits& program, int argc, char** argv) {
  require_same_command(comm, program.program, argc, argv);
  const bool is_first = comm.rank() == 0;
  const auto line = set_up(program, comm.size(), argc, argv, is_first);
  if (!line) {
    return;
  }
  const RunOptions& options = line->options;
  agree(comm, [&] {
    if (is_first) {
      print_warnings(program.program, options.warnings, options);
      if (options.trace) {
        check_trace_path(*options.trace);
      }
    }
  });
  const auto run = program.begin(options);
  const RunInformation information = run_information(program, *line, argc, argv);
  if (options.rehearse && options.type == DC_Type::hypercube) {
    rehearse(comm, *run, program, options, information);
  } else {
    run_application(comm, *run, program, *line, information);
  }
}

}  // namespace

int run_program(int argc, char** argv, ProgramTraits program) {
  program.program = std::filesystem::path(argv[0]).filename().string();
  program.name = program.name.empty() ? program.program : program.name;
  if (!asks_to_be_told(argc, argv)) {
    return run_mpi_program(argc, argv, program.program,
                           [&](const Comm& comm) { run_on_ranks(comm, program, argc, argv); });
  }
  // Without MPI, which may not start without a launcher. Of the processes that one started, the
  // first answers.
  return is_launched_as_another() ? 0 : run_alone(program.program, [&] {
    if (const auto line = set_up(program, 1, argc, argv, true)) {
      write_out(json_text(description_of(program, line->options)) + "\n");
    }
  });
}

}  // namespace cleave::detail
