// SPDX-License-Identifier: Apache-2.0
// cleave::check, for a user's own tests: does an application keep the promises that DC_Call relies
// on? Calls whose solutions are known run on virtual ranks, in schedules that are drawn by seeds.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/file.hpp>
#include <cleave/kernel/any_app.hpp>
#include <cleave/tree_search.hpp>
#include <cleave/wire.hpp>

namespace cleave {

/// Further tries, each of another schedule of a call.
struct CheckOptions {
  std::uint64_t schedules = 0;
  std::uint64_t seed = 1;  ///< of the first schedule; the next have the numbers after it
};

namespace detail {

struct CheckedProblem {
  std::string name;  ///< "problem 2"
  std::shared_ptr<const AnyApp> app;
  std::function<Values(int ranks, bool in_parts)> given;  ///< of each; empty: there are fewer parts
  std::function<bool(Values& solutions)> is_solution;     ///< each of them, or all parts together
  std::function<std::vector<CheckedProblem>()> smaller;   ///< ones, for a shorter report; or empty
};

/// One schedule of a call, on which no promise depends.
struct CheckedSchedule {
  DC_Type type{};
  Placement placement{};
  int ranks = 2;
  std::optional<std::uint64_t> delays{};  ///< a seed; else blocks take 30 us, messages no time
  std::optional<std::uint64_t> throws{};  ///< this block, of all ranks; they call once more then
  /// The message or sync, of all ranks, at which a search is killed, to go on from the disk.
  std::optional<std::uint64_t> killed{};
  int threads = 1;  ///< that are real, of one rank; what else is said here is left out with several
};

/// An undisturbed schedule for each executor and placement that the application can have.
std::vector<CheckedSchedule> plain_schedules(const AppTraits& app);

/// The promise that is broken in this schedule, a sentence; empty if none is. Tells each block.
std::string broken_in(const CheckedSchedule& schedule, const CheckedProblem& problem,
                      std::vector<std::string>* blocks = nullptr);

/// Tries schedules on 1 to 64 ranks, until one breaks a promise, and makes that one shorter.
/// \return  the sentence with its seed, and the last 20 blocks before it; empty if none is broken
std::string first_broken(const std::vector<CheckedProblem>& problems, const CheckOptions& options);

/// A sequence in order, which is equal where its elements are, whether they have == or not.
template <class T>
concept Elements = std::ranges::forward_range<const T> && !requires { typename T::hasher; } &&
                   (std::is_array_v<T> || kIsArray<T> || requires { typename T::allocator_type; });

/// Equal by its elements or fields, else by ==, else by its bytes on the wire. Two NaN are equal.
struct Equal {
  template <class T>
  bool operator()(const T& a, const T& b) const {
    if constexpr (std::floating_point<T>) {
      return a == b || (a != a && b != b);
    } else if constexpr (Elements<T>) {
      return std::ranges::equal(a, b, *this);
    } else if constexpr (requires { a.has_value(); }) {
      return a.has_value() == b.has_value() && (!a || (*this)(*a, *b));
    } else if constexpr (requires { a.valueless_by_exception(); }) {
      return a.index() == b.index() && std::visit(*this, a, b);
    } else if constexpr (requires { std::tuple_size<T>::value; }) {
      return [&]<std::size_t... i>(std::index_sequence<i...>) {
        return ((*this)(std::get<i>(a), std::get<i>(b)) && ...);
      }(std::make_index_sequence<std::tuple_size_v<T>>());
    } else if constexpr (std::equality_comparable<T>) {
      return a == b;
    } else if constexpr (HasFields<T>) {
      return (*this)(fields_of(a), fields_of(b));
    } else {
      return std::ranges::equal(Outgoing<T>(a).bytes(), Outgoing<T>(b).bytes());
    }
  }
  template <class T, class Other>
  bool operator()(const T& /*a*/, const Other& /*b*/) const {
    return false;
  }
};
inline constexpr Equal equal;

struct Promises {
  std::string problem;  ///< that the next ones are about
  std::vector<std::string> broken;

