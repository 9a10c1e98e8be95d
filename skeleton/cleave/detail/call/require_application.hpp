// SPDX-License-Identifier: Apache-2.0
// Compile errors that say in one sentence which functor is missing or wrong. Only the first mistake
// is reported, and nothing else of DC_Call is then compiled.
#pragma once

#include <concepts>

#include <cleave/application.hpp>
#include <cleave/tree_search.hpp>
#include <cleave/wire.hpp>

namespace cleave::detail {

/// What DC_Call returns after a reported mistake, so that the caller's line adds no second error.
struct Anything {
  template <class T>
  operator T() const;  // never called: the program does not compile
};

template <class App>
struct ProblemOfApp {
  using Type = Anything;
};
template <class App>
  requires requires { typename App::Problem; }
struct ProblemOfApp<App> {
  using Type = typename App::Problem;
};
template <class App>
using ProblemOf = typename ProblemOfApp<App>::Type;

/// Whether App has a member of this name, callable or not.
template <class App>
concept MentionsSequential = requires { &App::sequential; };
template <class App>
concept MentionsSizes = requires { &App::sizes; };
template <class App>
concept MentionsSolutionSizes = requires { &App::solution_sizes; };

template <class App>
concept MentionsVisit = requires { &App::visit; };

/// Reports the first thing that keeps `App` from being run on a `Given` problem.
/// \return  whether there was none
template <class App, class Given>
consteval bool require_application() {
  if constexpr (!HasProblemAndSolution<App>) {
    static_assert(HasProblemAndSolution<App>,
                  "cleave: the application must name its types `Problem` and `Solution`, both "
                  "movable and Solution default-constructible");
    return false;
  } else if constexpr (!std::convertible_to<Given, typename App::Problem>) {
    static_assert(std::convertible_to<Given, typename App::Problem>,
                  "cleave: the problem given to DC_Call is not of the application's type Problem");
    return false;
  } else if constexpr (MentionsVisit<App> && !HasPlainVisit<App> && !HasBoundedVisit<App>) {
    static_assert(HasPlainVisit<App>,
                  "cleave: the application's `visit` must be `void visit(Node, Children<Node>&, "
                  "Solution&) const`, with an `Incumbent&` as fourth where it wants one");
    return false;
  } else if constexpr (TreeSearch<App> && !Transferable<NodeOf<App>>) {
    static_assert(Transferable<NodeOf<App>>,
                  "cleave: Node cannot cross to another rank: it holds a pointer, a view or a type "
                  "of its own; specialise cleave::wire for that type");
    return false;
  } else if constexpr (!TreeSearch<App> && !HasTrivial<App>) {
    static_assert(HasTrivial<App>,
                  "cleave: the application must have `bool trivial(const Problem&) const`, which "
                  "tests whether conquer solves a problem directly");
    return false;
  } else if constexpr (!TreeSearch<App> && !HasDivide<App>) {
    static_assert(HasDivide<App>,
                  "cleave: the application must have `Halves<Problem> divide(Problem) const`, "
                  "`Halves<Problem> divide(Problem, Share) const` or, for work stealing, "
                  "`std::vector<Problem> divide(Problem) const`");
    return false;
  } else if constexpr (!TreeSearch<App> && !HasConquer<App>) {
    static_assert(HasConquer<App>,
                  "cleave: the application must have `Solution conquer(Problem) const`, which "
                  "solves a trivial problem");
    return false;
  } else if constexpr (!HasCombine<App>) {
    static_assert(HasCombine<App>,
                  "cleave: the application must have `Solution combine(Solution left, Solution "
                  "right) const`");
    return false;
  } else if constexpr (MentionsSequential<App> && !HasSequential<App>) {
    static_assert(HasSequential<App>,
                  "cleave: the application's `sequential` must be `Solution sequential(Problem) "
                  "const`");
    return false;
  } else if constexpr (MentionsSizes<App> && !HasProblemSizes<App>) {
    static_assert(HasProblemSizes<App>,
                  "cleave: the application's `sizes` must be `Sizes sizes(const Problem&) const`");
    return false;
  } else if constexpr (MentionsSolutionSizes<App> && !HasSolutionSizes<App>) {
    static_assert(HasSolutionSizes<App>,
                  "cleave: the application's `solution_sizes` must be `Sizes solution_sizes(const "
                  "Solution&) const`");
    return false;
  } else if constexpr (!Transferable<typename App::Solution>) {
    static_assert(Transferable<typename App::Solution>,
                  "cleave: Solution cannot cross to another rank: it holds a pointer, a view or a "
                  "type of its own; specialise cleave::wire for that type");
    return false;
  } else {
    return true;
  }
}

}  // namespace cleave::detail
