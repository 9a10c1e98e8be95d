// DC_Call: divide-and-conquer over the ranks of a communicator, from five sequential functions.
//
// This header says what an application supplies (the concepts), what DC_Call means
// (`solve_sequential`) and how it is called. How it is run is in hypercube/. The skeleton is that of
// Printista and Saez, "Measuring the Component of a Divide and Conquer Skeleton".
#pragma once

#include <mpi.h>

#include <cassert>
#include <concepts>
#include <functional>
#include <string_view>
#include <utility>

#include "skeleton/trace/recorder.hpp"
#include "skeleton/trace/sizes.hpp"
#include "skeleton/trace/span.hpp"

namespace cleave {

/// Two subproblems. With uneven shares `left` is for the first `Share::left` ranks.
template <class Problem>
struct Halves {
  Problem left;
  Problem right;
};

/// How many of the `total` ranks that share a problem will solve its left half.
struct Share {
  int left = 1;
  int total = 2;
};

template <class App>
concept HasProblemAndSolution = requires {
  typename App::Problem;
  typename App::Solution;
} && std::movable<typename App::Problem> && std::movable<typename App::Solution> &&
    std::default_initializable<typename App::Solution>;

/// `bool trivial(const Problem&) const`: whether `conquer` solves the problem directly.
template <class App>
concept HasTrivial = requires(const App& app, const typename App::Problem& problem) {
  { app.trivial(problem) } -> std::convertible_to<bool>;
};

/// `Solution conquer(Problem) const`: solves a trivial problem.
template <class App>
concept HasConquer = requires(const App& app, typename App::Problem problem) {
  { app.conquer(std::move(problem)) } -> std::same_as<typename App::Solution>;
};

/// `Halves<Problem> divide(Problem, Share) const`: divides in proportion to the ranks of each half.
template <class App>
concept HasDivideByShare = requires(const App& app, typename App::Problem problem, Share share) {
  { app.divide(std::move(problem), share) } -> std::same_as<Halves<typename App::Problem>>;
};

/// `Halves<Problem> divide(Problem) const`, or the form above.
template <class App>
concept HasDivide =
    HasDivideByShare<App> || requires(const App& app, typename App::Problem problem) {
      { app.divide(std::move(problem)) } -> std::same_as<Halves<typename App::Problem>>;
    };

/// `Solution combine(Solution left, Solution right) const`.
template <class App>
concept HasCombine =
    requires(const App& app, typename App::Solution left, typename App::Solution right) {
      { app.combine(std::move(left), std::move(right)) } -> std::same_as<typename App::Solution>;
    };

/// `Solution sequential(Problem) const`, optional: a whole subproblem, as fast as one rank can.
template <class App>
concept HasSequential = requires(const App& app, typename App::Problem problem) {
  { app.sequential(std::move(problem)) } -> std::same_as<typename App::Solution>;
};

/// `Sizes sizes(const Problem&) const`, optional: what the cost of a problem's blocks depends on.
template <class App>
concept HasProblemSizes = requires(const App& app, const typename App::Problem& problem) {
  { app.sizes(problem) } -> std::same_as<Sizes>;
};

/// `Sizes solution_sizes(const Solution&) const`, optional: what the cost of combining a solution
/// depends on, or what solving it turned out to cost (a tree search: the nodes that it visited).
template <class App>
concept HasSolutionSizes = requires(const App& app, const typename App::Solution& solution) {
  { app.solution_sizes(solution) } -> std::same_as<Sizes>;
};

/// What an application supplies. All functors are const, and deterministic where the placement is
/// `replicated`, since every rank then divides on its own.
template <class App>
concept DivideAndConquer = HasProblemAndSolution<App> && HasTrivial<App> && HasConquer<App> &&
                           HasDivide<App> && HasCombine<App>;

/// Divides `problem` for `share` where the application can, else in the one way that it has.
template <DivideAndConquer App>
Halves<typename App::Problem> divide(const App& app, typename App::Problem problem, Share share) {
  if constexpr (HasDivideByShare<App>) {
    return app.divide(std::move(problem), share);
  } else {
    return app.divide(std::move(problem));
  }
}

/// Solves `problem` on one rank by recursion down to `trivial`. This is the meaning of DC_Call:
/// every executor returns what this returns.
template <DivideAndConquer App>
typename App::Solution solve_sequential(const App& app, typename App::Problem problem) {
  if (app.trivial(std::as_const(problem))) {
    return app.conquer(std::move(problem));
  }
  auto [left, right] = divide(app, std::move(problem), Share{.left = 1, .total = 2});
  auto left_solution = solve_sequential(app, std::move(left));
  auto right_solution = solve_sequential(app, std::move(right));
  return app.combine(std::move(left_solution), std::move(right_solution));
}

/// How the recursion is run.
enum class DC_Type {
  sequential,  ///< on the calling rank alone, by the `sequential` functor where there is one
  hypercube,   ///< over the ranks of a communicator, halving their group at each level
};

/// Where problem and solution live before and after the call.
enum class Placement {
  replicated,  ///< every rank holds the whole problem, and gets the whole solution
  rooted,      ///< rank 0 holds the problem, and gets the solution
};

struct Options {
  /// Any communicator; every rank of it makes the same call. Not used by DC_Type::sequential.
  MPI_Comm comm = MPI_COMM_NULL;
  /// Where this rank's spans go; none are taken without it.
  Recorder* recorder = nullptr;
  Placement placement = Placement::replicated;
  /// Called before each functor with its block and level. What it throws is the functor's failure.
  std::function<void(Block, int level)> before_block = nullptr;
};

}  // namespace cleave

#include "skeleton/detail/require_application.hpp"
#include "skeleton/detail/run_on_one_rank.hpp"
#include "skeleton/functors.hpp"
#include "skeleton/hypercube/hypercube.hpp"

namespace cleave {

/// Runs `app` on `problem`.
///
/// Collective over `options.comm` except for DC_Type::sequential. With Placement::rooted the problem
/// of rank 0 counts, and the other ranks get a default-constructed solution.
/// Cost on p ranks: docs/model.md, eq. 6; one agreement of 2 log2(p) messages at the end.
///
/// \throws FunctorError    on every rank, the same one, if a functor throws on any rank or a
///                         message cannot be stored (DC_Type::sequential passes it on unchanged)
/// \throws MpiError        if MPI reports a failure
template <class App, class Problem = detail::ProblemOf<App>>
auto DC_Call(DC_Type type, const App& app, Problem problem, const Options& options = {}) {
  if constexpr (!detail::require_application<App, Problem>()) {
    return detail::Anything{};
  } else if (type == DC_Type::sequential) {
    return detail::run_on_one_rank(app, std::move(problem), options);
  } else {
    return detail::run_hypercube(app, std::move(problem), options);
  }
}

/// The published form: five functions instead of an application. The types of problem and solution
/// are those of `problem` and of what `conquer` returns. `divide` may take a Share or not.
template <class Problem, class Trivial, class Divide, class Conquer, class Combine,
          class Sequential>
auto DC_Call(DC_Type type, Problem problem, Trivial trivial, Divide divide, Conquer conquer,
             Combine combine, Sequential sequential, const Options& options = {}) {
  return DC_Call(type,
                 Functors<Problem, Trivial, Divide, Conquer, Combine, Sequential>{
                     std::move(trivial), std::move(divide), std::move(conquer),
                     std::move(combine), std::move(sequential)},
                 std::move(problem), options);
}

}  // namespace cleave
