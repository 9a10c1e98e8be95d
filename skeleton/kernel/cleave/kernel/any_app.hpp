// SPDX-License-Identifier: Apache-2.0
// An application whose types are not known: what the executors are compiled for, once. AppOf is
// compiled for each application: a small function for each functor.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <type_traits>
#include <typeinfo>
#include <utility>

#include <cleave/application.hpp>
#include <cleave/error.hpp>
#include <cleave/kernel/erased_value.hpp>
#include <cleave/kernel/fork_join.hpp>
#include <cleave/kernel/search.hpp>
#include <cleave/kernel/split_parts.hpp>
#include <cleave/options.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

/// The hypercube divides its problems as they are. Others it keeps in lists (blocks.hpp).
template <class App>
concept DividesInHalves =
    DivideAndConquer<App> && HasDivideInHalves<App> && HasCombine<App> && !HasAfter<App>;

/// An application that runs on the hypercube; a search has no limits in a list.
template <class App>
concept RunsOnHypercube = DivideAndConquer<App> && (DividesInHalves<App> || !TreeSearch<App>);

/// Whether the threads of a rank can share its own part on the hypercube, by work stealing.
template <class App>
concept SharesOwnPart = RunsOnHypercube<App> && Transferable<typename App::Problem> &&
                        (!HasSequential<App> || HasSmall<App> || TreeSearch<App>);

/// Work stealing knows the types of tasks that may take 20 ns each. Those of an application with
/// `small` are long; a type whose move may throw would have to be caught at every step.
template <class App>
concept HasTinyTasks =
    !HasSmall<App> && std::is_nothrow_move_constructible_v<typename App::Problem> &&
    std::is_nothrow_move_assignable_v<typename App::Problem> &&
    std::is_nothrow_move_constructible_v<typename App::Solution> &&
    std::is_nothrow_move_assignable_v<typename App::Solution>;

struct AppTraits {
  std::uint64_t type_hash = 0;
  bool divides = false;   ///< DivideAndConquer
  bool searches = false;  ///< TreeSearch
  bool runs_on_hypercube = false;
  bool shares_own_part = false;
  bool keeps_divided = false;  ///< HasAfter
  bool splits_parts = false;   ///< SplitsParts and not MergesParts
  bool is_distributable = false;
  ListWire problem{};  ///< null where it cannot cross
  ListWire solution{};
};

/// Makes a problem; what it throws is a failure of this rank.
using Given = std::function<ErasedValue()>;

class AnyApp {
 public:
  using Problem = ErasedValue;
  using Solution = ErasedValue;

  explicit AnyApp(const AppTraits& traits) : traits_(traits) {}
  AnyApp(const AnyApp&) = delete;
  virtual ~AnyApp() = default;

  const AppTraits& traits() const { return traits_; }

  // The functors (application.hpp). A search without them has none of these.

  virtual bool trivial(const ErasedValue& /*problem*/) const { return false; }
  virtual bool small(const ErasedValue& /*problem*/) const { return false; }
  virtual ErasedValue conquer(ErasedValue /*problem*/, WorkerSlot& /*slot*/) const { return {}; }
  /// The parts of `problem`, those of halves by `share`. Leaves in it what `after` is to see.
  virtual Values divide(ErasedValue& /*problem*/, Share /*share*/) const { return {}; }
  virtual ErasedValue after(const ErasedValue& /*problem*/, ErasedValue solution) const {
    return solution;
  }
  /// The steps of the sorting form; null for another one.
  virtual std::unique_ptr<PartSteps> part_steps(const Messages& /*ranks*/,
                                                BlockRunner& /*blocks*/) const {
    return nullptr;
  }
  virtual PartLength elements(const ErasedValue& /*part*/) const { return {}; }

  /// A problem that is not trivial, by one thread.
  virtual ErasedValue sequential(ErasedValue problem, const SearchLimits& limits,
                                 WorkerSlot& slot) const = 0;
  /// All solutions of one division, or two totals of a search.
  virtual ErasedValue combine(Values solutions) const = 0;
  /// The solution that a rank gets where it is for another one.
  virtual ErasedValue no_solution() const = 0;
  virtual Sizes sizes(const ErasedValue& problem) const = 0;
  virtual Sizes solution_sizes(const ErasedValue& solution) const = 0;
  /// By work stealing (search.hpp). Collective.
  virtual ErasedValue steal(const Given& given, const CallOptions& options,
                            const SearchMessages& ranks) const = 0;

 private:
  const AppTraits traits_;
};

/// Work stealing of an application with long tasks, compiled once.
ErasedValue steal_long_tasks(const AnyApp& app, const Given& given, const CallOptions& options,
                             const SearchMessages& ranks);

/// Refers to the application: what all forms have.
template <HasProblemAndSolution App>
class SolverOf : public AnyApp {
 public:
  using P = typename App::Problem;
  using S = typename App::Solution;

