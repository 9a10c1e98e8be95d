// SPDX-License-Identifier: Apache-2.0
// A program, its application, problem and solution, whatever their types are; and which ranks hold
// what of them.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/comm.hpp>
#include <cleave/dc_type.hpp>
#include <cleave/figures.hpp>
#include <cleave/kernel/any_app.hpp>
#include <cleave/options.hpp>
#include <cleave/program/mpi_program.hpp>
#include <cleave/run_options.hpp>
#include <cleave/sizes.hpp>
#include <cleave/trace.hpp>
#include <cleave/tree_search.hpp>

namespace CLI {
class App;
}  // namespace CLI

namespace cleave::detail {

/// Whether every rank holds a part of the problem.
inline bool is_distributed(const RunOptions& options) {
  return options.type == DC_Type::hypercube &&
         traits_of(options.placement).problem == Holders::parts;
}

/// Whether `rank` is given the whole problem.
inline bool holds_problem(int rank, const RunOptions& options) {
  return rank == 0 || (options.type != DC_Type::sequential &&
                       traits_of(options.placement).problem == Holders::all);
}

/// Whether every rank gets the whole solution by itself.
inline bool all_hold_solution(const RunOptions& options) {
  return options.type != DC_Type::sequential &&
         traits_of(options.placement).solution == Holders::all;
}

/// The seed of repetition `index`, the first of which is 0 and a warm-up if there is one. The last
/// repetition has that of --seed.
inline std::uint64_t seed_of_repetition(const RunOptions& options, int index) {
  const int to_come = options.warm_up + options.repetitions - 1 - index;
  return options.inputs == Inputs::each_new
             ? options.seed + (static_cast<std::uint64_t>(to_come) << 32)
             : options.seed;
}

/// Adds the sizes of --size to those of the run that the executor has told of: it knows neither
/// those of a whole that is made in parts, nor those that work stealing divides.
void add_asked_sizes(const RunOptions& options, Recorder& recorder);

/// Facts on a program's problem that need no type.
struct ProblemFacts {
  std::string work;  ///< the size that `imbalance` counts; empty: the first of the program
  bool is_generated = true;
};

/// The members of Program (program.hpp), called in this order.
class AnyRun {
 public:
  explicit AnyRun(ProblemFacts facts) : facts_(std::move(facts)) {}
  virtual ~AnyRun() = default;
  AnyRun(const AnyRun&) = delete;
  AnyRun& operator=(const AnyRun&) = delete;

  const ProblemFacts& facts() const { return facts_; }

  /// Frees the last solution, and makes what this rank holds of the problem of `seed`. Collective
  /// where it is a part.
  virtual void make_problem(const Comm& comm, const RunOptions& options, std::uint64_t seed) = 0;
  /// Whether a problem can be copied, and so be solved more than once.
  virtual bool keeps_problem() const = 0;
  /// Frees the last solution, and makes ready what is solved next.
  virtual void begin_solving() = 0;
  /// Collective, unless it is sequential.
  virtual void solve(DC_Type type, const CallOptions& options) = 0;
  /// Solves by work stealing, as one of ranks that are all here; the solution is that of rank 0.
  virtual void solve_as(const SearchMessages& rank, const CallOptions& options) = 0;
  /// The application as the executors know it.
  virtual std::unique_ptr<AnyApp> app() const = 0;
  /// Makes what a rank of a rehearsed run is given of the problem of `seed`, as `make_problem` does
  /// there. \throws UsageError  if that of other ranks cannot be made here
  virtual std::function<ErasedValue(int rank)> maker_of_problems(const RunOptions& options,
                                                                 std::uint64_t seed) const = 0;

  /// The fault of the solution on this rank; on all ranks that share it, `holders`, if the
  /// program checks parts. Collective.
  virtual Wrong wrong(const Comm& comm, const Comm& holders, const RunOptions& options) = 0;
  /// Writes the solution, if the program does; collective over the ranks that share it.
  virtual void keep(const Comm& holders) const = 0;
  /// On rank 0.
  virtual Figures figures() const = 0;

