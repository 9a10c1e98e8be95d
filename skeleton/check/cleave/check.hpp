// SPDX-License-Identifier: Apache-2.0
// cleave::check: does an application keep the promises that DC_Call relies on? For a user's own
// tests.
#pragma once

#include <algorithm>
#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/check/equal.hpp>
#include <cleave/check/schedules.hpp>
#include <cleave/file.hpp>
#include <cleave/tree_search.hpp>
#include <cleave/wire.hpp>

namespace cleave {

namespace detail {

/// The promises that an application broke, one sentence each.
struct Promises {
  std::string problem;  ///< that the next ones are about
  std::vector<std::string> broken;

  /// Notes a broken promise, once for each problem.
  void require(bool holds, const std::string& sentence) {
    note(holds ? "" : problem + ": " + sentence);
  }
  /// Notes a sentence, unless it is there or empty. \return  whether it is not empty
  bool note(const std::string& sentence) {
    if (!sentence.empty() && std::ranges::find(broken, sentence) == broken.end()) {
      broken.push_back(sentence);
    }
    return !sentence.empty();
  }
};

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
  return solution;
}

/// The problem in parts, made by `divide`, or of equal lengths; the last one is empty where the
/// problem is a sequence. \return  nothing, if there are not so many
template <Distributable App>
std::vector<typename App::Problem> parts_of(const App& app, const typename App::Problem& problem,
                                            std::size_t count) {
  using Problem = typename App::Problem;
  constexpr bool kIsSequence =
      std::ranges::sized_range<Problem> && std::default_initializable<Problem>;
  const std::size_t full = kIsSequence ? std::max<std::size_t>(count, 2) - 1 : count;
  std::vector<Problem> parts;
  if constexpr (MergesParts<App>) {
    parts.push_back(copy_of(problem));
    for (std::size_t i = 0; i < parts.size() && parts.size() < full;) {
      if (app.trivial(std::as_const(parts[i]))) {
        ++i;
        continue;
      }
      auto halves = cleave::divide(app, std::move(parts[i]), Share{.left = 1, .total = 2});
      parts[i] = std::move(halves.left);
      parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(halves.right));
    }
  } else {
    for (std::size_t i = 0; i < full; ++i) {
      parts.push_back(section_of(problem, i, full));
    }
  }
  if constexpr (kIsSequence) {
    parts.resize(count);
  }
  return parts.size() == count ? std::move(parts) : std::vector<Problem>();
}

/// A sum that is the same for any order of the elements.
template <class Elements>
std::uint64_t hash_of(const Elements& elements) {
  std::uint64_t sum = 0;
  for (const auto& each : elements) {
    sum += crc_64(std::as_bytes(std::span(&each, 1)));
  }
  return sum;
}

/// A problem with its solution; refers to `app`. Its parts are smaller ones where it `has_parts`.
template <bool has_parts = true, class App, class Same>
CheckedProblem checked_problem(const App& app, const std::string& name, typename App::Problem given,
                               typename App::Solution solved, const Same& same) {
  using Problem = typename App::Problem;
  using Solution = typename App::Solution;
  const auto problem = std::make_shared<const Problem>(std::move(given));
  const auto solution = std::make_shared<const Solution>(std::move(solved));
  CheckedProblem checked{.name = name, .app = std::make_shared<const AppOf<App>>(app)};
  checked.given = [&, problem](int ranks, bool in_parts) {
    Values values;
    if constexpr (Distributable<App>) {
      for (Problem& part :
           parts_of(app, *problem, in_parts ? static_cast<std::size_t>(ranks) : 0)) {
        values.push_back(ErasedValue::of<Problem>(std::move(part)));
      }
    }
    for (int rank = 0; rank < ranks && !in_parts; ++rank) {
      values.push_back(ErasedValue::of<Problem>(copy_of(*problem)));
    }
    return values;
  };
  checked.is_solution = [&, same, solution](Values& solutions) {
    if constexpr (SplitsParts<App>) {
      std::vector<typename App::Element> all;
      for (const ErasedValue& part : solutions) {
        std::ranges::copy(std::span(part.as<Solution>()), std::back_inserter(all));
      }
      // The order of elements with the same splitter does not count, unless the caller says so.
      const auto is_alike = [&](auto& element, const auto& in_its_place) {
        const auto splitter = app.sample(std::span(&in_its_place, 1), 1, 1).front();
        return app.partition(std::span(&element, 1), {splitter, true}, {}).equal == 1;
      };
      return same(*solution, Solution(std::span<const typename App::Element>(all))) ||
             (std::same_as<Same, Equal> && hash_of(all) == hash_of(*solution) &&
              std::ranges::equal(all, *solution, is_alike));
    } else {
      return std::ranges::all_of(
          solutions, [&](const ErasedValue& each) { return same(*solution, each.as<Solution>()); });
    }
  };
  checked.smaller = [&, same, name, problem] {
    std::vector<CheckedProblem> smaller;
    if constexpr (has_parts && DivideAndConquer<App>) {
      if (!app.trivial(*problem)) {
        for (Problem& part : subproblems(app, copy_of(*problem), Share{1, 2})) {
          Solution own = solve_on_heap(app, copy_of(part));
          smaller.push_back(
              checked_problem(app, name + ", a part of it", std::move(part), std::move(own), same));
        }
      }
    }
    return smaller;
  };
  return checked;
}

}  // namespace detail

