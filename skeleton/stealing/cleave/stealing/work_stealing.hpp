// SPDX-License-Identifier: Apache-2.0
// The work-stealing executor: one application, its workers on every rank (executor.hpp), the
// protocol between the ranks (balancer.hpp), and what is agreed on before and after.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/blocks/agree_on_failure.hpp>
#include <cleave/blocks/blocks.hpp>
#include <cleave/blocks/call_options.hpp>
#include <cleave/blocks/link.hpp>
#include <cleave/comm.hpp>
#include <cleave/comm/mpi_transport.hpp>
#include <cleave/stealing/executor.hpp>
#include <cleave/stealing/fork_join.hpp>
#include <cleave/stealing/snapshot.hpp>
#include <cleave/tree_search.hpp>

namespace cleave::detail {

/// A tree search as the executor runs it.
template <TreeSearch App>
struct SearchKernel {
  using Node = NodeOf<App>;
  using Total = typename App::Solution;

  const App& app;

  void visit(Node node, Children<Node>& children, Total& total, Incumbent& incumbent) const {
    detail::visit(app, std::move(node), children, total, incumbent);
  }
  Total combine(Total left, Total right) const {
    return app.combine(std::move(left), std::move(right));
  }
  std::optional<std::int64_t> nodes(const Total& total) const { return nodes_of(app, total); }
  static bool next_parcel(Parcel& /*parcel*/) { return false; }
  static void deliver(std::span<const std::byte> /*parcel*/) {}
};

/// An application whose `combine` is declared commutative and associative by
/// `static constexpr bool kCommutative = true`, as a tree search: solutions are added up where they
/// are found.
template <DivideAndConquer App>
struct Reduction {
  using Problem = typename App::Problem;
  using Solution = std::optional<typename App::Solution>;

  const App& app;

