// SPDX-License-Identifier: Apache-2.0
// The work-stealing executor: one application, its workers on every rank (workers.hpp), the
// protocol between the ranks (balancer.hpp), and what is agreed on before and after.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/blocks/agree_on_failure.hpp>
#include <cleave/blocks/blocks.hpp>
#include <cleave/blocks/call_options.hpp>
#include <cleave/blocks/link.hpp>
#include <cleave/comm/messages.hpp>
#include <cleave/stealing/agree_on_end.hpp>
#include <cleave/stealing/fork_join.hpp>
#include <cleave/stealing/snapshot.hpp>
#include <cleave/stealing/workers.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

/// A tree search as the executor runs it.
template <TreeSearch App>
struct SearchKernel {
  using Node = OpenOf<App>;
  using Total = typename App::Solution;
  using Incumbent = IncumbentOf<App>;

  const App& app;

  Visitor<App> visitor(SplitDeque<Node>& deque) const { return {app, deque}; }
  Total combine(Total left, Total right) const {
    return app.combine(std::move(left), std::move(right));
  }
  std::optional<std::int64_t> nodes(const Total& total) const { return nodes_of(app, total); }
  static bool next_parcel(Parcel& /*parcel*/) { return false; }
  static void deliver(std::span<const std::byte> /*parcel*/, Total& /*total*/) {}
};

/// An application whose `combine` is declared commutative and associative by
/// `static constexpr bool kCommutative = true`, as a tree search: solutions are added up where they
/// are found.
template <DivideAndConquer App>
struct Reduction {
  using Problem = typename App::Problem;
  using Solution = std::optional<typename App::Solution>;

  const App& app;

  static Solution no_solution() { return typename App::Solution{}; }

  void visit(Problem problem, Children<Problem>& children, Solution& total) const {
    if (app.trivial(std::as_const(problem))) {
      total = combine(std::move(total), app.conquer(std::move(problem)));
    } else if (is_small(problem)) {
      total = combine(std::move(total), solve_whole(app, std::move(problem)));
    } else {
      auto parts = subproblems(app, std::move(problem));
      for (std::size_t i = parts.size(); i-- > 0;) {  // the first is visited first
        children.push(std::move(parts[i]));
      }
    }
  }

  bool is_small(const Problem& problem) const {
    if constexpr (HasSmall<App>) {
      return app.small(problem);
    } else {
      return false;
    }
  }

  Solution combine(Solution left, Solution right) const {
    if (!left || !right) {
      return left ? std::move(left) : std::move(right);
    }
    return app.combine(*std::move(left), *std::move(right));
  }
};

template <class App>
concept DeclaredCommutative = DivideAndConquer<App> && App::kCommutative;

/// One DC_Call on one rank: of MPI, or a virtual one (virtual_ranks.hpp), which writes no
/// snapshots.
template <class App>
class WorkStealing {
 public:
  using Problem = typename App::Problem;
  using Solution = typename App::Solution;

  WorkStealing(const App& app, const CallOptions& options, const SearchMessages& ranks)
      : app_(app), options_(options), comm_(ranks), blocks_(app, options) {}

  Solution search(Problem problem)
    requires TreeSearch<App>
  {
    std::optional<SnapshotFolder> snapshots;
    if (options_.checkpoint && comm_.comm() != nullptr) {
      snapshots.emplace(*comm_.comm(), *options_.checkpoint);
    }
    SearchKernel<App> kernel{app_};
    IncumbentOf<App> incumbent;
    std::optional<Workers<SearchKernel<App>>> workers;
    make(workers, kernel, incumbent);
    if (snapshots && snapshots->resumed_from() > 0) {
      restore(*workers, *snapshots);
    } else if (comm_.rank() == 0) {
      workers->begin([&](SplitDeque<OpenOf<App>>& deque, Solution& total) {
        incumbent.offer(
            in_functor("first_incumbent", [&] { return first_incumbent(app_, problem); }));
        open_first(app_, std::move(problem), deque, total);
      });
    }
    workers->run(snapshots ? &*snapshots : nullptr);
    const std::optional<EndedEarly> ended =
        agree_on_end(comm_, blocks_, options_, *workers, snapshots ? &*snapshots : nullptr);
    if (ended) {
      tell_or_throw(*ended, options_.stealing);
    }
    std::optional<Solution> solution =
        fold(blocks_.attempt("combine", Level{}, [&] { return workers->take_total(); }));
    std::string refusal;
    if (comm_.rank() == 0 && solution && !ended) {
      refusal = blocks_.refusal_of(*solution);
    }
    return distribute(std::move(solution), refusal);
  }

