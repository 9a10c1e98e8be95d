// SPDX-License-Identifier: Apache-2.0
// The hypercube executor: makes a rank's steps of the schedule (schedule.hpp) with values. The
// ranks of a communicator are halved at each level of the recursion, and each rank ends with a
// subproblem of its own. Any number of ranks (group.hpp). The steps of the sorting form are in
// split_parts.hpp.
//
// Who sends a message to whom at which level depends on the number of ranks alone, never on the
// data or on failures. A rank that has nothing to say sends a header that says so: it has failed,
// or its group's problem was conquered higher up. So nothing hangs.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cleave/application.hpp>
#include <cleave/blocks/agree_on_call.hpp>
#include <cleave/blocks/agree_on_failure.hpp>
#include <cleave/blocks/blocks.hpp>
#include <cleave/blocks/call_options.hpp>
#include <cleave/blocks/link.hpp>
#include <cleave/comm.hpp>
#include <cleave/comm/messages.hpp>
#include <cleave/error.hpp>
#include <cleave/hypercube/split_parts.hpp>
#include <cleave/schedule/schedule.hpp>
#include <cleave/tree_search.hpp>
#include <cleave/wire.hpp>

namespace cleave::detail {

/// One DC_Call on one rank.
template <DividesInHalves App>
class Hypercube {
 public:
  using Problem = typename App::Problem;
  using Solution = typename App::Solution;

  /// \param comm  this rank among the others; must outlive this
  /// \param way   that the application can go
  /// \param leaf  solves this rank's own part, unless it is empty
  Hypercube(const App& app, const CallOptions& options, const Messages& comm, Way way,
            Leaf<App> leaf = nullptr)
      : app_(app),
        options_(options),
        comm_(comm),
        blocks_(app, options, std::move(leaf)),
        link_(comm_, blocks_),
        split_parts_(comm_, blocks_),
        schedule_(schedule_of(way, comm_.size(), comm_.rank())),
        divided_(static_cast<std::size_t>(schedule_.groups.back().level) + 1) {}

  /// \param given    makes what this rank has of the problem
  /// \param holders  who has it; what other ranks have counts for nothing
  /// \return  what this rank gets; default-constructed where that is nothing
  template <class Given>
  Solution solve(Given&& given, Holders holders) {
    if (holders != Holders::root || comm_.rank() == 0) {
      problem_ = blocks_.attempt("Problem", Level{}, given);
      if (problem_ && holders != Holders::parts) {
        add_run_sizes(blocks_.problem_sizes(*problem_));
      }
    }
    for (const Step& step : schedule_.steps) {
      const ScheduledGroup& group = schedule_.groups[static_cast<std::size_t>(step.group)];
      comm_.begin(step, group.level);
      make(step, group.ranks, {group.level, group.ranks.size});
    }
    return std::move(solution_).value();
  }

 private:
  /// What became of a group's problem.
  struct Divided {
    Sizes sizes;                        ///< of the problem
    std::optional<Solution> conquered;  ///< if it was trivial
    KeptOf<App> kept;
  };

  void make(const Step& step, Group group, Level level) {
    switch (step.kind) {
      case Step::Kind::work:
        return work(step, group, level);
      case Step::Kind::move:
        if (step.what == Step::What::problem) {
          return move_problem(step, group, level);
        }
        if (step.what == Step::What::solution) {
          return move_solution(step, group, level);
        }
        break;
      case Step::Kind::agree:
        if (step.what == Step::What::failure) {
          end();
        }
        return;  // on the call all have agreed already, or do with their first message (call.hpp)
      case Step::Kind::tell_all:
      case Step::Kind::choose:
        break;
    }
    split_parts_.make(step, group, level, problem_);
  }

  void work(const Step& step, Group group, Level level) {
    other_half_.reset();  // what nobody was sent is not for this rank
    switch (step.block) {
      case Block::divide:
        return divide(group, level);
      case Block::combine:
        return combine(group, level);
      case Block::sequential:
        if (problem_) {
          solution_ = blocks_.solve(*std::move(problem_), level);
          problem_.reset();
        }
        return;
      default:
        split_parts_.make(step, group, level, problem_);
    }
  }

  /// Without a problem there is nothing to do here or below: it was conquered higher up, or this
  /// rank has failed.
  void divide(Group group, Level level) {
    if (!problem_) {
      return;
    }
    Problem problem = *std::move(problem_);
    problem_.reset();
    auto& [sizes, conquered, kept] = divided_[static_cast<std::size_t>(level.index)];
    sizes = blocks_.problem_sizes(problem);
    const std::optional<bool> is_trivial = blocks_.trivial(problem, level);
    if (is_trivial && *is_trivial) {
      conquered = blocks_.conquer(std::move(problem), level);
    } else if (is_trivial) {
      auto halves = blocks_.divide(std::move(problem), group.share(), sizes, level, kept);
      if (halves) {
        const bool is_left = group.left().contains(comm_.rank());
        problem_ = std::move(is_left ? halves->left : halves->right);
        other_half_ = std::move(is_left ? halves->right : halves->left);
      }
    }
  }

  void combine(Group group, Level level) {
    auto& [sizes, conquered, kept] = divided_[static_cast<std::size_t>(level.index)];
    if (conquered) {
      solution_ = std::move(conquered);
    } else if (solution_ && theirs_) {
      const bool is_left = group.left().contains(comm_.rank());
      std::optional<Solution>& left = is_left ? solution_ : theirs_;
      std::optional<Solution>& right = is_left ? theirs_ : solution_;
      solution_ = blocks_.combine(*std::move(left), *std::move(right), sizes, level, kept);
    } else {
      solution_.reset();
    }
    theirs_.reset();
  }

