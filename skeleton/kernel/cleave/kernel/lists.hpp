// SPDX-License-Identifier: Apache-2.0
// What the hypercube divides in halves: a list of problems. The list of one is divided, a longer
// one is cut in two by the work of its problems and the ranks of each half. Solutions are lists
// too, joined until a whole division is there and then combined
// (docs/explanation/design/0004-more-than-two-halves.md).
#pragma once

#include <functional>
#include <optional>

#include <cleave/application.hpp>
#include <cleave/kernel/any_app.hpp>
#include <cleave/kernel/blocks.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

/// The problems that the ranks of a group keep until they combine, as `divide` has left them: each
/// the only part of the one before it; none where a list was cut.
using Kept = Values;

/// Solves a problem in place of `sequential`.
using Solver = std::function<ErasedValue(ErasedValue problem)>;

/// The functors as blocks on lists. Each returns nothing if it failed, now or earlier. Sizes are
/// sums over a list, and empty where no trace is taken; `sizes` are those of the problem.
class Blocks : public BlockRunner {
 public:
  /// Refers to the application. \param solver  may be empty
  Blocks(const AnyApp& app, const CallOptions& options, Solver solver = nullptr)
      : BlockRunner(options), app_(app), solver_(std::move(solver)) {}

  std::optional<bool> trivial(const Values& problem, Level level);
  /// A trivial problem that is the only part of another goes to the left, and nothing to the right.
  /// \param kept  for `combine`
  std::optional<Halves<Values>> divide(Values problem, Share share, const Sizes& sizes, Level level,
                                       Kept& kept);
  std::optional<Values> conquer(Values problem, Level level);
  /// Solves a whole subproblem on this rank: by `conquer` if it is trivial, else by the solver, by
  /// `sequential`, by a search or by recursion, whichever there is first.
  std::optional<Values> solve(Values problem, Level level);
  std::optional<Values> combine(Values left, Values right, const Sizes& sizes, Level level,
                                const Kept& kept);
  /// The solution that a rank gets where it is for another one.
  std::optional<Values> no_solution();

  Sizes problem_sizes(const Values& problem, Level level = {});
  Sizes solution_sizes(const Values& solution, Level level = {});
  void add_run_sizes(const Sizes& sizes);

  /// Why a search with this total must end, where it has more nodes than the call allows.
  std::string refusal_of(const ErasedValue& total);

 private:
  bool is_trivial(const Values& list) const;
  std::optional<Values> solve_each(Block block, Values list, Level level, const Solver& solver);

  const AnyApp& app_;
  const Solver solver_;
};

}  // namespace cleave::detail
