// SPDX-License-Identifier: Apache-2.0
// The hypercube executor: makes a rank's steps of the schedule (schedule.hpp) with values. The
// steps of the sorting form are in split_parts.hpp.
//
// Who sends a message to whom at which level depends on the number of ranks alone, never on the
// data or on failures. A rank that has nothing to say sends a header that says so: it has failed,
// or its group's problem was conquered higher up. So nothing hangs.
#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <cleave/dc_call.hpp>
#include <cleave/error.hpp>
#include <cleave/kernel/link.hpp>

namespace cleave::detail {

namespace {

class Hypercube {
 public:
  Hypercube(const AnyApp& app, const CallOptions& options, const Messages& ranks,
            const Solver& solver)
      : app_(app),
        options_(options),
        comm_(ranks),
        blocks_(app, options, solver),
        link_(comm_, blocks_),
        split_parts_(app.part_steps(comm_, blocks_)),
        way_(way_for(options.placement, app.traits())),
        schedule_(schedule_of(way_, comm_.size(), comm_.rank())),
        divided_(static_cast<std::size_t>(schedule_.groups.back().level) + 1) {}

  ErasedValue solve(const Given& given) {
    if (way_ != Way::rooted || comm_.rank() == 0) {
      problem_ = blocks_.attempt("Problem", Level{}, [&] { return list_of(given()); });
      if (problem_ && (way_ == Way::replicated || way_ == Way::rooted)) {
        blocks_.add_run_sizes(blocks_.problem_sizes(*problem_));
      }
    }
    for (const Step& step : schedule_.steps) {
      const ScheduledGroup& group = schedule_.groups[static_cast<std::size_t>(step.group)];
      comm_.begin(step, group.level);
      make(step, group.ranks, {group.level, group.ranks.size});
    }
    return std::move(solution_.value().front());
  }

 private:
  /// The state of a group's problem.
  struct Divided {
    Sizes sizes;                      ///< of the problem
    std::optional<Values> conquered;  ///< if it was trivial
    Kept kept;
  };

  void make(const Step& step, Group group, Level level) {
    switch (step.kind) {
      case Step::Kind::work:
        return work(step, group, level);
      case Step::Kind::move:
        if (step.what == Step::What::problem) {
          move(step, group, level, other_half_, problem_);
          other_half_.reset();
          return;
        }
        if (step.what == Step::What::solution) {
          move(step, group, level, solution_, theirs_);
          if (step.ranks == Step::Ranks::first && comm_.rank() != group.first) {
            solution_.reset();  // the first rank goes on with it
          }
          return;
        }
        break;
      case Step::Kind::agree:
        if (step.what == Step::What::failure) {
          end();
        }
        return;  // on the call all have agreed already (call.cpp)
      case Step::Kind::tell_all:
      case Step::Kind::choose:
        break;
    }
    split_parts_->make(step, group, level, problem_);
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
          solution_ = blocks_.solve(*std::exchange(problem_, std::nullopt), level);
        }
        return;
      default:
        split_parts_->make(step, group, level, problem_);
    }
  }

  /// Without a problem there is nothing to do here or below: it is conquered, or this rank failed.
  void divide(Group group, Level level) {
    if (!problem_) {
      return;
    }
    Values problem = *std::exchange(problem_, std::nullopt);
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
      solution_ = std::exchange(conquered, std::nullopt);
    } else if (solution_ && theirs_) {
      const bool is_left = group.left().contains(comm_.rank());
      Values& left = is_left ? *solution_ : *theirs_;
      Values& right = is_left ? *theirs_ : *solution_;
      if (kept.empty() && app_.traits().is_distributable) {
        kept.emplace_back();  // parts that no rank has divided
      }
      solution_ = blocks_.combine(std::move(left), std::move(right), sizes, level, kept);
    } else {
      solution_.reset();
    }
    theirs_.reset();
  }

  /// Gives `mine`, gets `theirs`, or both, by this rank's side of the step. Either may be empty.
  void move(const Step& step, Group group, Level level, const std::optional<Values>& mine,
            std::optional<Values>& theirs) {
    const bool is_left = group.left().contains(comm_.rank());
    const auto direction = step.flow == Step::Flow::both ? Link::Direction::both
                           : step.flow == (is_left ? Step::Flow::to_left : Step::Flow::to_right)
                               ? Link::Direction::in
                               : Link::Direction::out;
    const bool is_problem = step.what == Step::What::problem;
    const Sizes sizes = !mine || direction == Link::Direction::in ? Sizes{}
                        : is_problem                              ? blocks_.problem_sizes(*mine)
                                                                  : blocks_.solution_sizes(*mine);
    const AppTraits& traits = app_.traits();
    auto got = link_.transfer(*other_of(comm_.rank(), step.ranks, group), direction, mine,
                              is_problem ? traits.problem : traits.solution, level, sizes);
    if (direction != Link::Direction::out) {
      theirs = std::move(got);
    }
  }

  /// Afterwards every rank has what it gets.
  void end() {
    if (comm_.rank() == 0 && solution_) {
      blocks_.add_run_sizes(blocks_.solution_sizes(*solution_));
    } else if (!solution_) {
      solution_ = blocks_.no_solution();
    }
    const std::string reason = reason_of_end();
    if (agree_on_failure(comm_, blocks_, reason.empty() ? 0 : 1) != 0) {
      tell_or_throw({.reason = text_of_any(comm_, reason)}, options_.stealing);
    }
  }

  /// Why a search ended early, as this rank knows: a limit of its part, or too many nodes of all.
  std::string reason_of_end() {
    if (!app_.traits().searches) {
      return "";
    }
    const std::optional<EndedEarly>* const ended = options_.stealing.ended_early;
    return ended != nullptr && *ended ? (*ended)->reason
           : solution_                ? blocks_.refusal_of(solution_->front())
                                      : "";
  }

  const AnyApp& app_;
  const CallOptions& options_;
  const Messages& comm_;
  Blocks blocks_;
  Link link_;
  const std::unique_ptr<PartSteps> split_parts_;
  const Way way_;
  const Schedule schedule_;
  std::vector<Divided> divided_;  ///< by level

  std::optional<Values> problem_;  ///< of this rank's group, as far as this rank has it
  std::optional<Values> other_half_;
  std::optional<Values> solution_;  ///< of this rank's group
  std::optional<Values> theirs_;    ///< of the other half
};

}  // namespace

ErasedValue solve_on_hypercube(const AnyApp& app, const CallOptions& options, const Messages& ranks,
                               const Solver& solver, const Given& given) {
  return Hypercube(app, options, ranks, solver).solve(given);
}

Way way_for(Placement asked, const AppTraits& application) {
  if (!application.runs_on_hypercube) {
    throw Error(
        "the hypercube runs no search: take work_stealing, or give it `divide` in halves as well");
  }
  const Way way = way_of(asked, application.splits_parts);
  if (!application.is_distributable && asked == Placement::distributed) {
    throw Error(fmt::format(
        "placement {} is not for this application: it does not say how parts of a problem are "
        "solved together (application.hpp, Distributable)",
        name_of(asked)));
  }
  if (application.problem.make == nullptr && moves_problems(way)) {
    throw Error(fmt::format(
        "placement {} sends problems to other ranks, and this application's Problem cannot cross: "
        "it holds a pointer, a view, a C array or a type without a wire",
        name_of(asked)));
  }
  return way;
}

}  // namespace cleave::detail
