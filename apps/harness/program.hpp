// The main of every application: one line, `return cleave::run_program<Program>(argc, argv);`.
//
// A Program names its application and has its options:
// - `static constexpr std::string_view kName`: "quicksort" of cleave-quicksort
// - `static constexpr std::string_view kSummary`: for --help
// - `static constexpr std::string_view kWork`: the size that a rank's share of work is counted in
// - `static constexpr Placement kPlacement`: the default, if it is not `replicated`
// - `void add_options(CommandLine&)`: its own options, beside those of common_options.hpp
// - `static constexpr Searches kSearches`: `Searches::yes` for the options of a search; may be left
//   out
// - `void check_options(const CommonOptions&)`: what no single option can tell; throws UsageError;
//   may go without the argument
// - `std::optional<std::string> warning() const`: of what was asked for; may be left out
// - `bool runs_once() const`: whether one run is the default; may be left out
//
// A Work says how to make a problem and what to tell of a solution. The Program is one itself, or
// it has `void with_work(const CommonOptions&, Run&& run) const` that calls `run(work)` with the
// one that the options choose:
// - `App app() const`
// - `std::string instance() const`: what is searched, for snapshots; its own options if left out
// - `Problem make_problem(std::uint64_t seed) const`: generated, or read from a file
// - `bool is_generated() const`: whether another seed makes another problem of the same sizes, for
//   --inputs new; may be left out
// - `Figures figures(const Solution&, const std::vector<double>& seconds) const`: of the result of
//   rank 0; with a `const Comm&` before its arguments it is collective
// - `std::optional<std::string> wrong(const Problem&, const Solution&) const`: what an independent
//   method finds wrong, for --verify
// and for --placement distributed, which is refused without it:
// - `Problem make_part(const Comm&, std::uint64_t seed) const`: this rank's part
// - `std::optional<std::string> wrong_part(const Comm&, std::uint64_t seed, const Solution&)
// const`:
//   what is wrong with what this rank got; collective. It is asked instead of `wrong`, too, where
//   the Problem cannot be copied: such a problem is made anew for every repetition
// - `void keep(const Comm&, const Solution&) const`: writes the result; collective; may be left out
#pragma once

#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "apps/harness/common_options.hpp"
#include "apps/harness/launch.hpp"
#include "apps/harness/measure.hpp"
#include "skeleton/program/mpi_program.hpp"
#include "skeleton/trace_collect.hpp"
#include "skeleton/work_stealing/snapshot.hpp"