  Solution fork_and_join(Problem problem)
    requires DivideAndConquer<App>
  {
    if (options_.checkpoint) {
      throw Error(
          "snapshots are for applications with `visit`, or with a combine that is declared "
          "commutative");
    }
    ForkJoin<App> kernel(app_, comm_.rank(), options_);
    Incumbent<> incumbent;
    std::optional<Workers<ForkJoin<App>>> workers;
    make(workers, kernel, incumbent);
    if (comm_.rank() == 0) {
      workers->begin([&](auto& deque, auto&) {
        deque.push({.problem = std::move(problem), .destination = {}});
      });
    }
    workers->run(nullptr);
    if (const auto ended = agree_on_end(comm_, blocks_, options_, *workers, nullptr)) {
      throw_ended_early(*ended);  // a part of a recursion has no solution
    }
    return distribute(comm_.rank() == 0 ? kernel.take_solution() : std::nullopt, "");
  }

 private:
  /// Collective. \throws Error
  template <class Workers>
  void restore(Workers& workers, SnapshotFolder& snapshots) const {
    const std::vector<SnapshotPart> parts = snapshots.take_parts();
    agree(*comm_.comm(), [&] {
      for (const SnapshotPart& part : parts) {
        workers.restore(part);
      }
    });
  }

  /// Collective: one agreement, since no protocol is there yet in which a rank without memory, or
  /// one whose solution cannot be made, could tell the others.
  template <class K>
  void make(std::optional<Workers<K>>& workers, K& kernel, typename K::Incumbent& incumbent) {
    blocks_.attempt("begin", Level{}, [&] {
      workers.emplace(kernel, transport(),
                      comm_.surroundings(options_.stealing.threads, !options_.bound_to.empty()),
                      incumbent, options_);
      return true;
    });
    agree_on_failure(comm_, blocks_);
  }

  std::unique_ptr<Transport> transport() const {
    return options_.hooks.transport && comm_.comm() != nullptr
               ? options_.hooks.transport(*comm_.comm())
               : comm_.transport();
  }

  /// Combines all ranks' solutions, on rank 0, along a binomial tree.
  std::optional<Solution> fold(std::optional<Solution> mine) {
    Link link(comm_, blocks_);
    for (int step = 1; step < comm_.size(); step *= 2) {
      const Level level{0, comm_.size()};
      if ((comm_.rank() & step) != 0) {
        link.give(comm_.rank() - step, mine, level, Sizes{});
        break;
      }
      if (comm_.rank() + step < comm_.size()) {
        auto theirs = link.get<Solution>(comm_.rank() + step, level);
        if (mine && theirs) {
          mine = blocks_.combine(*std::move(mine), *std::move(theirs), Sizes{}, level);
        }
      }
    }
    return mine;
  }

  /// Rank 0's solution, on every rank where it is replicated, unless a rank has failed. Rank 0 may
  /// refuse it.
  Solution distribute(std::optional<Solution> solution, const std::string& refusal) {
    if (solution && comm_.rank() == 0 && blocks_.recorder() != nullptr) {
      blocks_.recorder()->add_run_sizes(blocks_.solution_sizes(*solution));
    }
    if (traits_of(options_.placement).solution == Holders::all) {
      bcast(solution);
    } else if (comm_.rank() != 0) {
      solution = blocks_.no_solution();
    }
    if (agree_on_failure(comm_, blocks_, refusal.empty() ? 0 : 1) != 0) {
      tell_or_throw({.reason = text_of_any(comm_, refusal)}, options_.stealing);
    }
    return *std::move(solution);
  }

  /// Rank 0's solution to all, along a binomial tree.
  void bcast(std::optional<Solution>& solution) {
    Link link(comm_, blocks_);
    int step = 1;
    while (step < comm_.size()) {
      step *= 2;
    }
    for (step /= 2; step > 0; step /= 2) {
      const Level level{0, comm_.size()};
      const int within = comm_.rank() % (2 * step);
      if (within == 0 && comm_.rank() + step < comm_.size()) {
        link.give(comm_.rank() + step, solution, level, Sizes{});
      } else if (within == step) {
        solution = link.get<Solution>(comm_.rank() - step, level);
      }
    }
  }

  const App& app_;
  const CallOptions& options_;
  const SearchMessages& comm_;
  Blocks<App> blocks_;
};

template <class App>
typename App::Solution solve_by_work_stealing(const App& app, typename App::Problem problem,
                                              const CallOptions& options,
                                              const SearchMessages& ranks) {
  require_stealing(options);
  if constexpr (TreeSearch<App>) {
    return WorkStealing<App>(app, options, ranks).search(std::move(problem));
  } else if constexpr (!Transferable<typename App::Problem>) {
    throw Error(
        "work stealing sends problems to other ranks, and this application's Problem cannot cross: "
        "it holds a pointer, a view, a C array or a type without a wire");
  } else if constexpr (DeclaredCommutative<App>) {
    const Reduction<App> reduction{app};
    auto solution =
        WorkStealing<Reduction<App>>(reduction, options, ranks).search(std::move(problem));
    return solution ? *std::move(solution) : typename App::Solution{};  // where it ended early
  } else {
    return WorkStealing<App>(app, options, ranks).fork_and_join(std::move(problem));
  }
}

}  // namespace cleave::detail