  void visit(Problem problem, Children<Problem>& children, Solution& total) const {
    if (app.trivial(std::as_const(problem))) {
      total = combine(std::move(total), app.conquer(std::move(problem)));
    } else if constexpr (HasDivideInMany<App>) {
      for (Problem& part : app.divide(std::move(problem))) {
        children.push(std::move(part));
      }
    } else {
      auto [left, right] = cleave::divide(app, std::move(problem), Share{.left = 1, .total = 2});
      children.push(std::move(right));
      children.push(std::move(left));
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

/// One DC_Call on one rank.
template <class App>
class WorkStealing {
 public:
  using Problem = typename App::Problem;
  using Solution = typename App::Solution;

  WorkStealing(const App& app, const CallOptions& options)
      : app_(app), options_(options), comm_(options.comm), blocks_(app, options) {}

  Solution search(Problem problem)
    requires TreeSearch<App>
  {
    std::optional<SnapshotFolder> snapshots;
    if (options_.checkpoint) {
      snapshots.emplace(comm_, *options_.checkpoint);
    }
    SearchKernel<App> kernel{app_};
    Incumbent incumbent(comm_.rank() == 0 ? first_incumbent(app_, problem) : Incumbent::kNone);
    const std::unique_ptr<Transport> transport = make_transport();
    Executor executor(kernel, comm_, *transport, incumbent, options_);
    if (snapshots && snapshots->resumed_from() > 0) {
      const std::vector<SnapshotPart> parts = snapshots->restore();
      agree(comm_, [&] {
        for (const SnapshotPart& part : parts) {
          executor.restore(part);
        }
      });
    } else if (comm_.rank() == 0) {
      executor.begin([&](Segment<NodeOf<App>>& segment, auto& total) {
        Children<NodeOf<App>> children(segment);
        begin(app_, std::move(problem), children, total);
      });
    }
    const Balancer::Outcome outcome = executor.run(snapshots ? &*snapshots : nullptr);
    agree_on_end(executor, outcome, snapshots);
    std::optional<Solution> solution =
        fold(blocks_.attempt("combine", Level{}, [&] { return executor.take_total(); }));
    std::string refusal;
    if (comm_.rank() == 0 && solution) {
      const std::int64_t nodes = kernel.nodes(*solution).value_or(0);
      refusal = beyond({.nodes = options_.stealing.max_nodes}, nodes, 0).value_or("");
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
    Incumbent incumbent;
    const std::unique_ptr<Transport> transport = make_transport();
    Executor executor(kernel, comm_, *transport, incumbent, options_);
    if (comm_.rank() == 0) {
      executor.begin([&](auto& segment, auto&) {
        segment.push({.problem = std::move(problem), .destination = {}});
      });
    }
    const Balancer::Outcome outcome = executor.run(nullptr);
    agree_on_end(executor, outcome, std::nullopt);
    return distribute(comm_.rank() == 0 ? kernel.take_solution() : std::nullopt, "");
  }

 private:
  std::unique_ptr<Transport> make_transport() const {
    return options_.hooks.transport ? options_.hooks.transport(comm_)
                                    : std::make_unique<MpiTransport>(comm_);
  }

  /// What a rank may ask of all when it settles: the greatest counts.
  enum Wish : std::int64_t { kNoWish, kStatistics, kEndEarly };

  /// Throws on every rank what kept the search from its end, if anything did; else tells rank 0's
  /// caller what the workers did.
  template <class Executor>
  void agree_on_end(const Executor& executor, Balancer::Outcome outcome,
                    const std::optional<SnapshotFolder>& snapshots) {
    if (snapshots && options_.checkpoint->report != nullptr) {
      *options_.checkpoint->report = {.resumed_from = snapshots->resumed_from(),
                                      .written = snapshots->written(),
                                      .resting_ns = executor.snapshots_ns()};
    }
    blocks_.take_failure(executor.failure());
    const bool is_stopped = outcome != Balancer::Outcome::done || !executor.refusal().empty();
    const bool tells = options_.stealing.statistics != nullptr;
    const std::int64_t wish = agree_on_failure(comm_, blocks_,
                                               is_stopped ? kEndEarly
                                               : tells    ? kStatistics
                                                          : kNoWish);
    if (wish == kEndEarly) {
      const std::string kept =
          comm_.bcast(snapshots && snapshots->written() > 0
                          ? "; " + options_.checkpoint->folder.string() + " holds a snapshot"
                          : "",
                      0);
      refuse(executor.refusal().empty() ? "" : executor.refusal() + kept);
      throw Interrupted("stopped before the search was done" + kept);
    }
    if (wish == kStatistics) {
      tell(executor.statistics());
    }
  }

  /// Every rank throws the refusal of the lowest rank that has one, if any has.
  void refuse(const std::string& refusal) const {
    agree(comm_, [&] {
      if (!refusal.empty()) {
        throw Error(refusal);
      }
    });
  }

  /// Gathers what all workers did where rank 0's caller asks for it.
  void tell(const Statistics& mine) const {
    Statistics all(comm_.rank() == 0 ? mine.size() * comm_.size() : 0);
    comm_.gather(std::as_bytes(std::span(mine)), std::as_writable_bytes(std::span(all)));
    if (options_.stealing.statistics != nullptr) {
      *options_.stealing.statistics = std::move(all);
    }
  }

  /// Combines all ranks' solutions, on rank 0, along a binomial tree.
  std::optional<Solution> fold(std::optional<Solution> mine) {
    Link<App> link(comm_, blocks_);
    for (int step = 1; step < comm_.size(); step *= 2) {
      const Level level{0, comm_.size()};
      if ((comm_.rank() & step) != 0) {
        link.give(comm_.rank() - step, mine, level, Sizes{});
        break;
      }
      if (comm_.rank() + step < comm_.size()) {
        auto theirs = link.template get<Solution>(comm_.rank() + step, level);
        if (mine && theirs) {
          mine = blocks_.combine(*std::move(mine), *std::move(theirs), Sizes{}, level);
        }
      }
    }
    return mine;
  }

  /// Rank 0's solution, on every rank where the placement says so, unless rank 0 refuses it or a
  /// rank has failed; then there may be none.
  Solution distribute(std::optional<Solution> solution, const std::string& refusal) {
    if (solution && comm_.rank() == 0 && blocks_.recorder() != nullptr) {
      blocks_.recorder()->add_run_sizes(blocks_.solution_sizes(*solution));
    }
    if (traits_of(options_.placement).solution == Holders::all) {
      bcast(solution);
    } else if (comm_.rank() != 0) {
      solution = Solution{};
    }
    if (agree_on_failure(comm_, blocks_, refusal.empty() ? kNoWish : kEndEarly) == kEndEarly) {
      refuse(refusal);
    }
    return *std::move(solution);
  }

  /// Rank 0's solution to all, along a binomial tree.
  void bcast(std::optional<Solution>& solution) {
    Link<App> link(comm_, blocks_);
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
        solution = link.template get<Solution>(comm_.rank() - step, level);
      }
    }
  }

  const App& app_;
  const CallOptions& options_;
  Comm comm_;
  Blocks<App> blocks_;
};

template <class App>
typename App::Solution solve_by_work_stealing(const App& app, typename App::Problem problem,
                                              const CallOptions& options) {
  if (options.stealing.threads < 1) {
    throw Error("work stealing needs at least one thread");
  }
  if (traits_of(options.placement).problem == Holders::parts) {
    throw Error(
        "work stealing takes its problem from rank 0 (rooted) or from every rank (replicated), not "
        "in parts (distributed)");
  }
  if constexpr (TreeSearch<App>) {
    return WorkStealing<App>(app, options).search(std::move(problem));
  } else if constexpr (!Transferable<typename App::Problem>) {
    throw Error(
        "work stealing sends problems to other ranks, and this application's Problem cannot cross: "
        "it holds a pointer, a view or a type without a wire");
  } else if constexpr (DeclaredCommutative<App>) {
    const Reduction<App> reduction{app};
    return WorkStealing<Reduction<App>>(reduction, options)
        .search(std::move(problem))
        .value_or(typename App::Solution{});
  } else {
    return WorkStealing<App>(app, options).fork_and_join(std::move(problem));
  }
}

}  // namespace cleave::detail