namespace cleave {

/// Named results, in the order in which they are printed.
using Figures = nlohmann::ordered_json;

/// Everything that is told of a run.
struct Summary {
  std::string app;
  std::vector<double> seconds;
  Sizes sizes;
  std::optional<double> imbalance;
  Figures figures;
  std::optional<bool> verified;
};

/// Prints `summary` to standard output: one line of JSON, or some lines for people.
/// \throws Error  if it cannot be written
void print_summary(const Summary& summary, int ranks, const CommonOptions& options);

/// "tree=T3,size=5" of options by name.
std::string text_of(const std::map<std::string, std::string>& options);

/// Prints one line to standard error.
void print_warning(std::string_view app, const std::string& warning);

/// Refuses a trace file that could not be written, before anything is run. \throws FileError
void check_trace_path(const std::filesystem::path& path);

/// What a trace says of the run; `argv` as main got it.
RunInformation run_information(std::string_view app, int argc, char** argv,
                               const CommandLine& command_line);

/// Adds what the workers of a search did, and its snapshots; the imbalance is then over workers.
void add_search_figures(Summary& summary, const SearchReport& report, const CommonOptions& options);

template <class Work>
concept MakesParts = requires(const Work& work, const Comm& comm) {
  work.make_part(comm, std::uint64_t{});
};

namespace detail {

template <class Program>
constexpr Searches searches() {
  if constexpr (requires { Program::kSearches; }) {
    return Program::kSearches;
  } else {
    return Searches::no;
  }
}

template <class Work>
std::string instance_of(const Work& work, const CommandLine& command_line) {
  if constexpr (requires { work.instance(); }) {
    return work.instance();
  } else {
    return text_of(command_line.own_options());
  }
}

/// What is wrong on the lowest rank where anything is, told to every rank.
std::optional<std::string> first_wrong(const Comm& comm, const std::optional<std::string>& wrong);

/// What the work has found wrong, on rank 0 or on all.
template <class Work, class Problem, class Solution>
std::optional<std::string> found_wrong(const Comm& comm, const Work& work,
                                       const CommonOptions& options, const Problem* problem,
                                       const Solution& solution) {
  if constexpr (MakesParts<Work>) {
    if (problem == nullptr) {
      return work.wrong_part(comm, options.seed, solution);
    }
  }
  if constexpr (std::copy_constructible<Problem>) {
    return holds_problem(comm, options) ? work.wrong(*problem, solution) : std::nullopt;
  } else {
    return std::nullopt;
  }
}

template <class Work, class Solution>
Figures figures_of(const Comm& comm, const Work& work, const Solution& solution,
                   const std::vector<double>& seconds) {
  if constexpr (requires { work.figures(comm, solution, seconds); }) {
    return work.figures(comm, solution, seconds);
  } else {
    return comm.rank() == 0 ? work.figures(solution, seconds) : Figures();
  }
}

/// The seed of the input of a repetition after which there are `to_come` more.
template <class Work>
std::uint64_t seed_of(const Work& work, const CommonOptions& options, int to_come) {
  if constexpr (requires { work.is_generated(); }) {
    if (options.inputs == Inputs::each_new && work.is_generated()) {
      return options.seed + (static_cast<std::uint64_t>(to_come) << 32);
    }
  }
  return options.seed;
}

template <class Program, class Work>
void run_work(const Comm& comm, const Work& work, const CommandLine& command_line, int argc,
              char** argv) {
  const auto app = work.app();
  using Problem = typename decltype(app)::Problem;
  const CommonOptions& options = command_line.common();
  const bool in_parts = is_distributed(options);
  if (options.placement == Placement::distributed && !MakesParts<Work>) {
    throw UsageError(fmt::format(
        "--placement: distributed is not for cleave-{}: its problem has no parts", Program::kName));
  }
  const auto make = [&](std::uint64_t seed) {
    return agree(comm, [&] {
      if constexpr (MakesParts<Work>) {
        if (in_parts) {
          return work.make_part(comm, seed);
        }
      }
      return holds_problem(comm, options) ? work.make_problem(seed) : Problem{};
    });
  };

  // Spans are taken even if no trace is written, since they also tell the imbalance.
  Recorder recorder(mpi_time_ns);
  SearchReport report;
  const Options call = call_options(options, std::string(Program::kName),
                                    instance_of(work, command_line), comm.rank(), recorder, report);
  std::optional<Problem> problem;
  const auto solution = [&] {
    if constexpr (std::copy_constructible<Problem>) {
      std::uint64_t made = seed_of(work, options, options.warm_up + options.repetitions - 1);
      problem = make(made);
      const auto copy = [&](int to_come) {
        if (const std::uint64_t seed = seed_of(work, options, to_come); seed != made) {
          problem.reset();
          problem = make(made = seed);
        }
        return agree(comm, [&] { return *problem; });
      };
      return measure(comm, app, copy, options, call, recorder);
    } else {
      const auto make_for = [&](int to_come) { return make(seed_of(work, options, to_come)); };
      return measure(comm, app, make_for, options, call, recorder);
    }
  }();
  Summary summary{.app = std::string(Program::kName),
                  .seconds = seconds_of(recorder),
                  .sizes = recorder.repetitions().back().sizes,
                  .imbalance = imbalance_of(comm, recorder, Program::kWork)};

  std::optional<std::string> wrong;
  if (options.verify) {
    const Problem* const given = problem && !in_parts ? &*problem : nullptr;
    wrong = first_wrong(
        comm, agree(comm, [&] { return found_wrong(comm, work, options, given, solution); }));
    summary.verified = !wrong;
  }
  if constexpr (requires { work.keep(comm, solution); }) {
    if (!wrong) {
      work.keep(comm, solution);
    }
  }
  agree(comm, [&] {
    summary.figures = figures_of(comm, work, solution, summary.seconds);
    if (comm.rank() == 0) {
      for (const std::string& warning : launch_warnings(comm, options.threads)) {
        print_warning(Program::kName, warning);
      }
      add_search_figures(summary, report, options);
      print_summary(summary, comm.size(), options);
      if (options.checkpoint) {
        remove_snapshots(*options.checkpoint);  // of a search that is done
      }
    }
  });
  if (options.trace) {
    write_trace(comm, *options.trace, run_information(Program::kName, argc, argv, command_line),
                recorder);
  }
  if (wrong) {
    throw Error("the result is wrong: " + *wrong);
  }
}

template <class Program>
constexpr Placement default_placement() {
  if constexpr (requires { Program::kPlacement; }) {
    return Program::kPlacement;
  } else {
    return CommonOptions{}.placement;
  }
}

template <class Program>
void run_on_ranks(const Comm& comm, int argc, char** argv) {
  Program program;
  CommandLine command_line(Program::kName, Program::kSummary, searches<Program>(),
                           default_placement<Program>());
  program.add_options(command_line);
  const bool is_first = comm.rank() == 0;
  if (!command_line.parse(argc, argv, is_first)) {
    return;
  }
  if constexpr (requires { program.runs_once(); }) {
    if (program.runs_once()) {
      command_line.default_to_one_run();
    }
  }
  const CommonOptions& options = command_line.common();
  program.check_options(options);
  if constexpr (requires { program.warning(); }) {
    if (const auto warning = program.warning(); warning && is_first) {
      print_warning(Program::kName, *warning);
    }
  }
  agree(comm, [&] {
    if (is_first && options.trace) {
      check_trace_path(*options.trace);
    }
  });
  const auto run = [&](const auto& work) {
    run_work<Program>(comm, work, command_line, argc, argv);
  };
  if constexpr (requires { program.with_work(options, run); }) {
    program.with_work(options, run);
  } else {
    run(program);
  }
}

}  // namespace detail

/// Runs a Program from its command line to its summary. \return  the status for main to return
template <class Program>
int run_program(int argc, char** argv) {
  return run_mpi_program(
      argc, argv, "cleave-" + std::string(Program::kName),
      [&](const Comm& comm) { detail::run_on_ranks<Program>(comm, argc, argv); });
}

}  // namespace cleave
