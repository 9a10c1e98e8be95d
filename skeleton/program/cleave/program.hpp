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
#include <cleave/contract/require.hpp>
#include <cleave/contract/require_application.hpp>
#include <cleave/costs.hpp>
#include <cleave/program/any_run.hpp>
#include <cleave/program/run_of.hpp>
#include <cleave/program/traits.hpp>
#include <cleave/run_options.hpp>

namespace CLI {
class App;
}  // namespace CLI

namespace cleave {

/// What `cleave::run` must be told of a program beside its functors (application.hpp,
/// tree_search.hpp): `make_problem`. All else may be left out. The functions are called on every
/// rank, unless they say otherwise, and may share variables of main that they capture.
template <class App>
struct Program {
  using Problem = typename App::Problem;
  using Solution = typename App::Solution;

  std::string name = {};               ///< of the application; else the file's
  std::string summary = {};            ///< a sentence for --help
  std::vector<SizeOption> sizes = {};  ///< names and defaults of --size
  std::vector<FileOption> files = {};  ///< that it reads, and what `cleave study` runs
  std::string work = {};  ///< the size that `imbalance` counts; else the first of `sizes`

  /// Adds options of the application's own, as CLI11 has it.
  std::function<void(CLI::App&)> add_options = {};
  /// Called when they are parsed. \throws UsageError. May add warnings
  std::function<void(RunOptions&)> check_options = {};
  /// What `cleave study` runs; else the files that are named, or sizes up to the default ones.
  std::function<Study(const RunOptions&, bool is_quick)> study = {};

  /// Makes the functors, with the data that all ranks share; else App{}.
  std::function<App(const RunOptions&)> application = detail::default_application<App>();
  /// The problem that a run solves: the same for the same seed on every rank.
  std::function<Problem(const NamedSizes& sizes, std::uint64_t seed)> make_problem = {};
  /// Where the problem may lie in parts (Placement::distributed): that of a rank, collective. Else
  /// each rank makes the whole and takes its section, which only a sequence has.
  std::conditional_t<Distributable<App>,
                     std::function<Problem(const Comm&, const NamedSizes&, std::uint64_t seed)>,
                     detail::NoParts>
      make_part = {};
  /// Whether a new seed makes a new problem; else it does where no file is given.
  std::function<bool()> is_generated = {};

  /// What is wrong with a whole solution, for --verify; nothing if it is right. May take a
  /// `const App&` before the others. Else it is compared with that of recursion, or of a search by
  /// one loop, on one rank.
  detail::AskedOf<App, std::optional<std::string>(const Problem&, const Solution&)> wrong = {};
  /// The same of a solution in parts, or of a problem that cannot be copied; collective. Else rank
  /// 0 gathers the solution.
  std::function<std::optional<std::string>(const Comm&, const NamedSizes&, std::uint64_t seed,
                                           const Solution&)>
      wrong_part = {};
  /// What is printed of a solution, on rank 0. May take a `const App&` before it.
  detail::AskedOf<App, Figures(const Solution&)> figures = {};
  /// The same, collective over the ranks that share a solution; rank 0's counts.
  std::function<Figures(const Comm&, const Solution&)> figures_of_parts = {};
  /// Writes a right result. Collective over the ranks that share it; rank 0 if each has all of it.
  std::function<void(const Comm&, const Solution&)> keep = {};

  /// What the model cannot guess of the blocks (costs.hpp).
  std::function<Costs()> costs = {};
  /// What is searched, for snapshots, beside the seed where that makes the problem; else the
  /// options, and what the files hold that they name.
  std::function<std::string()> instance = {};
};

/// A Program of any application.
class AnyProgram {
 public:
  template <class App>
  AnyProgram(Program<App> program)
      : begin_([shared = std::make_shared<const Program<App>>(std::move(program))](
                   const RunOptions& options) -> std::unique_ptr<detail::AnyRun> {
          return std::make_unique<detail::RunOf<App>>(shared, options);
        }) {}

  /// \throws Error  if the program lacks what it cannot do without
  std::unique_ptr<detail::AnyRun> begin(const RunOptions& options) const { return begin_(options); }

 private:
  std::function<std::unique_ptr<detail::AnyRun>(const RunOptions&)> begin_;
};

/// A program that chooses among applications by its options: of different element types, say. Its
/// members are those of Program; of the programs that it chooses among, these are not asked for.
struct Programs {
  std::string name = {};
  std::string summary = {};
  std::vector<SizeOption> sizes = {};
  std::vector<FileOption> files = {};
  std::function<void(CLI::App&)> add_options = {};
  std::function<void(RunOptions&)> check_options = {};
  std::function<Study(const RunOptions&, bool is_quick)> study = {};
  std::function<AnyProgram(const RunOptions&)> choose = {};  ///< required
};

namespace detail {

/// `Programs::choose` of one program.
std::function<AnyProgram(const RunOptions&)> always(AnyProgram program);

/// \param traits  of the types
int run_program(int argc, char** argv, ProgramTraits traits, const Programs& programs);

/// Reports the first thing that keeps `cleave::run` from running `App`.
/// \return  whether there was none
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
/// \return  the status for main to return, on every rank: 0; 2 if the command line cannot be used;
///          1 after any other error, which is one line on standard error
template <class App>
int run(int argc, char** argv, Program<App> program) {
  if constexpr (detail::require_program<App>()) {
    const bool makes_parts = SplitsParts<App> || static_cast<bool>(program.make_part);
    Programs programs{.name = std::move(program.name),
                      .summary = std::move(program.summary),
                      .sizes = std::move(program.sizes),
                      .files = std::move(program.files),
                      .add_options = std::move(program.add_options),
                      .check_options = std::move(program.check_options),
                      .study = std::move(program.study),
                      .choose = detail::always(std::move(program))};
    return detail::run_program(argc, argv, detail::program_traits_of<App>(makes_parts), programs);
  } else {
    return 1;
  }
}

/// The same for the one of `programs` that it chooses. Executors and placements are those of
/// `Default`, which is chosen by default.
template <class Default>
int run_one_of(int argc, char** argv, const Programs& programs) {
  return detail::run_program(argc, argv, detail::program_traits_of<Default>(Distributable<Default>),
                             programs);
}

}  // namespace cleave
