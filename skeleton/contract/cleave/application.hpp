// SPDX-License-Identifier: Apache-2.0
// The functions that an application supplies (docs/reference/your-own-program.md), and what running
// them means (`solve_sequential`). Needs no MPI.
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <experimental/type_traits>
#include <memory>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <cleave/error.hpp>
#include <cleave/part.hpp>
#include <cleave/schedule/schedule.hpp>
#include <cleave/sizes.hpp>

namespace cleave {

/// Two subproblems. With uneven shares `left` is for the first `Share::left` ranks.
template <class Problem>
struct Halves {
  Problem left;
  Problem right;
};
template <class App>
concept HasProblemAndSolution =
    requires {
      typename App::Problem;
      typename App::Solution;
    } && std::movable<typename App::Problem> && std::movable<typename App::Solution> &&
    std::default_initializable<typename App::Solution>;

/// `bool trivial(const Problem&) const`: whether `conquer` solves the problem directly.
template <class App>
concept HasTrivial = requires(const App& app, const typename App::Problem& problem) {
  { app.trivial(problem) } -> std::convertible_to<bool>;
};

/// `Solution conquer(Problem) const`: solves a trivial problem. It may take a `Worker&` as well.
template <class App, class... Worker>
concept HasConquer = requires(const App& app, typename App::Problem problem, Worker&... worker) {
  { app.conquer(std::move(problem), worker...) } -> std::same_as<typename App::Solution>;
};

/// `Solution after(const Problem&, Solution) const`, optional: works on a problem that was divided,
/// once its subproblems are solved and combined. `divide` then gets it as a `const Problem&`.
template <class App>
concept HasAfter = requires(const App& app, const typename App::Problem& problem,
                            typename App::Solution solution) {
  { app.after(problem, std::move(solution)) } -> std::same_as<typename App::Solution>;
};

namespace detail {

template <class App>
using WorkerMember = typename App::Worker;
/// `App::Worker`: what a thread keeps from one functor to the next of a call, such as a table.
template <class App>
using WorkerOf = std::experimental::detected_or_t<void, WorkerMember, App>;
/// The place of a thread's Worker in one call.
using WorkerSlot = std::shared_ptr<void>;

/// Calls `functor`, which takes the Worker in `slot`; the first one's is made, by its thread.
template <class App, bool takes, class Functor>
decltype(auto) with_worker(WorkerSlot& slot, const Functor& functor) {
  if constexpr (takes) {
    if (slot == nullptr) {
      slot = std::make_shared<WorkerOf<App>>();
    }
    return functor(*static_cast<WorkerOf<App>*>(slot.get()));
  } else {
    return functor();
  }
}

template <class App, class... Worker>
concept SolvesWhole = requires(const App& app, typename App::Problem problem, Worker&... worker) {
  { app.sequential(std::move(problem), worker...) } -> std::same_as<typename App::Solution>;
};

/// A problem as `divide` gets it: to be moved from, unless `after` is to see it.
template <class App>
using ToDivide =
    std::conditional_t<HasAfter<App>, const typename App::Problem&, typename App::Problem&&>;

template <class App, class Result, class... Shares>
concept DividesInto = requires(const App& app, ToDivide<App> problem, Shares... share) {
  { app.divide(static_cast<ToDivide<App>>(problem), share...) } -> std::same_as<Result>;
};

}  // namespace detail

/// `Halves<Problem> divide(Problem, Share) const`: divides in proportion to the ranks of each half.
template <class App>
concept HasDivideByShare = detail::DividesInto<App, Halves<typename App::Problem>, Share>;
/// `Halves<Problem> divide(Problem) const`, or the form above.
template <class App>
concept HasDivideInHalves =
    HasDivideByShare<App> || detail::DividesInto<App, Halves<typename App::Problem>>;
/// `std::vector<Problem> divide(Problem) const`: any number of subproblems but none, in order.
template <class App>
concept HasDivideInMany = detail::DividesInto<App, std::vector<typename App::Problem>>;

template <class App>
concept HasDivide = HasDivideInHalves<App> || HasDivideInMany<App>;

/// `Solution combine(Solution left, Solution right) const`; of many solutions from left to right.
template <class App>
concept HasCombine =
    requires(const App& app, typename App::Solution left, typename App::Solution right) {
      { app.combine(std::move(left), std::move(right)) } -> std::same_as<typename App::Solution>;
    };

/// `Solution combine(std::vector<Solution>) const`, with `divide` in many: all at once, in order.
template <class App>
concept HasCombineOfMany =
    HasDivideInMany<App> && requires(const App& app, std::vector<typename App::Solution> all) {
      { app.combine(std::move(all)) } -> std::same_as<typename App::Solution>;
    };

/// `Solution sequential(Problem) const`, optional: a whole subproblem, as fast as one rank can. It
/// may take a `Worker&` as well.
template <class App>
concept HasSequential = detail::SolvesWhole<App> || detail::SolvesWhole<App, detail::WorkerOf<App>>;

/// `bool small(const Problem&) const`, optional: whether one worker solves the problem alone where
/// threads share work; without it, `trivial` ones alone.
template <class App>
concept HasSmall = requires(const App& app, const typename App::Problem& problem) {
  { app.small(problem) } -> std::convertible_to<bool>;
};

/// `Sizes sizes(const Problem&) const`, optional: what the cost of a problem's blocks depends on.
template <class App>
concept HasProblemSizes = requires(const App& app, const typename App::Problem& problem) {
  { app.sizes(problem) } -> std::same_as<Sizes>;
};

/// `Sizes solution_sizes(const Solution&) const`, optional: what the cost of combining a solution
/// depends on, or what solving it turned out to cost (`nodes` of a tree search).
template <class App>
concept HasSolutionSizes = requires(const App& app, const typename App::Solution& solution) {
  { app.solution_sizes(solution) } -> std::same_as<Sizes>;
};

/// An application. Its functors are const, and deterministic where every rank divides.
template <class App>
concept DivideAndConquer =
    HasProblemAndSolution<App> && HasTrivial<App> &&
    (HasConquer<App> || HasConquer<App, detail::WorkerOf<App>>)&&HasDivide<App> &&
    (HasCombine<App> || HasCombineOfMany<App>);

/// `static constexpr bool kMergesParts = true`: the ranks solve any parts of the problem, and
/// `combine` of two groups' solutions is that of both together, on every rank.
template <class App>
concept MergesParts = DivideAndConquer<App> && requires { requires App::kMergesParts; };

/// How a part is laid out after a partition.
enum class ClassOrder {
  ascending,   ///< less than the splitter, equal to it, greater
  descending,  ///< greater, equal, less
};

/// How many elements of a part come before the splitter, and how many equal it.
struct Cut {
  std::size_t less = 0;
  std::size_t equal = 0;
};

/// An element that divides a sequence in two.
template <class T>
struct Split {
  T splitter{};
  bool has_ties = false;  ///< whether so many elements equal it that they are to be shared out
};

/// The sorting form of Placement::distributed: a sequence of plain `Element`s in parts of any
/// length, one a rank. Level by level the ranks of a group partition their parts around a common
/// plain `Splitter`, and each half of the group gets its side; `sequential` sorts what is left.
/// - `std::vector<Splitter> sample(std::span<const Element>, std::size_t count, std::uint64_t seed)
///   const`: a fair sample of the part; `count` is at most its length;
/// - `Split<Splitter> splitter(std::vector<Splitter> samples, Share) const`: one that about left /
///   total of the samples come before;
/// - `Cut partition(std::span<Element>, const Split<Splitter>&, ClassOrder) const`: reorders in
///   place. Without `has_ties` those equal to the splitter may lie anywhere among those after it,
///   and are counted with them.
template <class App>
concept SplitsParts =
    DivideAndConquer<App> && std::same_as<typename App::Problem, Part<typename App::Element>> &&
    std::same_as<typename App::Solution, Part<typename App::Element>> &&
    requires(const App& app, std::span<typename App::Element> part,
             std::vector<typename App::Splitter> samples,
             const Split<typename App::Splitter>& split) {
      {
        app.sample(std::span<const typename App::Element>(part), std::size_t{}, std::uint64_t{})
      } -> std::same_as<std::vector<typename App::Splitter>>;
      { app.splitter(std::move(samples), Share{}) } -> std::same_as<Split<typename App::Splitter>>;
      { app.partition(part, split, ClassOrder{}) } -> std::same_as<Cut>;
    };

/// For Placement::distributed.
template <class App>
concept Distributable = MergesParts<App> || SplitsParts<App>;

/// Divides `problem` for `share` where the application can, else in the one way that it has.
template <HasDivideInHalves App, class Problem>
Halves<typename App::Problem> divide(const App& app, Problem&& problem, Share share) {
  if constexpr (HasDivideByShare<App>) {
    return app.divide(std::forward<Problem>(problem), share);
  } else {
    return app.divide(std::forward<Problem>(problem));
  }
}

namespace detail {

template <class App>
auto conquer(const App& app, typename App::Problem&& problem, WorkerSlot& slot) {
  return with_worker<App, HasConquer<App, WorkerOf<App>>>(
      slot, [&](auto&... worker) { return app.conquer(std::move(problem), worker...); });
}
template <HasSequential App>
auto sequential(const App& app, typename App::Problem&& problem, WorkerSlot& slot) {
  return with_worker<App, SolvesWhole<App, WorkerOf<App>>>(
      slot, [&](auto&... worker) { return app.sequential(std::move(problem), worker...); });
}

/// The subproblems of a problem that is not trivial, in their order, those of halves by `share`.
/// \throws Error  if there are none
template <DivideAndConquer App>
auto subproblems(const App& app, ToDivide<App> problem, Share share = {.left = 1, .total = 2}) {
  if constexpr (HasDivideInMany<App>) {
    std::vector<typename App::Problem> parts = app.divide(static_cast<ToDivide<App>>(problem));
    if (parts.empty()) {
      throw Error("a problem that is not trivial was divided into none");
    }
    return parts;
  } else {
    auto [left, right] = cleave::divide(app, static_cast<ToDivide<App>>(problem), share);
    return std::array<typename App::Problem, 2>{std::move(left), std::move(right)};
  }
}

/// Combines the solutions of a problem's parts, each of which `take` returns by its number.
template <DivideAndConquer App, class Take>
typename App::Solution combine_all(const App& app, std::size_t count, const Take& take) {
  if constexpr (HasCombineOfMany<App>) {
    std::vector<typename App::Solution> solutions;
    for (std::size_t i = 0; i < count; ++i) {
      solutions.push_back(take(i));
    }
    return app.combine(std::move(solutions));
  } else {
    typename App::Solution all = take(0);
    for (std::size_t i = 1; i < count; ++i) {
      all = app.combine(std::move(all), take(i));
    }
    return all;
  }
}

/// The solution of a divided problem, by the combined ones of its parts.
template <DivideAndConquer App>
typename App::Solution after_parts(const App& app, const typename App::Problem& problem,
                                   typename App::Solution solution) {
  if constexpr (HasAfter<App>) {
    return app.after(problem, std::move(solution));
  } else {
    return solution;
  }
}

/// Solves like `solve_sequential`, with a stack on the heap: for recursions of any depth.
/// \throws Error  beyond `max_levels`
template <DivideAndConquer App>
typename App::Solution solve_on_heap(const App& app, typename App::Problem problem,
                                     WorkerSlot& slot, std::size_t max_levels = PTRDIFF_MAX) {
  /// A problem that was divided, with the solutions of its parts as far as they are there.
  struct Divided {
    decltype(subproblems(app, std::move(problem))) parts;
    typename App::Problem parent;  ///< as `divide` left it
    std::vector<typename App::Solution> solutions;
  };
  std::deque<Divided> stack;
  for (;;) {
    while (!app.trivial(std::as_const(problem))) {
      if (stack.size() == max_levels) {
        throw Error("divide has not come to trivial problems after " + std::to_string(max_levels) +
                    " levels");
      }
      auto parts = subproblems(app, static_cast<ToDivide<App>>(problem));
      stack.push_back({std::move(parts), std::move(problem), {}});
      problem = std::move(stack.back().parts[0]);
    }
    typename App::Solution solution = detail::conquer(app, std::move(problem), slot);
    for (;; stack.pop_back()) {
      if (stack.empty()) {
        return solution;
      }
      Divided& above = stack.back();
      above.solutions.push_back(std::move(solution));
      if (above.solutions.size() < above.parts.size()) {
        problem = std::move(above.parts[above.solutions.size()]);
        break;
      }
      const auto take = [&above](std::size_t i) { return std::move(above.solutions[i]); };
      solution = after_parts(app, above.parent, combine_all(app, above.parts.size(), take));
    }
  }
}

/// Solves like `solve_sequential`, by recursive calls as far as `levels`.
template <DivideAndConquer App>
typename App::Solution solve_by_calls(const App& app, typename App::Problem problem,
                                      WorkerSlot& slot, int levels = 100) {
  if (levels == 0) {
    return solve_on_heap(app, std::move(problem), slot);
  }
  if (app.trivial(std::as_const(problem))) {
    return detail::conquer(app, std::move(problem), slot);
  }
  if constexpr (HasDivideInMany<App>) {
    auto parts = subproblems(app, static_cast<ToDivide<App>>(problem));
    const auto solve = [&](std::size_t i) {
      return solve_by_calls(app, std::move(parts[i]), slot, levels - 1);
    };
    return after_parts(app, problem, combine_all(app, parts.size(), solve));
  } else {  // without an array and an optional, which take as long as a small node
    auto [left, right] =
        cleave::divide(app, static_cast<ToDivide<App>>(problem), Share{.left = 1, .total = 2});
    auto left_solution = solve_by_calls(app, std::move(left), slot, levels - 1);
    auto right_solution = solve_by_calls(app, std::move(right), slot, levels - 1);
    return after_parts(app, problem,
                       app.combine(std::move(left_solution), std::move(right_solution)));
  }
}

}  // namespace detail

/// Solves `problem` on one rank by recursion down to `trivial`, of any depth: from level 100 on the
/// stack is on the heap. This is the meaning of DC_Call: every executor returns what this returns.
template <DivideAndConquer App>
typename App::Solution solve_sequential(const App& app, typename App::Problem problem) {
  detail::WorkerSlot slot;
  return detail::solve_by_calls(app, std::move(problem), slot);
}

}  // namespace cleave
