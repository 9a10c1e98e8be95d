// The main of every application: one line, `return cleave::run_program<Program>(argc, argv);`.
//
// A Program names its application, and says how to make a problem and what to tell of a solution:
// - `static constexpr std::string_view kName`: "quicksort" of cleave-quicksort
// - `static constexpr std::string_view kSummary`: for --help
// - `static constexpr std::string_view kWork`: the size that a rank's share of work is counted in
// - `void add_options(CommandLine&)`: its own options, beside those of common_options.hpp
// - `static constexpr Searches kSearches`: `Searches::yes` for the options of a search; may be left
//   out
// - `void check_options(const CommonOptions&)`: what no single option can tell; throws UsageError;
//   may go without the argument
// - `std::optional<std::string> warning() const`: of what was asked for; may be left out
// - `App app() const`
// - `std::string instance() const`: what is searched, for snapshots; its own options if left out
// - `Problem make_problem(std::uint64_t seed) const`: generated, or read from a file
// - `Figures figures(const Solution&, const std::vector<double>& seconds) const`: of the result
// - `std::optional<std::string> wrong(const Problem&, const Solution&) const`: what an independent
//   method finds wrong, for --verify
#pragma once

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

namespace detail {

template <class Program>
constexpr Searches searches() {
  if constexpr (requires { Program::kSearches; }) {
    return Program::kSearches;
  } else {
    return Searches::no;
  }
}

template <class Program>
std::string instance_of(const Program& program, const CommandLine& command_line) {
  if constexpr (requires { program.instance(); }) {
    return program.instance();
  } else {
    return text_of(command_line.own_options());
  }
}

/// What is wrong on the lowest rank where anything is, told to every rank.
std::optional<std::string> first_wrong(const Comm& comm, const std::optional<std::string>& wrong);

template <class Program>
void run_on_ranks(const Comm& comm, int argc, char** argv) {
  Program program;
  CommandLine command_line(Program::kName, Program::kSummary, searches<Program>());
  program.add_options(command_line);
  const bool is_first = comm.rank() == 0;
  if (!command_line.parse(argc, argv, is_first)) {
    return;
  }
  const CommonOptions& options = command_line.common();
  if constexpr (requires { program.check_options(options); }) {
    program.check_options(options);
  } else {
    program.check_options();
  }
  const bool is_holder = holds_problem(comm, options);
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
  const auto problem = agree(comm, [&] {
    using Problem = std::remove_cvref_t<decltype(program.make_problem(options.seed))>;
    return is_holder ? program.make_problem(options.seed) : Problem{};
  });

  // Spans are taken even if no trace is written, since they also tell the imbalance.
  Recorder recorder(mpi_time_ns);
  SearchReport report;
  const auto solution =
      measure(comm, program.app(), problem, options,
              call_options(options, std::string(Program::kName), instance_of(program, command_line),
                           comm.rank(), recorder, report),
              recorder);
  Summary summary{.app = std::string(Program::kName),
                  .seconds = seconds_of(recorder),
                  .sizes = recorder.repetitions().back().sizes,
                  .imbalance = imbalance_of(comm, recorder, Program::kWork)};

  std::optional<std::string> wrong;
  if (options.verify) {
    wrong = first_wrong(comm, agree(comm, [&] {
                          return is_holder ? program.wrong(problem, solution) : std::nullopt;
                        }));
    summary.verified = !wrong;
  }
  agree(comm, [&] {
    if (is_first) {
      for (const std::string& warning : launch_warnings(comm, options.threads)) {
        print_warning(Program::kName, warning);
      }
      summary.figures = program.figures(solution, summary.seconds);
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

}  // namespace detail

/// Runs a Program from its command line to its summary. \return  the status for main to return
template <class Program>
int run_program(int argc, char** argv) {
  return run_mpi_program(
      argc, argv, "cleave-" + std::string(Program::kName),
      [&](const Comm& comm) { detail::run_on_ranks<Program>(comm, argc, argv); });
}

}  // namespace cleave
