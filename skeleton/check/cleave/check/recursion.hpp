// SPDX-License-Identifier: Apache-2.0
// The promises of an application that divides and conquers, and of one whose problem may lie in
// parts whose solutions are merged.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <optional>
#include <ranges>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/check/equal.hpp>
#include <cleave/check/promises.hpp>
#include <cleave/wire.hpp>

namespace cleave::detail {

/// Solves by recursion, as `solve_sequential` does.
/// \return  nothing, once a promise without which the recursion does not end is broken
template <DivideAndConquer App>
std::optional<typename App::Solution> solve_with_care(const App& app, typename App::Problem problem,
                                                      Promises& promises, int depth = 0) {
  constexpr int kMaxDepth = 5000;  // of frames that fit on a stack of 8 MB
  if (app.trivial(std::as_const(problem))) {
    return app.conquer(std::move(problem));
  }
  if (!promises.require(depth < kMaxDepth,
                        "divide has not come to trivial problems after 5000 levels")) {
    return std::nullopt;
  }
  auto parts = divide_once(app, static_cast<ToDivide<App>>(problem), Share{.left = 1, .total = 2});
  if (!promises.require(!parts.empty(), "divide returns no subproblem")) {
    return std::nullopt;
  }
  Combined<App> solutions;
  for (auto& part : parts) {
    auto of_part = solve_with_care(app, std::move(part), promises, depth + 1);
    if (!of_part) {
      return std::nullopt;
    }
    solutions.add(app, *std::move(of_part));
  }
  return after_parts(app, problem, solutions.take(app));
}

template <DivideAndConquer App>
std::optional<typename App::Solution> solve_part(const App& app, typename App::Problem part,
                                                 Promises& promises) {
  if constexpr (HasSequential<App>) {
    return app.sequential(std::move(part));
  } else {
    return solve_with_care(app, std::move(part), promises);
  }
}

/// `combine` of copies.
template <class App, class Solution>
Solution combined(const App& app, const Solution& left, const Solution& right) {
  return app.combine(copy_of(left), copy_of(right));
}

template <DivideAndConquer App>
std::optional<std::vector<typename App::Solution>> solve_parts(
    const App& app, const std::vector<typename App::Problem>& parts, Promises& promises) {
  std::vector<typename App::Solution> solutions;
  for (const auto& part : parts) {
    auto solution = solve_part(app, copy_of(part), promises);
    if (!solution) {
      return std::nullopt;
    }
    solutions.push_back(*std::move(solution));
  }
  return solutions;
}

/// The solutions combined as ((a, b), c) and as (a, (b, c)).
template <class App, class Solution>
Solution combined_from_left(const App& app, const std::vector<Solution>& solutions) {
  Solution all = copy_of(solutions.front());
  for (std::size_t i = 1; i < solutions.size(); ++i) {
    all = app.combine(std::move(all), copy_of(solutions[i]));
  }
  return all;
}
template <class App, class Solution>
Solution combined_from_right(const App& app, const std::vector<Solution>& solutions) {
  Solution all = copy_of(solutions.back());
  for (std::size_t i = solutions.size() - 1; i > 0; --i) {
    all = app.combine(copy_of(solutions[i - 1]), std::move(all));
  }
  return all;
}

template <class App, class Same>
void check_divide(const App& app, const typename App::Problem& problem,
                  const typename App::Solution& solution, Share share, const Same& same,
                  Promises& promises) {
  using Problem = typename App::Problem;
  const std::vector<Problem> parts = divide_once(app, copy_of(problem), share);
  if (!promises.require(!parts.empty(), "divide returns no subproblem")) {
    return;
  }
  if constexpr (Transferable<Problem>) {
    const std::vector<Problem> again = divide_once(app, copy_of(problem), share);
    promises.require(std::ranges::equal(parts, again, Equal()), "divide is not deterministic");
  }
  std::vector<typename App::Solution> of_parts;
  for (const Problem& part : parts) {
    auto of_part = solve_with_care(app, copy_of(part), promises);
    if (!of_part) {
      return;
    }
    of_parts.push_back(*std::move(of_part));
  }
  Combined<App> combined;
  for (const auto& of_part : of_parts) {
    combined.add(app, copy_of(of_part));
  }
  promises.require(same(solution, after_parts(app, problem, combined.take(app))),
                   HasDivideInMany<App> ? "combine of the solved subproblems is not the solution"
                                        : "combine of the solved halves is not the solution");
  if constexpr (requires { requires App::kCommutative; }) {
    promises.require(same(solution, combined_from_right(app, of_parts)),
                     "combine is declared commutative, but is not associative");
    std::reverse(of_parts.begin(), of_parts.end());
    promises.require(same(solution, combined_from_left(app, of_parts)),
                     "combine is declared commutative, but depends on the order");
  }
}

/// Groups of ranks merge what lies in any parts; the problem is cut by `divide` here.
template <MergesParts App, class Same>
void check_merge(const App& app, const typename App::Problem& problem,
                 const typename App::Solution& solution, const Same& same, Promises& promises) {
  using Problem = typename App::Problem;
  std::vector<Problem> parts;
  for (Problem& part : divide_once(app, copy_of(problem), Share{.left = 1, .total = 3})) {
    if (app.trivial(std::as_const(part))) {
      parts.push_back(std::move(part));
    } else {
      for (Problem& smaller : divide_once(app, std::move(part), Share{.left = 1, .total = 2})) {
        parts.push_back(std::move(smaller));
      }
    }
  }
  const auto solutions = solve_parts(app, parts, promises);
  if (!solutions || solutions->empty()) {
    return;
  }
  promises.require(same(solution, combined_from_left(app, *solutions)) &&
                       same(solution, combined_from_right(app, *solutions)),
                   "combine of the solutions of parts is not the solution of the whole");
  if constexpr (std::ranges::sized_range<Problem> && std::default_initializable<Problem>) {
    if (Problem none{}; std::ranges::size(none) == 0) {
      if (const auto of_none = solve_part(app, std::move(none), promises)) {
        promises.require(same(solution, combined(app, solution, *of_none)) &&
                             same(solution, combined(app, *of_none, solution)),
                         "combine with the solution of an empty part is another solution");
      }
    }
  }
}

/// \return  the solution, if the recursion ends
template <DivideAndConquer App, class Same>
std::optional<typename App::Solution> check_recursion(const App& app,
                                                      const typename App::Problem& problem,
                                                      const Same& same, Promises& promises) {
  using Problem = typename App::Problem;
  auto solution = solve_with_care(app, copy_of(problem), promises);
  if (!solution) {
    return std::nullopt;
  }
  promises.require(equal(*solution, over_the_wire(*solution)),
                   "Solution changes on its way to another rank");
  if constexpr (Transferable<Problem>) {
    promises.require(equal(problem, over_the_wire(problem)),
                     "Problem changes on its way to another rank");
  }
  if constexpr (HasSequential<App>) {
    promises.require(same(*solution, app.sequential(copy_of(problem))),
                     "sequential returns another solution than conquer, divide and combine");
  }
  if (!app.trivial(problem)) {
    check_divide(app, problem, *solution, Share{.left = 1, .total = 2}, same, promises);
    check_divide(app, problem, *solution, Share{.left = 1, .total = 3}, same, promises);
    if constexpr (MergesParts<App>) {
      check_merge(app, problem, *solution, same, promises);
    }
  }
  return solution;
}

}  // namespace cleave::detail
