// SPDX-License-Identifier: Apache-2.0
// cleave::check: does an application keep the promises that DC_Call relies on? For a user's own
// tests.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <ranges>
#include <string>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/check/equal.hpp>
#include <cleave/check/on_ranks.hpp>
#include <cleave/tree_search.hpp>
#include <cleave/wire.hpp>

namespace cleave {

namespace detail {

/// Whether totals are compared by `Same`: what branch-and-bound visits depends on the order, so its
/// totals are compared only by the caller's own.
template <class App, class Same>
inline constexpr bool kCompares =
    !TreeSearch<App> || !HasBoundedVisit<App> || !std::same_as<Same, Equal>;

/// The solution by one loop. Before, two workers search the tree, one of them only two nodes, and
/// each node crosses to another rank before its visit.
/// \return  nothing where other ranks may find another one: the search stops at an answer
template <TreeSearch App, class Same>
std::optional<typename App::Solution> solution_of_search(const App& app,
                                                         const typename App::Problem& problem,
                                                         const Same& same, Promises& promises) {
  using Total = typename App::Solution;
  SplitDeque<OpenOf<App>> stack;
  Visitor<App> visitor(app, stack);
  std::array<Total, 2> totals{};
  IncumbentOf<App> incumbent(first_incumbent(app, problem));
  open_first(app, copy_of(problem), stack, totals[0]);
  for (std::size_t turn = 0; !stack.private_empty() && !visitor.is_stopped(); ++turn) {
    auto arrived = over_the_wire(stack.newest());
    promises.require(equal(stack.newest(), arrived), "Node changes on its way to another rank");
    stack.newest() = std::move(arrived);
    visitor.visit(1, totals[turn < 2 ? 0 : 1], incumbent);
  }
  const auto combined = [&](const Total& left, const Total& right) {
    return app.combine(copy_of(left), copy_of(right));
  };
  promises.require(
      same(totals[0], combined(totals[0], {})) && same(totals[0], combined({}, totals[0])),
      "Solution{} is not neutral for combine");
  if (visitor.is_stopped()) {
    return std::nullopt;
  }
  if constexpr (kCompares<App, Same>) {
    promises.require(same(combined(totals[0], totals[1]), combined(totals[1], totals[0])),
                     "combine depends on the order of its arguments");
  }
  return search_sequentially(app, copy_of(problem));
}

/// The solution by recursion. \return  nothing once the recursion does not end
template <DivideAndConquer App, class Same>
std::optional<typename App::Solution> solution_of_recursion(const App& app,
                                                            const typename App::Problem& problem,
                                                            const Same& same, Promises& promises) {
  constexpr std::size_t kMaxLevels = 5000;
  std::optional<typename App::Solution> solution;
  try {
    solution = solve_on_heap(app, copy_of(problem), kMaxLevels);
    for (const Share share : {Share{1, 2}, Share{1, 3}, Share{2, 5}}) {
      if (app.trivial(problem)) {
        break;
      }
      auto parts = subproblems(app, copy_of(problem), share);
      if constexpr (Transferable<typename App::Problem>) {
        promises.require(
            std::ranges::equal(parts, subproblems(app, copy_of(problem), share), Equal()),
            "divide is not deterministic");
      }
      for (auto& part : parts) {
        solve_on_heap(app, std::move(part), kMaxLevels);
      }
    }
  } catch (const Error& error) {
    promises.require(false, error.what());
    return std::nullopt;
  }
  if constexpr (HasSequential<App>) {
    promises.require(same(*solution, app.sequential(copy_of(problem))),
                     "sequential returns another solution than conquer, divide and combine");
  }
  if constexpr (SplitsParts<App>) {
    promises.require(same_elements<typename App::Element>(problem, *solution),
                     "the solution does not hold the elements of the problem");
  }
  return solution;
}

}  // namespace detail

/// Tries `app` on each of `problems` and returns one sentence for every promise that it breaks; an
/// empty list is what to expect. Needs no MPI.
/// - The executors find on 2, 3 and 5 ranks, in each placement that the application can have, the
///   solution that one rank finds. Parts are made by `divide`, and an empty one where the problem
///   is a sequence.
/// - Problem, Solution and Node arrive as they were sent.
/// - `divide` comes to trivial problems, and is deterministic: with replicated placement every rank
///   divides on its own.
/// - `sequential` returns what the recursion does.
/// - The `combine` of a search is commutative, and `Solution{}` is neutral for it.
///
/// Cost: about fifty solutions of each problem, in the calling thread.
///
/// \param same  whether two solutions are as good as each other: for sums that are rounded, or a
///              best solution among equals. Branch-and-bound needs one, or else its totals are not
///              compared: the order of the visits decides which nodes are visited.
template <class App, class Same = detail::Equal>
  requires(DivideAndConquer<App> || TreeSearch<App>) && Transferable<typename App::Solution> &&
          detail::Repeatable<typename App::Problem>
std::vector<std::string> check(const App& app, const std::vector<typename App::Problem>& problems,
                               const Same& same = {}) {
  detail::Promises promises;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    promises.begin_problem(i);
    if constexpr (Transferable<typename App::Problem>) {
      promises.require(detail::equal(problems[i], detail::over_the_wire(problems[i])),
                       "Problem changes on its way to another rank");
    }
    std::optional<typename App::Solution> solution;
    if constexpr (DivideAndConquer<App>) {
      solution = detail::solution_of_recursion(app, problems[i], same, promises);
      if (solution && detail::kCompares<App, Same>) {
        detail::check_hypercube(app, problems[i], *solution, same, promises);
      }
    }
    if constexpr (TreeSearch<App>) {
      solution = detail::solution_of_search(app, problems[i], same, promises);
    }
    if (solution) {
      promises.require(detail::equal(*solution, detail::over_the_wire(*solution)),
                       "Solution changes on its way to another rank");
    }
    if (solution && detail::kCompares<App, Same>) {
      detail::check_work_stealing(app, problems[i], *solution, same, promises);
    }
  }
  return promises.take();
}

}  // namespace cleave