/// Tries `app` on each of `problems` and returns one sentence for every promise that it breaks; an
/// empty list is what to expect. Needs no MPI.
/// - The executors find on 2 to 5 ranks, in each placement that the application can have, the
///   solution that one rank finds. Parts are made by `divide`, and an empty one where the problem
///   is a sequence. Of a sort of parts the order of elements with the same splitter does not count,
///   unless `same` is given.
/// - So they do on 1 to 64 ranks, in as many schedules as `options` say. Blocks and messages take
///   any time there, and some blocks throw. The first wrong one is made shorter, its seed is told.
/// - Problem, Solution and Node arrive as they were sent.
/// - `divide` comes to trivial problems, and is deterministic: with replicated placement every rank
///   divides on its own.
/// - `sequential` returns what the recursion does.
/// - The `combine` of a search is commutative, and `Solution{}` is neutral for it.
///
/// Cost: about fifty solutions of each problem and some for each schedule, in the calling thread.
///
/// \param same  whether two solutions are as good as each other: for sums that are rounded, or a
///              best solution among equals. Branch-and-bound needs one, or else its totals are not
///              compared: the order of the visits decides which nodes are visited.
template <class App, class Same = detail::Equal>
  requires(DivideAndConquer<App> || TreeSearch<App>) && Transferable<typename App::Solution> &&
          (Transferable<typename App::Problem> || std::copy_constructible<typename App::Problem>)
std::vector<std::string> check(const App& app, const std::vector<typename App::Problem>& problems,
                               const CheckOptions& options = {}, const Same& same = {}) {
  detail::Promises promises;
  std::vector<detail::CheckedProblem> solved;
  for (std::size_t i = 0; i < problems.size(); ++i) {
    promises.problem = "problem " + std::to_string(i);
    const typename App::Problem& problem = problems[i];
    if constexpr (Transferable<typename App::Problem>) {
      promises.require(detail::equal(problem, detail::over_the_wire(problem)),
                       "Problem changes on its way to another rank");
    }
    std::optional<typename App::Solution> solution;
    if constexpr (DivideAndConquer<App>) {
      solution = detail::solution_of_recursion(app, problem, same, promises);
    }
    if constexpr (TreeSearch<App>) {
      solution = detail::solution_of_search(app, problem, same, promises);
    }
    if (solution) {
      promises.require(detail::equal(*solution, detail::over_the_wire(*solution)),
                       "Solution changes on its way to another rank");
      if constexpr (SplitsParts<App>) {
        promises.require(detail::hash_of(problem) == detail::hash_of(*solution),
                         "the solution does not hold the elements of the problem");
      }
    }
    if (solution && detail::kCompares<App, Same>) {
      solved.push_back(detail::checked_problem(app, promises.problem, detail::copy_of(problem),
                                               *std::move(solution), same));
      for (detail::CheckedSchedule& plain : detail::plain_schedules(solved.back().app->traits())) {
        while (plain.ranks <= 5 && !promises.note(detail::broken_in(plain, solved.back()))) {
          ++plain.ranks;
        }
      }
    }
  }
  promises.note(detail::first_broken(solved, options));
  return promises.broken;
}

}  // namespace cleave