  void require(bool holds, const std::string& sentence) {
    if (!holds && std::ranges::find(broken, problem + ": " + sentence) == broken.end()) {
      broken.push_back(problem + ": " + sentence);
    }
  }
};

/// Whether totals are compared: what branch-and-bound visits depends on the order.
template <class App, class Same>
inline constexpr bool kCompares = !HasBoundedVisit<App> || !std::same_as<Same, Equal>;

/// The solution by one loop, with nodes that cross before their visit; nothing if it stops at one.
template <TreeSearch App, class Same, class Total = typename App::Solution>
std::optional<Total> solution_of_search(const App& app, const typename App::Problem& problem,
                                        const Same& same, Promises& promises) {
  SplitDeque<OpenOf<App>> stack;
  WorkerSlot slot;
  Visitor<App> visitor(app, stack, slot);
  Total one{};
  Total other{};
  IncumbentOf<App> incumbent(first_incumbent(app, problem));
  open_first(app, copy_of(problem), stack, one);
  for (auto* total = &one; !stack.private_empty() && !visitor.is_stopped(); total = &other) {
    auto arrived = over_the_wire(stack.newest());
    promises.require(equal(stack.newest(), arrived), "Node changes on its way to another rank");
    stack.newest() = std::move(arrived);
    visitor.visit(1, *total, incumbent);
  }
  const auto combined = [&](const Total& left, const Total& right) {
    return app.combine(copy_of(left), copy_of(right));
  };
  promises.require(same(one, combined(one, {})) && same(one, combined({}, one)),
                   "Solution{} is not neutral for combine");
  if constexpr (kCompares<App, Same>) {
    promises.require(same(combined(one, other), combined(other, one)),
                     "combine depends on the order of its arguments");
  }
  return visitor.is_stopped() ? std::nullopt
                              : std::optional(search_sequentially(app, copy_of(problem)));
}

/// The solution by recursion. \return  nothing once the recursion does not end
template <DivideAndConquer App, class Same, class Total = typename App::Solution>
std::optional<Total> solution_of_recursion(const App& app, const typename App::Problem& problem,
                                           const Same& same, Promises& promises) {
  constexpr std::size_t kMaxLevels = 5000;
  WorkerSlot slot;
  std::optional<Total> solution;
  try {
    solution = solve_on_heap(app, copy_of(problem), slot, kMaxLevels);
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
        solve_on_heap(app, std::move(part), slot, kMaxLevels);
      }
    }
  } catch (const Error& error) {
    promises.require(false, error.what());
    return std::nullopt;
  }
  if constexpr (HasSequential<App>) {
    promises.require(same(*solution, sequential(app, copy_of(problem), slot)),
                     "sequential returns another solution than conquer, divide and combine");
  }
  return solution;
}

