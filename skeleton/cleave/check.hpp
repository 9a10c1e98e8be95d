// SPDX-License-Identifier: Apache-2.0
// cleave::check: does an application keep the promises that DC_Call relies on? For a user's own
// tests.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <ranges>
#include <string>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/wire.hpp>

namespace cleave {

namespace detail {

template <class T>
bool same_bytes(const T& a, const T& b) {
  const Outgoing<T> bytes_of_a(a);
  const Outgoing<T> bytes_of_b(b);
  return std::ranges::equal(bytes_of_a.bytes(), bytes_of_b.bytes());
}

/// Equal by ==, where the type has it, else by its bytes on the wire.
template <class T>
bool equal(const T& a, const T& b) {
  if constexpr (std::equality_comparable<T>) {
    return a == b;
  } else {
    return same_bytes(a, b);
  }
}

template <Transferable T>
T over_the_wire(const T& value) {
  const Outgoing<T> outgoing(value);
  Incoming<T> incoming(outgoing.bytes().size());
  std::ranges::copy(outgoing.bytes(), incoming.bytes().begin());
  return incoming.take();
}

}  // namespace detail

/// Tries `app` on each of `problems` and returns one sentence for every promise that it breaks; an
/// empty list is what to expect. Needs no MPI. Checked are, for every problem:
/// - `divide` is deterministic (replicated placement: every rank divides on its own), for even
/// shares
///   and for one rank of three;
/// - `combine` of the solved halves is the solution that `solve_sequential` finds, and so is what
///   `sequential` returns;
/// - Problem and Solution arrive as they were sent.
template <DivideInHalvesAndConquer App>
std::vector<std::string> check(const App& app, const std::vector<typename App::Problem>& problems)
  requires std::copyable<typename App::Problem> && Transferable<typename App::Solution>
{
  using Problem = typename App::Problem;
  using Solution = typename App::Solution;
  std::vector<std::string> broken;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    const Problem& problem = problems[i];
    const auto require = [&](bool holds, const std::string& promise) {
      if (!holds) {
        broken.push_back("problem " + std::to_string(i) + ": " + promise);
      }
    };
    const Solution solution = solve_sequential(app, problem);
    require(detail::equal(solution, detail::over_the_wire(solution)),
            "Solution changes on its way to another rank");
    if constexpr (Transferable<Problem>) {
      require(detail::same_bytes(problem, detail::over_the_wire(problem)),
              "Problem changes on its way to another rank");
    }
    if constexpr (HasSequential<App>) {
      require(detail::equal(solution, app.sequential(problem)),
              "sequential returns another solution than conquer, divide and combine");
    }
    if (app.trivial(problem)) {
      continue;
    }
    for (const Share share : {Share{.left = 1, .total = 2}, Share{.left = 1, .total = 3}}) {
      const Halves<Problem> once = divide(app, problem, share);
      if constexpr (Transferable<Problem>) {
        const Halves<Problem> again = divide(app, problem, share);
        require(detail::same_bytes(once.left, again.left) &&
                    detail::same_bytes(once.right, again.right),
                "divide is not deterministic");
      }
      require(detail::equal(solution, app.combine(solve_sequential(app, once.left),
                                                  solve_sequential(app, once.right))),
              "combine of the solved halves is not the solution");
    }
  }
  return broken;
}

}  // namespace cleave
