// SPDX-License-Identifier: Apache-2.0
// A program, its application, problem and solution of any types; and which ranks hold what of them.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/check.hpp>
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
  return options.type == DC_Type::hypercube && options.placement == Placement::distributed;
}

/// Whether every rank gets the whole solution by itself.
inline bool all_hold_solution(const RunOptions& options) {
  return options.type != DC_Type::sequential && options.placement == Placement::replicated;
}

/// Whether `rank` is given the whole problem, and gets the whole solution.
inline bool holds_problem(int rank, const RunOptions& options) {
  return rank == 0 || all_hold_solution(options);
}

/// The members of Program (program.hpp), called in this order.
class AnyRun {
 public:
  AnyRun() = default;
  virtual ~AnyRun() = default;
  AnyRun(const AnyRun&) = delete;
  AnyRun& operator=(const AnyRun&) = delete;

  virtual bool is_generated() const = 0;
  /// Frees the last solution, makes this rank's problem of `seed`. Collective where it is a part.
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
  /// The problem of the options, solved by any schedule; it refers to this.
  virtual CheckedProblem checked_problem(const RunOptions& options) const = 0;

  /// The fault of the solution on this rank, or on all `holders` of its parts. Collective.
  virtual Wrong wrong(const Comm& comm, const Comm& holders, const RunOptions& options) = 0;
  /// Writes the solution, if the program does; collective over the ranks that share it.
  virtual void keep(const Comm& holders) const = 0;
  /// On rank 0.
  virtual Figures figures() const = 0;
};

}  // namespace cleave::detail

namespace cleave {

/// A Program of any application: makes its run as the options say.
/// \throws Error  if the program lacks what it cannot do without
using AnyProgram = std::function<std::unique_ptr<detail::AnyRun>(const RunOptions&)>;

namespace detail {

/// A program without the types of its application.
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
  bool on_hypercube = false;     ///< whether it runs there
  bool shares_own_part = false;  ///< whether ranks of the hypercube may have several threads
  bool makes_parts = false;      ///< whether a run can give each rank its part

  std::vector<DC_Type> types() const;
  /// Whether a problem may lie so before a call of that type.
  bool allows(DC_Type type, Placement placement) const;
};

/// A command line as it was read.
struct CommandLine {
  RunOptions options;
  /// Name and value of each option of the application's own, as given or by default.
  std::map<std::string, std::string> own;
};

/// \param ranks   of the run, unless the command line rehearses another
/// \param speaks  whether this process prints the help or version that was asked for
/// \return  nothing if help or version was asked for: the end is a success. \throws UsageError
std::optional<CommandLine> parse_options(const ProgramTraits& program, int ranks, int argc,
                                         char** argv, bool speaks);

/// The study of an application that says nothing of its own: sizes up to the default ones. They
/// fall to 3/4 of themselves from step to step. So powers of two, which halve evenly and fill
/// caches in their own way, do not take turns with others. The first size of a search falls by 1.
Study default_study(const ProgramTraits& program, bool is_quick);

/// The description of a program for the options that a command line chose.
ProgramDescription description_of(const ProgramTraits& program, const RunOptions& options);

int run_program(int argc, char** argv, ProgramTraits traits);

}  // namespace detail

}  // namespace cleave
