// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <exception>
#include <filesystem>
#include <map>
#include <system_error>

#include <cleave/comm.hpp>
#include <cleave/comm/virtual_ranks.hpp>
#include <cleave/command_line/output.hpp>
#include <cleave/command_line/progress.hpp>
#include <cleave/error.hpp>
#include <cleave/file.hpp>
#include <cleave/kernel/snapshot.hpp>
#include <cleave/program.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/program/mpi_program.hpp>
#include <cleave/trace.hpp>
#include <cleave/trace/json_fields.hpp>
#include <cleave/trace/words.hpp>
#include <cleave/write_trace.hpp>

namespace cleave::detail {

namespace {

/// The content of the program's file and of those that the options of the run name. A simulator
/// runs the program `argv[0]` as a part of itself. \throws FileError
std::map<std::string, std::string> files_of(const RunInformation& run, char** argv) {
  std::map<std::string, std::string> files;
  auto named = run.options;
  named["program"] = simulates_hosts(mpi_library()) ? argv[0] : "/proc/self/exe";
  for (std::error_code none; const auto& [name, path] : named) {
    if (std::filesystem::is_regular_file(path, none)) {
      files[name] = content_of(path);
    }
  }
  return files;
}

/// The head of the run's trace; `argv` as main got it.
RunInformation run_information(const ProgramTraits& program, const CommandLine& line, int argc,
                               char** argv) {
  const RunOptions& options = line.options;
  Provenance provenance = mpi_provenance(program.program, command_line_of(argc, argv));
  provenance.clock += tells_run_delay() ? ", run delay" : "";
  std::map<std::string, std::string> own = line.own;
  if (options.machine) {
    own["network"] = options.machine->string();
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
          .provenance = std::move(provenance)};
}

/// How far the run is; of a search also about how many nodes: `report.visits` times the processes.
Moment moment_of(const RunOptions& options, int processes, const RunReport& report) {
  const int runs = options.check > 0 ? options.check : options.warm_up + options.repetitions;
  const int done = report.runs_done;
  if (done == runs) {
    return {.fraction = 1, .step = "checking and writing"};
  }
  const std::int64_t visits = processes * report.visits.load(std::memory_order_relaxed);
  std::string step = fmt::format("run {} of {}", done + 1, runs);
  if (visits > 0) {
    step += fmt::format(", {} visits", rounded_count(static_cast<double>(visits)));
  }
  return {.fraction = static_cast<double>(done) / runs, .step = std::move(step)};
}

/// Tells every rank of an end that rank 0 knows. Collective.
void share_end(const Comm& comm, std::optional<EndedEarly>& end) {
  const std::int64_t kind = comm.allreduce_max(!end ? 0 : end->can_be_resumed ? 2 : 1);
  if (kind > 0) {
    end = EndedEarly{.reason = comm.bcast(end ? end->reason : "", 0), .can_be_resumed = kind == 2};
  }
}

/// Checks the result and writes it, writes the trace by `write`, and tells of the result, as the
/// options say. Of a search that was ended early, tells what it found. Collective.
/// \throws Error  on every rank, if the result is wrong or not whole
template <class Write>
void tell_of_run(const Comm& comm, AnyRun& run, const ProgramTraits& program,
                 const RunOptions& options, RunReport& report, const Write& write) {
  share_end(comm, report.ended);
  // Each rank that has all of the solution is alone with it.
  const Comm holders = all_hold_solution(options) ? Comm(MPI_COMM_SELF) : comm;
  Wrong wrong;
  if (options.verify && !report.ended) {
    wrong = first_wrong(comm, run.wrong(comm, holders, options));
    report.verified = !wrong;
  }
  if (!wrong && !report.ended) {
    add_time(report.output_s, [&] {
      agree(comm, [&] {
        if (comm.rank() == 0 || holders.size() > 1) {
          run.keep(holders);
        }
      });
    });
  }
  std::exception_ptr no_trace;
  if (options.trace && !report.ended) {
    try {
      write();  // whether the result can be printed or not
    } catch (...) {
      no_trace = std::current_exception();
    }
  }
  agree(comm, [&] {
    if (comm.rank() == 0) {
      report.figures = run.figures();
      print_warnings(program.program, launch_warnings(comm, options.threads), options);
      print_report(report, options);
      if (options.checkpoint && !report.ended) {
        remove_snapshots(*options.checkpoint);  // of a search that is done
      }
    }
  });
  if (report.ended) {
    throw_ended_early(*report.ended);
  }
  if (no_trace) {
    std::rethrow_exception(no_trace);
  }
  if (wrong) {
    throw Error("the result is wrong: " + *wrong);
  }
  if (instruments.finish) {
    instruments.finish(comm);
  }
}

/// The problem of the options. Each call of `smaller`, which keeps what it needs, halves its sizes.
CheckedProblem checked_problem(const ProgramTraits& program, RunOptions options) {
  const std::shared_ptr<const AnyRun> run = program.begin(options);
  CheckedProblem checked = run->checked_problem(options);
  checked.smaller = [&program, run, half = std::move(options)]() mutable {
    std::vector<CheckedProblem> smaller;
    const NamedSizes whole = half.sizes;
    for (auto& [name, count] : half.sizes) {
      count -= count / 2;
    }
    try {
      if (half.sizes != whole) {
        smaller.push_back(checked_problem(program, half));
      }
    } catch (const Error&) {  // there is no such problem
    }
    return smaller;
  };
  return checked;
}

/// The words of a signal that ends a check by a functor's fault, and what the signals did before.
std::string last_words;
std::array<struct sigaction, NSIG> actions_before;

/// Writes them. The signal comes again as this returns, at the place where it came.
void say_last_words(int signal) {
  [[maybe_unused]] auto said = ::write(STDERR_FILENO, last_words.data(), last_words.size());
  ::sigaction(signal, &actions_before[signal], nullptr);
  std::raise(signal);
}

/// Tries schedules in place of runs, each of a new problem where problems are generated.
/// \param done  how many have been tried
/// \throws Error  when it has told of the first in which a promise is broken
void check_schedules(const ProgramTraits& program, RunOptions options, std::atomic<int>& done) {
  static std::array<char, 1 << 16> stack;  // a functor may have used up its own
  const stack_t own{.ss_sp = stack.data(), .ss_flags = 0, .ss_size = stack.size()};
  ::sigaltstack(&own, nullptr);
  struct sigaction action {};
  action.sa_handler = say_last_words;
  action.sa_flags = SA_ONSTACK;
  for (const int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) {
    ::sigaction(signal, &action, &actions_before[signal]);
  }
  for (; done < options.check; ++done, ++options.seed) {
    const std::string again = fmt::format("again by --check 1 --seed {}", options.seed);
    last_words = fmt::format("{}: a signal ends the check: {}\n", program.program, again);
    const std::string broken = first_broken({checked_problem(program, options)}, {1, options.seed});
    last_words.clear();
    if (!broken.empty()) {
      write_out(broken + '\n');
      throw Error("a promise is broken: " + again);
    }
  }
  write_out(options.quiet ? "" : fmt::format("schedules: {}; no promise is broken\n", done.load()));
}

/// Runs the application, or rehearses all ranks of a search on virtual ones. Collective.
void run_application(const Comm& comm, AnyRun& run, const ProgramTraits& program,
                     const RunOptions& options, const RunInformation& information) {
  if (comm.size() > 1 && (options.check > 0 || options.rehearse)) {
    throw UsageError(fmt::format("{}: one process is all ranks, not {}",
                                 options.check > 0 ? "--check" : "--rehearse", comm.size()));
  }
  // Spans are taken even if no trace is written, since they also tell the imbalance.
  const auto clock = options.rehearse ? virtual_rank_ns : mpi_time_ns;
  if (options.rehearse || options.check > 0) {
    run_delay_ns = [] { return std::int64_t{0}; };  // a thread is several ranks
  }
  std::vector<Recorder> recorders(options.rehearse ? options.ranks : 1, Recorder(clock));
  RunReport report{.app = program.name, .reads_input = !run.is_generated()};
  CallOptions call = call_options(options, program, comm.rank(), recorders[0], report);
  if (call.checkpoint) {
    // A snapshot of another program, problem or file is refused.
    std::map<std::string, std::string> instance = information.files;
    instance.insert(information.options.begin(), information.options.end());
    if (run.is_generated()) {
      instance.emplace("seed", std::to_string(options.seed));
    }
    std::erase_if(instance, [](const auto& option) { return option.second.empty(); });
    call.checkpoint->instance = comm.bcast(fmt::format("{}", instance), 0);
  }
  // Its thread is not bound.
  std::optional<Progress> progress;
  if (comm.rank() == 0 && !options.quiet) {
    progress.emplace(program.program, [&] { return moment_of(options, comm.size(), report); });
  }
  if (options.check > 0) {
    return check_schedules(program, options, report.runs_done);
  }
  // Before the problem is made: memory is taken near the core that first touches it.
  call.bound_to = bind_as(options, comm);
  const auto run_all = [&] {
    if (!options.rehearse) {
      measure(comm, run, options, recorders, report,
              [&] { return solve_once(comm, run, options, call); });
      return;
    }
    const VirtualNetwork network = network_of_rehearsed_search(options);
    const auto solve = [&](const SearchMessages& rank) {
      run.solve_as(rank, call_options(options, program, rank.rank(),
                                      recorders[static_cast<std::size_t>(rank.rank())], report));
    };
    measure(comm, run, options, recorders, report, [&] {
      return run_virtual_ranks(options.ranks, solve, network, processor_ns).elapsed_ns;
    });
  };
  if (program.searches) {
    run_with_stop_signals(run_all);
  } else {
    run_all();
  }
  if (!options.rehearse) {
    report.imbalance = imbalance_of(comm, recorders[0]);
  }
  tell_of_run(comm, run, program, options, report, [&] {
    if (options.rehearse) {
      write_rehearsed_search(options, information, recorders);
    } else {
      write_trace(comm, *options.trace, information, recorders[0]);
    }
  });
}

void run_on_ranks(const Comm& comm, const ProgramTraits& program, int argc, char** argv) {
  require_same_command(comm, program.program, argc, argv);
  const bool is_first = comm.rank() == 0;
  auto line = parse_options(program, comm.size(), argc, argv, is_first);
  if (!line) {
    return;
  }
  RunOptions& options = line->options;
  RunInformation information = run_information(program, *line, argc, argv);
  agree(comm, [&] {
    if (is_first) {
      print_warnings(program.program, options.warnings, options);
      if (options.trace) {
        check_writable(*options.trace);
      }
      if (options.trace || options.checkpoint) {
        information.files = files_of(information, argv);
      }
    }
  });
  const auto run = program.begin(options);
  options.inputs = run->is_generated() ? options.inputs : Inputs::same;
  if (options.rehearse && options.type == DC_Type::hypercube) {
    rehearse(comm, *run, program, options, information);
  } else {
    run_application(comm, *run, program, options, information);
  }
}

/// Whether the command line has an option whose answer needs no MPI.
bool asks_to_be_told(int argc, char** argv) {
  return std::any_of(argv + 1, argv + argc, [](std::string_view argument) {
    return argument == "--help" || argument == "-h" || argument == "--version" ||
           argument == "--describe";
  });
}

}  // namespace

int run_program(int argc, char** argv, ProgramTraits program) {
  program.program = std::filesystem::path(argv[0]).filename().string();
  program.name = program.name.empty() ? program.program : program.name;
  if (!asks_to_be_told(argc, argv)) {
    return run_mpi_program(argc, argv, program.program,
                           [&](const Comm& comm) { run_on_ranks(comm, program, argc, argv); });
  }
  // Without MPI, which may need a launcher. Of the processes that one started, the first answers.
  return is_launched_as_another() ? 0 : run_alone(program.program, [&] {
    if (const auto line = parse_options(program, 1, argc, argv, true)) {
      write_out(json_text(description_of(program, line->options)) + "\n");
    }
  });
}

}  // namespace cleave::detail
