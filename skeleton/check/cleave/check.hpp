// SPDX-License-Identifier: Apache-2.0
// cleave::check: does an application keep the promises that DC_Call relies on? For a user's own
// tests.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/check/equal.hpp>
#include <cleave/check/promises.hpp>
#include <cleave/check/recursion.hpp>
#include <cleave/check/search.hpp>
#include <cleave/check/sort.hpp>
#include <cleave/tree_search.hpp>
#include <cleave/wire.hpp>

namespace cleave {

/// Tries `app` on each of `problems` and returns one sentence for every promise that it breaks; an
/// empty list is what to expect. Needs no MPI. Problem, Solution and Node must arrive as they were
/// sent. For an application that divides and conquers:
/// - `divide` comes to trivial problems, and is deterministic: with replicated placement every rank
///   divides on its own;
/// - `combine` of the solved subproblems is the solution, for even shares and for one rank of
/// three,
///   and so is what `sequential` returns;
/// - with `kCommutative`, `combine` does not depend on the order;
/// - with `kMergesParts`, `combine` of the solutions of parts is the solution. Parts are made by
///   `divide`, and an empty one where the problem is a sequence.
/// For one that sorts parts, whose Problem can only be moved:
/// - `sample` returns as many splitters as it is asked for, each of an element of the part;
/// - `splitter` returns one that lies among the samples, and about where the share says;
/// - `partition` keeps the elements, puts them in the order of their classes and counts them;
/// - the solution holds the elements of the problem in that order.
/// For one that searches a tree:
/// - `Solution{}` is neutral for `combine`, which is commutative and associative;
/// - the total depends neither on the order of the visits nor on who makes them.
///
/// Cost: about ten solutions of each problem, on one rank.
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
    if constexpr (TreeSearch<App>) {
      detail::check_search(app, problems[i], same, promises);
    }
    if constexpr (DivideAndConquer<App>) {
      const auto solution = detail::check_recursion(app, problems[i], same, promises);
      if constexpr (SplitsParts<App>) {
        if (solution) {
          detail::SortCheck<App>(app, problems[i], *solution, promises).run();
        }
      }
    }
  }
  return promises.take();
}

}  // namespace cleave