/// Parts by `divide`, or of equal lengths; the last one of a sequence is empty. None if too few.
template <Distributable App, class Problem = typename App::Problem>
std::vector<Problem> parts_of(const App& app, const Problem& problem, std::size_t count) {
  constexpr bool kIsSequence = std::ranges::range<Problem> && std::default_initializable<Problem>;
  const std::size_t full = kIsSequence ? std::max<std::size_t>(count, 2) - 1 : count;
  std::vector<Problem> parts;
  if constexpr (MergesParts<App>) {
    parts.push_back(copy_of(problem));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      while (parts.size() < full && !app.trivial(std::as_const(parts[i]))) {
        auto halves = cleave::divide(app, std::move(parts[i]), Share{.left = 1, .total = 2});
        parts[i] = std::move(halves.left);
        parts.insert(parts.begin() + static_cast<std::ptrdiff_t>(i) + 1, std::move(halves.right));
      }
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
  return std::transform_reduce(
      elements.begin(), elements.end(), std::uint64_t{0}, std::plus(),
      [](const auto& each) { return crc_64(std::as_bytes(std::span(&each, 1))); });
}

/// A problem with its solution; refers to `app`. Its parts are smaller ones where it `has_parts`.
template <bool has_parts = true, class App, class Same, class Problem = typename App::Problem,
          class Solution = typename App::Solution>
CheckedProblem checked_problem(const App& app, const std::string& name, Problem given,
                               Solution solved, const Same& same) {
  const auto problem = std::make_shared<const Problem>(std::move(given));
  const auto solution = std::make_shared<const Solution>(std::move(solved));
  CheckedProblem checked{.name = name, .app = std::make_shared<const AppOf<App>>(app)};
  checked.given = [&, problem](int ranks, bool in_parts) {
    Values values;
    if constexpr (Distributable<App>) {
      for (Problem& part : parts_of(app, *problem, in_parts ? ranks : 0)) {
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
  if constexpr (has_parts && DivideAndConquer<App>) {
    checked.smaller = [&, same, name, problem] {
      std::vector<CheckedProblem> smaller;
      if (!app.trivial(*problem)) {
        for (Problem& part : subproblems(app, copy_of(*problem), Share{1, 2})) {
          Solution own = solve_sequential(app, copy_of(part));
          smaller.push_back(
              checked_problem(app, name + ", a part of it", std::move(part), std::move(own), same));
        }
      }
      return smaller;
    };
  }
  return checked;
}

}  // namespace detail

/// Tries `app` on each of `problems` and returns one sentence for every promise that it breaks; an
/// empty list is what to expect. Needs no MPI. Cost: some fifty solutions of each problem.
/// - The executors find on 2 to 5 ranks, in each placement that the application can have, the
///   solution that one rank finds, and on 1 to 64 ranks in as many schedules as `options` say.
///   Parts are made by `divide`, the last one is empty where the problem is a sequence. Of a sort
///   of parts the order of elements with the same splitter does not count, unless `same` is given.
/// - Problem, Solution and Node arrive as they were sent. `sizes` depends on the problem alone.
/// - `divide` ends, and is the same on every rank. `sequential` returns what the recursion does.
/// - The `combine` of a search is commutative, and `Solution{}` is neutral for it.
/// \param same  whether two solutions are as good as each other: for sums that are rounded, or the
///              best of equals. Without one the totals of branch-and-bound are not compared.
template <class App, class Same = detail::Equal>
  requires(DivideAndConquer<App> || TreeSearch<App>) && Transferable<typename App::Solution> &&
          (Transferable<typename App::Problem> || std::copy_constructible<typename App::Problem>)
std::vector<std::string> check(const App& app, const std::vector<typename App::Problem>& problems,
                               const CheckOptions& options = {}, const Same& same = {}) {
  detail::Promises promises;
  std::vector<detail::CheckedProblem> solved;
  for (const typename App::Problem& problem : problems) {
    promises.problem = "problem " + std::to_string(&problem - problems.data());
    if constexpr (Transferable<typename App::Problem>) {
      promises.require(detail::equal(problem, detail::over_the_wire(problem)),
                       "Problem changes on its way to another rank");
    }
    if constexpr (HasProblemSizes<App>) {
      promises.require(std::ranges::equal(app.sizes(problem), app.sizes(problem)),
                       "sizes are others each time");
    }
    std::optional<typename App::Solution> solution;
    if constexpr (DivideAndConquer<App>) {
      solution = detail::solution_of_recursion(app, problem, same, promises);
    }
    if constexpr (TreeSearch<App>) {
      solution = detail::solution_of_search(app, problem, same, promises);
    }
    if (!solution) {
      continue;
    }
    promises.require(detail::equal(*solution, detail::over_the_wire(*solution)),
                     "Solution changes on its way to another rank");
    if constexpr (SplitsParts<App>) {
      promises.require(detail::hash_of(problem) == detail::hash_of(*solution),
                       "the solution does not hold the elements of the problem");
    }
    if constexpr (detail::kCompares<App, Same>) {
      solved.push_back(detail::checked_problem(app, promises.problem, detail::copy_of(problem),
                                               *std::move(solution), same));
      for (detail::CheckedSchedule& plain : detail::plain_schedules(solved.back().app->traits())) {
        for (std::string broken; plain.ranks <= 5 && broken.empty(); ++plain.ranks) {
          broken = detail::broken_in(plain, solved.back());
          promises.require(broken.empty(), broken);
        }
      }
    }
  }
  const std::string broken = detail::first_broken(solved, options);
  promises.broken.insert(promises.broken.end(), broken.empty() ? 0 : 1, broken);
  return promises.broken;
}

}  // namespace cleave