  void move_problem(const Step& step, Group group, Level level) {
    if constexpr (Transferable<Problem>) {
      move(step, group, level, other_half_, problem_,
           [this](const Problem& problem) { return blocks_.problem_sizes(problem); });
      other_half_.reset();
    }
  }

  void move_solution(const Step& step, Group group, Level level) {
    move(step, group, level, solution_, theirs_,
         [this](const Solution& solution) { return blocks_.solution_sizes(solution); });
    if (step.ranks == Step::Ranks::first && comm_.rank() != group.first) {
      solution_.reset();  // the first rank goes on with it
    }
  }

  /// Gives `mine`, gets `theirs`, or both, by this rank's side of the step. Either may be empty.
  template <class T, class SizesOf>
  void move(const Step& step, Group group, Level level, const std::optional<T>& mine,
            std::optional<T>& theirs, SizesOf&& sizes_of) {
    const int other = *other_of(comm_.rank(), step.ranks, group);
    const bool is_left = group.left().contains(comm_.rank());
    if (step.flow == (is_left ? Step::Flow::to_left : Step::Flow::to_right)) {
      theirs = link_.get<T>(other, level);
      return;
    }
    const Sizes sizes = mine ? sizes_of(*mine) : Sizes{};
    if (step.flow == Step::Flow::both) {
      theirs = link_.swap(other, mine, level, sizes);
    } else {
      link_.give(other, mine, level, sizes);
    }
  }

  /// Afterwards every rank has what it gets.
  void end() {
    if (comm_.rank() == 0 && solution_) {
      add_run_sizes(blocks_.solution_sizes(*solution_));
    } else if (!solution_) {
      solution_ = blocks_.no_solution();
    }
    const std::string reason = reason_of_end();
    if (agree_on_failure(comm_, blocks_, reason.empty() ? 0 : 1) != 0) {
      tell_or_throw({.reason = text_of_any(comm_, reason)}, options_.stealing);
    }
  }

  /// Why a search ended early, as far as this rank knows: its own part met a limit, or all parts
  /// together have too many nodes.
  std::string reason_of_end() {
    if constexpr (TreeSearch<App>) {
      const std::optional<EndedEarly>* const ended = options_.stealing.ended_early;
      if (ended != nullptr && *ended) {
        return (*ended)->reason;
      }
      if (solution_) {
        return blocks_.refusal_of(*solution_);
      }
    }
    return "";
  }

  void add_run_sizes(const Sizes& sizes) {
    if (blocks_.recorder() != nullptr) {
      blocks_.recorder()->add_run_sizes(sizes);
    }
  }

  const App& app_;
  const CallOptions& options_;
  const Messages& comm_;
  Blocks<App> blocks_;
  Link link_;
  SplitParts<App> split_parts_;
  Schedule schedule_;
  std::vector<Divided> divided_;  ///< by level

  std::optional<Problem> problem_;  ///< of this rank's group, as far as this rank has it
  std::optional<Problem> other_half_;
  std::optional<Solution> solution_;  ///< of this rank's group
  std::optional<Solution> theirs_;    ///< of the other half
};

/// What the way of a placement depends on.
struct WayTraits {
  bool splits_parts = false;
  bool is_distributable = false;
  bool problem_crosses = false;
};

/// \throws Error  if the application cannot go the way of the placement
Way way_for(Placement asked, const WayTraits& application);
template <DividesInHalves App>
Way way_for(Placement asked) {
  return way_for(asked, {.splits_parts = SplitsParts<App> && !MergesParts<App>,
                         .is_distributable = Distributable<App>,
                         .problem_crosses = Transferable<typename App::Problem>});
}

/// \param call  what the first message tells (agree_on_call.hpp); none where all have agreed
/// \throws Error  on every rank, if the application cannot go the way of the placement
template <DividesInHalves App, class Given>
typename App::Solution solve_given(const App& app, Given&& given, const CallOptions& options,
                                   Leaf<App> leaf, const CallIdentity* call) {
  const Way way = way_for<App>(options.placement);
  const CallMessages comm(Comm(options.comm), call);
  return Hypercube<App>(app, options, comm, way, std::move(leaf))
      .solve(std::forward<Given>(given), traits_of(options.placement).problem);
}

/// The same leaf, of the problems in a list.
template <class App>
Leaf<InHalves<App>> leaf_of_list(Leaf<App> leaf) {
  if (!leaf) {
    return nullptr;
  }
  return [leaf = std::move(leaf)](typename InHalves<App>::Problem list) {
    return InHalves<App>::solve_each(std::move(list), leaf);
  };
}

/// The same of a problem that is there, in lists where it must be.
/// \param leaf  solves a rank's own part that is not trivial, unless it is empty
template <RunsOnHypercube App>
typename App::Solution solve_on_hypercube(const App& app, typename App::Problem problem,
                                          const CallOptions& options, Leaf<App> leaf,
                                          const CallIdentity* call = nullptr) {
  if constexpr (DividesInHalves<App>) {
    return solve_given(
        app, [&] { return std::move(problem); }, options, std::move(leaf), call);
  } else {
    using Lists = InHalves<App>;
    auto list = solve_given(
        Lists(app), [&] { return Lists::list_of(std::move(problem)); }, options,
        leaf_of_list<App>(std::move(leaf)), call);
    return std::move(list.front());
  }
}

}  // namespace cleave::detail
