// The main of every application: one line, `return cleave::run_program<Program>(argc, argv);`.
//
// A Program names its application, and says how to make a problem and what to tell of a solution:
// - `static constexpr std::string_view kName`: "quicksort" of cleave-quicksort
// - `static constexpr std::string_view kSummary`: for --help
// - `static constexpr std::string_view kWork`: the size that a rank's share of work is counted in
// - `void add_options(CommandLine&)`: its own options, beside those of common_options.hpp
// - `void check_options()`: what no single option can tell; throws UsageError
// - `std::optional<std::string> warning() const`: of what was asked for; may be left out
// - `App app() const`
// - `Problem make_problem(std::uint64_t seed) const`: generated, or read from a file
// - `Figures figures(const Solution&, const std::vector<double>& seconds) const`: of the result
// - `std::optional<std::string> wrong(const Problem&, const Solution&) const`: what an independent
//   method finds wrong, for --verify
// and for --placement distributed, which is refused without it:
// - `Problem make_part(const Comm&, std::uint64_t seed) const`: this rank's part; collective
// - `std::optional<std::string> wrong_part(const Comm&, std::uint64_t seed, const Solution&)
// const`:
//   what is wrong with what this rank got; collective
#pragma once

#include <fmt/format.h>

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

/// Prints one line to standard error.
void print_warning(std::string_view app, const std::string& warning);

/// Refuses a trace file that could not be written, before anything is run. \throws FileError
void check_trace_path(const std::filesystem::path& path);

/// What a trace says of the run; `argv` as main got it.
RunInformation run_information(std::string_view app, int argc, char** argv,
                               const CommandLine& command_line);

template <class Program>
concept MakesParts = requires(const Program& program, const Comm& comm) {
  program.make_part(comm, std::uint64_t{});
};

namespace detail {

/// What is wrong on the lowest rank where anything is, told to every rank.
std::optional<std::string> first_wrong(const Comm& comm, const std::optional<std::string>& wrong);

template <class Program>
void run_on_ranks(const Comm& comm, int argc, char** argv) {
  Program program;
  CommandLine command_line(Program::kName, Program::kSummary);
  program.add_options(command_line);
  const bool is_first = comm.rank() == 0;
  if (!command_line.parse(argc, argv, is_first)) {
    return;
  }
  program.check_options();
  const CommonOptions& options = command_line.common();
  const bool is_holder = holds_problem(comm, options);
  const bool in_parts = is_distributed(options);
  if (in_parts && !MakesParts<Program>) {
    throw UsageError(fmt::format(
        "--placement: distributed is not for cleave-{}: its problem has no parts", Program::kName));
  }
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
    if constexpr (MakesParts<Program>) {
      if (in_parts) {
        return program.make_part(comm, options.seed);
      }
    }
    return is_holder ? program.make_problem(options.seed) : Problem{};
  });

  // Spans are taken even if no trace is written, since they also tell the imbalance.
  Recorder recorder(mpi_time_ns);
  const auto solution = measure(comm, program.app(), problem, options, recorder);
  Summary summary{.app = std::string(Program::kName),
                  .seconds = seconds_of(recorder),
                  .sizes = recorder.repetitions().back().sizes,
                  .imbalance = imbalance_of(comm, recorder, Program::kWork)};

  std::optional<std::string> wrong;
  if (options.verify) {
    wrong = first_wrong(comm, agree(comm, [&]() -> std::optional<std::string> {
                          if constexpr (MakesParts<Program>) {
                            if (in_parts) {
                              return program.wrong_part(comm, options.seed, solution);
                            }
                          }
                          return is_holder ? program.wrong(problem, solution) : std::nullopt;
                        }));
    summary.verified = !wrong;
  }
  agree(comm, [&] {
    if (is_first) {
      for (const std::string& warning : launch_warnings(comm)) {
        print_warning(Program::kName, warning);
      }
      summary.figures = program.figures(solution, summary.seconds);
      print_summary(summary, comm.size(), options);
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
