// SPDX-License-Identifier: Apache-2.0
// One run of a program: from its command line to its summary.
#pragma once

#include <fmt/format.h>

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <cleave/comm.hpp>
#include <cleave/program/answers.hpp>
#include <cleave/program/command_line.hpp>
#include <cleave/program/contract.hpp>
#include <cleave/program/describe.hpp>
#include <cleave/program/measure.hpp>
#include <cleave/program/mpi_program.hpp>
#include <cleave/program/rehearse.hpp>
#include <cleave/program/traits.hpp>
#include <cleave/run_options.hpp>
#include <cleave/stealing/snapshot.hpp>
#include <cleave/trace.hpp>
#include <cleave/write_trace.hpp>

namespace cleave::detail {

/// Everything that is told of a run.
struct Summary {
  std::string app;
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

/// Prints `summary` to standard output: one line of JSON, or some lines for people.
/// \throws Error  if it cannot be written
void print_summary(const Summary& summary, int ranks, const RunOptions& options);

/// Prints a line each to standard error, unless --quiet.
void print_warnings(std::string_view program, const std::vector<std::string>& warnings,
                    const RunOptions& options);

/// What is odd about how the program was started, one sentence a warning; call on rank 0.
/// Ranks and threads that outnumber the cores of their host take turns, and their times say little.
/// An mpiexec of another MPI library starts P programs of one rank each.
std::vector<std::string> launch_warnings(const Comm& comm, int threads);

/// Collective. \throws UsageError  if ranks were started with other programs or arguments than rank
/// 0
void require_same_command(const Comm& comm, const std::string& program, int argc, char** argv);

/// Whether this process is one that a launcher started and not its first.
bool is_launched_as_another();

/// Refuses a trace file that could not be written, before anything is run. \throws FileError
void check_trace_path(const std::filesystem::path& path);

/// What a trace says of the run; `argv` as main got it.
RunInformation run_information(int argc, char** argv, const CommandLine& command_line);

/// Adds the nodes a second, what the workers of a search did, and its snapshots; the imbalance is
/// then over workers.
void add_search_figures(Summary& summary, const SearchReport& report, const RunOptions& options);

/// What rank 0 knows of an end, on every rank. Collective.
void share_end(const Comm& comm, std::optional<EndedEarly>& end);

/// Collective. \throws Error  if a fault that was to be injected did not happen on any rank
void require_injected(const Comm& comm, const std::vector<Injection>& injections);

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

/// Prints what a search found before it was ended. Collective.
/// \throws Error  on every rank, the reason
template <class App>
[[noreturn]] void tell_of_part(const Comm& comm, const App& app, const RunOptions& options,
                               const SearchReport& report, const typename App::Solution& solution,
                               Summary summary) {
  const Comm holders = ranks_of_solution(comm, options);
  agree(comm, [&] {
    summary.figures = figures_of(holders, app, solution);
    if (comm.rank() == 0) {
      summary.ended_early = report.ended->reason;
      add_search_figures(summary, report, options);
      print_summary(summary, comm.size(), options);
    }
  });
  throw_ended_early(*report.ended);
}

/// The timed repetitions. The last solves the problem of `options.seed`, which `problem` keeps
/// where it can be copied.
template <class App>
typename App::Solution run_repetitions(const Comm& comm, const App& app, const RunOptions& options,
                                       const CallOptions& call, bool is_watched, Recorder& recorder,
                                       RunProgress& progress, double& input_s,
                                       std::optional<typename App::Problem>& problem) {
  const auto make = [&](std::uint64_t seed) {
    const Stopwatch stopwatch(input_s);
    return agree(comm, [&]() -> typename App::Problem {
      if constexpr (MakesParts<App>) {
        if (is_distributed(options)) {
          return make_part(comm, app, options, seed);
        }
      }
      return holds_problem(comm, options) ? make_whole(app, options, seed)
                                          : typename App::Problem{};
    });
  };
  const bool makes_new = options.inputs == Inputs::each_new && is_generated(app);
  const auto seed_of = [&](int to_come) {
    return makes_new ? options.seed + (static_cast<std::uint64_t>(to_come) << 32) : options.seed;
  };
  if constexpr (std::copy_constructible<typename App::Problem>) {
    std::uint64_t made = seed_of(options.warm_up + options.repetitions - 1);
    problem = make(made);
    const auto copy = [&](int to_come) {
      if (const std::uint64_t seed = seed_of(to_come); seed != made) {
        problem.reset();
        problem = make(made = seed);
      }
      return agree(comm, [&] { return *problem; });
    };
    return measure(comm, app, copy, options, call, is_watched, recorder, progress);
  } else {
    const auto make_for = [&](int to_come) { return make(seed_of(to_come)); };
    return measure(comm, app, make_for, options, call, is_watched, recorder, progress);
  }
}

template <class App>
void run_application(const Comm& comm, const App& app, const CommandLine& command_line, int argc,
                     char** argv) {
  const RunOptions& options = command_line.options();
  const TestOptions& test_options = command_line.test_options();
  const ProgramTraits& program = command_line.program();

  // Spans are taken even if no trace is written, since they also tell the imbalance.
  Recorder recorder(mpi_time_ns);
  SearchReport report;
  const std::string instance = agree(comm, [&] {
    return options.checkpoint && comm.rank() == 0 ? instance_of(app, command_line) : std::string();
  });
  CallOptions call =
      call_options(options, test_options, program, instance, comm.rank(), recorder, report);
  if (call.checkpoint) {
    call.checkpoint->warn = [&](const std::string& what) {
      print_warnings(program.program, {what}, options);
    };
  }
  // Its thread is not bound.
  RunProgress progress(comm, program.program, options, call.watch);
  // Before the problem is made: memory is taken near the core that first touches it.
  call.bound_to = bind_as(options, comm);
  std::optional<typename App::Problem> problem;
  double input_s = 0;
  const auto solution = [&] {
    const StopSignals signals(call.stealing.stop != nullptr);
    return run_repetitions(comm, app, options, call, watches_cores(comm, options, test_options),
                           recorder, progress, input_s, problem);
  }();
  Summary summary{.app = program.name,
                  .seconds = seconds_of(recorder),
                  .input_s = input_s,
                  .reads_input = !is_generated(app),
                  .sizes = recorder.repetitions().back().sizes,
                  .imbalance = imbalance_of(comm, recorder, work_of<App>(program))};
  share_end(comm, report.ended);
  if (report.ended) {
    tell_of_part(comm, app, options, report, solution, std::move(summary));
  }

  std::optional<std::string> wrong;
  if (options.verify) {
    wrong = find_wrong(comm, app, options, problem, solution);
    summary.verified = !wrong;
  }
  const Comm holders = ranks_of_solution(comm, options);
  if constexpr (requires { app.keep(holders, solution); }) {
    const Stopwatch stopwatch(summary.output_s);
    agree(comm, [&] {
      if (!wrong && (comm.rank() == 0 || holders.size() > 1)) {
        app.keep(holders, solution);
      }
    });
  }
  agree(comm, [&] {
    summary.figures = figures_of(holders, app, solution);
    if (comm.rank() == 0) {
      print_warnings(program.program, launch_warnings(comm, options.threads), options);
      add_search_figures(summary, report, options);
      print_summary(summary, comm.size(), options);
      if (options.checkpoint) {
        remove_snapshots(*options.checkpoint);  // of a search that is done
      }
    }
  });
  if (options.trace) {
    RunInformation run = run_information(argc, argv, command_line);
    run.costs = costs_of(app);
    write_trace(comm, *options.trace, std::move(run), recorder);
  }
  if (wrong) {
    throw Error("the result is wrong: " + *wrong);
  }
  require_injected(comm, test_options.injections);
}

/// Calls `run(app)` with the application that the options choose: the program itself, or that of
/// its `with_application`.
template <class Program, class Run>
void with_application(const Program& program, const RunOptions& options, Run&& run) {
  if constexpr (requires { program.with_application(options, run); }) {
    program.with_application(options, run);
  } else {
    run(program);
  }
}

/// Parses the command line into `program`, for a run of so many ranks. \return  whether there is
/// anything more to do
template <class Program>
bool set_up(Program& program, CommandLine& command_line, int ranks, int argc, char** argv,
            bool speaks) {
  if constexpr (requires { program.add_options(command_line); }) {
    program.add_options(command_line);
  }
  if (!command_line.parse(argc, argv, speaks)) {
    return false;
  }
  const auto& rehearse = command_line.options().rehearse;
  command_line.options().ranks = rehearse ? rehearse->of : ranks;
  if constexpr (requires { program.check_options(command_line.options()); }) {
    program.check_options(command_line.options());
  }
  return true;
}

template <class Program>
void run_on_ranks(const Comm& comm, const ProgramTraits& traits, int argc, char** argv) {
  require_same_command(comm, traits.program, argc, argv);
  Program program{};
  CommandLine command_line(traits);
  const bool is_first = comm.rank() == 0;
  if (!set_up(program, command_line, comm.size(), argc, argv, is_first)) {
    return;
  }
  const RunOptions& options = command_line.options();
  agree(comm, [&] {
    if (is_first) {
      print_warnings(traits.program, options.warnings, options);
      if (options.trace) {
        check_trace_path(*options.trace);
      }
    }
  });
  with_application(program, options, [&]<class App>(const App& app) {
    if constexpr (DivideInHalvesAndConquer<App>) {
      if (options.rehearse) {
        return rehearse_application(comm, app, command_line, argc, argv);
      }
    }
    run_application(comm, app, command_line, argc, argv);
  });
}

/// Answers --help, --version and --describe without MPI, which may not start without a launcher.
/// \return  the status to end with
template <class Program>
int answer_alone(const ProgramTraits& traits, int argc, char** argv) {
  return run_alone(traits.program, [&] {
    Program program{};
    CommandLine command_line(traits);
    if (!set_up(program, command_line, 1, argc, argv, !is_launched_as_another()) ||
        is_launched_as_another()) {
      return;
    }
    const auto study = [&](bool is_quick) {
      if constexpr (requires { program.study(command_line.options(), is_quick); }) {
        return program.study(command_line.options(), is_quick);
      } else {
        return default_study(traits, is_quick);
      }
    };
    print_description(command_line, study(false), study(true));
  });
}

template <class Program>
int run_program(int argc, char** argv) {
  const ProgramTraits traits = traits_of<Program>(argv[0]);
  if (asks_to_be_told(argc, argv)) {
    return answer_alone<Program>(traits, argc, argv);
  }
  return run_mpi_program(argc, argv, traits.program, [&](const Comm& comm) {
    run_on_ranks<Program>(comm, traits, argc, argv);
  });
}

}  // namespace cleave::detail
