// SPDX-License-Identifier: Apache-2.0
// A program around an application, described by a value:
//
//     int main(int argc, char** argv) {
//       return cleave::run(argc, argv, cleave::Program<Mergesort>{
//           .summary = "Sorts by merging halves.",
//           .sizes = {{"N", 1 << 20}},
//           .make_problem = [](const cleave::NamedSizes& sizes, std::uint64_t seed) { ... },
//       });
//     }
//
// `cleave::run<Mergesort>(argc, argv, {...})` is the same, but g++ 12 names no misspelt member.
// It runs under mpiexec or alone, has --help, and options for executor, placement, sizes, traces,
// checks, limits and snapshots (run_options.hpp). `cleave study` predicts its run time.
#pragma once

#include <concepts>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/comm.hpp>
#include <cleave/contract/require_application.hpp>
#include <cleave/program/any_run.hpp>
#include <cleave/program/run_of.hpp>
#include <cleave/run_options.hpp>

namespace CLI {
class App;
}  // namespace CLI

namespace cleave {

/// A program as `cleave::run` must be told of it beside its functors (application.hpp,
/// tree_search.hpp): `make_problem`. All else may be left out. The functions are called on every
/// rank, unless they say otherwise, and may share variables of main that they capture.
template <class App>
struct Program {
  using Problem = typename App::Problem;
  using Solution = typename App::Solution;

  std::string name = {};               ///< of the application; else the file's
  std::string summary = {};            ///< a sentence for --help
  std::vector<SizeOption> sizes = {};  ///< names and defaults of --size

  /// Adds options of the application's own, as CLI11 has it.
  std::function<void(CLI::App&)> add_options = {};
  /// Called when they are parsed. \throws UsageError. May add warnings
  std::function<void(RunOptions&)> check_options = {};
  /// The runs of `cleave study`; else sizes up to the default ones.
  std::function<Study(const RunOptions&, bool is_quick)> study = {};

  /// Makes the functors, with the data that all ranks share; else App{}.
  std::function<App(const RunOptions&)> application = {};
  /// The problem that a run solves: the same for the same seed on every rank.
  std::function<Problem(const NamedSizes& sizes, std::uint64_t seed)> make_problem = {};
  /// Where the problem may lie in parts (Placement::distributed): that of a rank, collective. Else
  /// each rank makes the whole and takes its section, which only a sequence has.
  std::function<Problem(const Comm&, const NamedSizes&, std::uint64_t seed)> make_part = {};
  /// Whether a new seed makes a new problem; else it does.
  std::function<bool()> is_generated = {};

  /// A sentence on a wrong whole solution, for --verify; nothing if it is right. Else it is
  /// compared with that of recursion, or of a search by one loop, on one rank.
  std::function<std::optional<std::string>(const Problem&, const Solution&)> wrong = {};
  /// `wrong` of parts, or of a problem without copies; collective. Else rank 0 gathers all.
  std::function<std::optional<std::string>(const Comm&, const NamedSizes&, std::uint64_t seed,
                                           const Solution&)>
      wrong_part = {};
  /// Results to print, on rank 0, after `keep`.
  std::function<Figures(const Solution&)> figures = {};
  /// May write a right result. Collective over the ranks that share it; rank 0 if each has it all.
  std::function<void(const Comm&, const Solution&)> keep = {};

  /// A run as `options` say. \throws Error  if it lacks what it cannot do without
  std::unique_ptr<detail::AnyRun> operator()(const RunOptions& options) const {
    return std::make_unique<detail::RunOf<App>>(std::make_shared<const Program>(*this), options);
  }
};

namespace detail {

/// Reports the first thing that keeps `cleave::run` from running `App`. \return  whether none does
template <class App>
consteval bool require_program() {
  if constexpr (!require_application<App, ProblemOf<App>>()) {
    return false;
  } else {
    CLEAVE_REQUIRE(std::default_initializable<typename App::Problem>,
                   "cleave: Problem must be default-constructible, since ranks that hold no "
                   "problem have an empty one")
    return true;
  }
}

}  // namespace detail

/// Runs the program. Collective over MPI_COMM_WORLD, which it starts and ends.
///
/// \param choose  makes the program that is run, by the options: of another element type, say. Then
///                of `program` only what stands before `application` counts. Executors and
///                placements are those of `App`
/// \return  the status for main to return, on every rank: 0; 2 if the command line cannot be used;
///          1 after any other error, which is one line on standard error
template <class App>
int run(int argc, char** argv, Program<App> program,
        std::function<AnyProgram(const RunOptions&)> choose = {}) {
  if constexpr (detail::require_program<App>()) {
    detail::ProgramTraits traits{
        .name = program.name,
        .summary = program.summary,
        .sizes = program.sizes,
        .add_options = program.add_options,
        .check_options = program.check_options,
        .study = program.study,
        .searches = TreeSearch<App>,
        .on_hypercube = detail::RunsOnHypercube<App>,
        .shares_own_part = detail::SharesOwnPart<App>,
        .makes_parts = SplitsParts<App> || (Distributable<App> && (choose || program.make_part))};
    traits.begin = std::move(program);
    if (choose) {
      traits.begin = [choose = std::move(choose)](const RunOptions& options) {
        return choose(options)(options);
      };
    }
    return detail::run_program(argc, argv, std::move(traits));
  } else {
    return 1;
  }
}

}  // namespace cleave