 private:
  ProblemFacts facts_;
};

}  // namespace cleave::detail

namespace cleave {

/// A Program of any application: makes its run as the options say.
/// \throws Error  if the program lacks what it cannot do without
using AnyProgram = std::function<std::unique_ptr<detail::AnyRun>(const RunOptions&)>;

namespace detail {

/// "N=1M,M=2M", as --size takes it.
inline std::string as_size_option(const NamedSizes& sizes) {
  std::string text = format_sizes(sizes);
  std::erase(text, ' ');
  return text;
}

struct ProgramTraits {
  std::string name;     ///< of the application
  std::string program;  ///< the file that was started, as messages name it
  std::string summary;
  std::vector<SizeOption> sizes;
  std::function<void(CLI::App&)> add_options{};
  std::function<void(RunOptions&)> check_options{};
  std::function<Study(const RunOptions&, bool is_quick)> study{};
  AnyProgram begin{};
  bool searches = false;         ///< whether limits and snapshots apply
  bool shares_own_part = false;  ///< whether ranks of the hypercube may have several threads
  std::vector<DC_Type> types;
  DC_Type type = DC_Type::hypercube;            ///< the default
  std::vector<Placement> placements;            ///< of the hypercube
  Placement placement = Placement::replicated;  ///< the hypercube's default

  /// Where a problem may lie before a call of that type.
  std::vector<Placement> placements_of(DC_Type of) const {
    return of == DC_Type::hypercube ? placements
                                    : std::vector{Placement::rooted, Placement::replicated};
  }
};

/// The traits that the types of `App` tell.
/// \param makes_parts  whether a run can give each rank its part
template <class App>
ProgramTraits program_traits_of(bool makes_parts) {
  constexpr bool kOnHypercube = RunsOnHypercube<App>;
  ProgramTraits traits;
  traits.searches = TreeSearch<App>;
  traits.shares_own_part = SharesOwnPart<App>;
  traits.types = {DC_Type::sequential, DC_Type::work_stealing};
  if (kOnHypercube) {
    traits.types.insert(traits.types.begin() + 1, DC_Type::hypercube);
  }
  for (const PlacementTraits& of : kPlacements) {
    if (of.problem == Holders::parts ? makes_parts : kOnHypercube) {
      traits.placements.push_back(of.placement);
    }
  }
  traits.placement = makes_parts ? Placement::distributed : Placement::replicated;
  traits.type = TreeSearch<App> || !kOnHypercube ? DC_Type::work_stealing : DC_Type::hypercube;
  return traits;
}

/// A command line as it was read.
struct CommandLine {
  RunOptions options;
  bool describes = false;  ///< whether --describe was given
  /// Name and value of each option of the application's own, as given or by default, in the order
  /// in which they were added.
  std::vector<std::pair<std::string, std::string>> own;
};

/// \param speaks   whether this process prints the help or version that was asked for
/// \return  nothing if help or version was asked for and the program is to end with success
/// \throws UsageError
std::optional<CommandLine> parse_options(const ProgramTraits& program, int argc, char** argv,
                                         bool speaks);

/// Whether the command line has --help, --version or --describe.
bool asks_to_be_told(int argc, char** argv);

/// The study of an application that says nothing of its own: sizes up to the default ones. The
/// first falls to 3/4 of itself from step to step. So powers of two, which halve evenly and fill
/// caches in their own way, do not take turns with others. The others fall with it. The first size
/// of a search falls by 1, since its trees grow exponentially.
Study default_study(const ProgramTraits& program, bool is_quick);

/// The description of a program for the options that a command line chose.
ProgramDescription description_of(const ProgramTraits& program, const RunOptions& options);

}  // namespace detail

}  // namespace cleave