  explicit SolverOf(const App& app)
      : AnyApp({.type_hash = typeid(App).hash_code(),
                .divides = DivideAndConquer<App>,
                .searches = TreeSearch<App>,
                .runs_on_hypercube = RunsOnHypercube<App>,
                .shares_own_part = SharesOwnPart<App>,
                .keeps_divided = HasAfter<App>,
                .splits_parts = SplitsParts<App> && !MergesParts<App>,
                .is_distributable = Distributable<App>,
                .problem = {make_incoming<P>(), DividesInHalves<App>},
                .solution = {make_incoming<S>(), DividesInHalves<App>}}),
        app_(app) {}

  ErasedValue sequential(ErasedValue problem, const SearchLimits& limits,
                         WorkerSlot& slot) const override {
    if constexpr (HasSequential<App>) {
      return solution(detail::sequential(app_, problem.take<P>(), slot));
    } else if constexpr (TreeSearch<App>) {
      return solution(search_sequentially(app_, problem.take<P>(), limits));
    } else {
      return solution(solve_by_calls(app_, problem.take<P>(), slot));
    }
  }
  ErasedValue combine(Values solutions) const override {
    if constexpr (DivideAndConquer<App>) {
      return solution(combine_all(app_, solutions.size(),
                                  [&solutions](std::size_t i) { return solutions[i].take<S>(); }));
    } else {
      return solution(app_.combine(solutions.front().take<S>(), solutions.back().take<S>()));
    }
  }
  ErasedValue no_solution() const override { return ErasedValue::of<S>(); }
  Sizes sizes(const ErasedValue& problem) const override {
    if constexpr (HasProblemSizes<App>) {
      return app_.sizes(problem.as<P>());
    } else {
      return {};
    }
  }
  Sizes solution_sizes(const ErasedValue& solution) const override {
    if constexpr (HasSolutionSizes<App>) {
      return app_.solution_sizes(solution.as<S>());
    } else {
      return {};
    }
  }
  ErasedValue steal(const Given& given, const CallOptions& options,
                    const SearchMessages& ranks) const override {
    if constexpr (TreeSearch<App>) {
      return search_by<SearchKernel<App>>(*this, app_, given, options, ranks);
    } else if constexpr (!Transferable<P>) {
      throw Error(
          "work stealing sends problems to other ranks, and this application's Problem cannot "
          "cross: it holds a pointer, a view, a C array or a type without a wire");
    } else if constexpr (!HasTinyTasks<App>) {
      return steal_long_tasks(*this, given, options, ranks);
    } else {
      return search_by<ForkJoin<App>>(*this, app_, given, options, ranks);
    }
  }

 protected:
  static ErasedValue solution(S&& value) { return ErasedValue::of<S>(std::move(value)); }

  const App& app_;
};

/// And its functors.
template <HasProblemAndSolution App>
class AppOf final : public SolverOf<App> {
  using SolverOf<App>::SolverOf;
};
template <DivideAndConquer App>
class AppOf<App> final : public SolverOf<App> {
 public:
  using SolverOf<App>::SolverOf;
  using typename SolverOf<App>::P;
  using typename SolverOf<App>::S;

  bool trivial(const ErasedValue& problem) const override {
    return static_cast<bool>(app_.trivial(problem.as<P>()));
  }
  bool small(const ErasedValue& problem) const override {
    if constexpr (HasSmall<App>) {
      return static_cast<bool>(app_.small(problem.as<P>()));
    } else {
      return false;
    }
  }
  ErasedValue conquer(ErasedValue problem, WorkerSlot& slot) const override {
    return this->solution(detail::conquer(app_, problem.take<P>(), slot));
  }
  Values divide(ErasedValue& problem, Share share) const override {
    Values parts;
    for (P& part : subproblems(app_, static_cast<ToDivide<App>>(problem.as<P>()), share)) {
      parts.push_back(ErasedValue::of<P>(std::move(part)));
    }
    if constexpr (!HasAfter<App>) {
      problem.reset();
    }
    return parts;
  }
  ErasedValue after(const ErasedValue& problem, ErasedValue solution) const override {
    if constexpr (HasAfter<App>) {
      return this->solution(app_.after(problem.as<P>(), solution.take<S>()));
    } else {
      return solution;
    }
  }
  std::unique_ptr<PartSteps> part_steps(const Messages& ranks, BlockRunner& blocks) const override {
    if constexpr (SplitsParts<App>) {
      return std::make_unique<SplitParts<App>>(app_, ranks, blocks);
    } else {
      return nullptr;
    }
  }
  PartLength elements(const ErasedValue& part) const override {
    if constexpr (SplitsParts<App>) {
      const std::int64_t count = std::ssize(std::span(part.as<P>()));
      return {.count = count,
              .bytes = count * static_cast<std::int64_t>(sizeof(typename App::Element))};
    } else {
      return {};
    }
  }

 private:
  using SolverOf<App>::app_;
};

}  // namespace cleave::detail
