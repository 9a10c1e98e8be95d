// SPDX-License-Identifier: Apache-2.0
// The hypercube executor: the ranks of a communicator are halved at each level of the recursion,
// and each rank ends with a subproblem of its own. Any number of ranks (group.hpp).
//
// Replicated placement (the published form): every rank holds the problem, divides it on its own
// and keeps the half of its side. On the way up partners swap solutions and both combine. Rooted
// placement: the first rank of a group holds its problem, divides it and sends the right half to
// the first rank of the right half. On the way up that rank sends its solution back. Distributed
// placement: every rank holds a part of the problem. Where the application merges parts, each is
// solved as it lies, and the way up is that of the replicated placement. Where it splits parts, see
// split_parts.hpp.
//
// Who sends a message to whom at which level depends on the number of ranks alone, never on the
// data or on failures. A rank that has nothing to say sends a header that says so. So nothing
// hangs.
#pragma once

#include <optional>
#include <utility>

#include <cleave/application.hpp>
#include <cleave/blocks/agree_on_failure.hpp>
#include <cleave/blocks/blocks.hpp>
#include <cleave/blocks/call_options.hpp>
#include <cleave/blocks/link.hpp>
#include <cleave/comm.hpp>
#include <cleave/error.hpp>
#include <cleave/hypercube/split_parts.hpp>
#include <cleave/schedule/group.hpp>
#include <cleave/wire.hpp>

namespace cleave::detail {

/// One DC_Call on one rank.
template <DivideAndConquer App>
class Hypercube {
 public:
  using Problem = typename App::Problem;
  using Solution = typename App::Solution;

  Hypercube(const App& app, const CallOptions& options)
      : comm_(options.comm), blocks_(app, options), link_(comm_, blocks_) {}

  /// Every rank passes the same problem and gets the solution.
  Solution solve_replicated(Problem problem) {
    add_run_sizes(blocks_.problem_sizes(problem));
    return agreed(replicated(std::move(problem), whole(), 0));
  }

  /// The problem of rank 0 counts; the other ranks get a default-constructed solution.
  Solution solve_rooted(Problem problem)
    requires Transferable<Problem>
  {
    std::optional<Problem> mine;
    if (comm_.rank() == 0) {
      add_run_sizes(blocks_.problem_sizes(problem));
      mine = std::move(problem);
    }
    std::optional<Solution> solution = rooted(std::move(mine), whole(), 0);
    if (comm_.rank() != 0) {
      solution = Solution{};
    }
    return agreed(std::move(solution));
  }

  /// Every rank passes its part of the problem and gets the whole solution. The run's sizes are
  /// those of the solution.
  Solution solve_merging(Problem part)
    requires MergesParts<App>
  {
    return agreed(merged(std::move(part), whole(), 0));
  }

  /// Every rank passes its part of the problem and gets its part of the solution.
  Solution solve_splitting(Problem part)
    requires SplitsParts<App>
  {
    return agreed(SplitParts<App>(comm_, blocks_).solve(std::move(part)));
  }

 private:
  Group whole() const { return {.first = 0, .size = comm_.size()}; }

  /// What became of a group's problem: conquered, divided, or neither if there was none or a
  /// functor has failed.
  struct Opened {
    Sizes sizes;  ///< of the problem
    std::optional<Solution> conquered;
    std::optional<Problem> left;
    std::optional<Problem> right;
  };

  Opened open(std::optional<Problem> problem, Group group, Place place) {
    Opened opened;
    if (!problem) {
      return opened;
    }
    opened.sizes = blocks_.problem_sizes(*problem);
    const std::optional<bool> is_trivial = blocks_.trivial(*problem, place);
    if (is_trivial && *is_trivial) {
      opened.conquered = blocks_.conquer(*std::move(problem), place);
    } else if (is_trivial) {
      auto halves = blocks_.divide(*std::move(problem), group.share(), opened.sizes, place);
      if (halves) {
        opened.left = std::move(halves->left);
        opened.right = std::move(halves->right);
      }
    }
    return opened;
  }

  /// Taken out of `opened`. The other half takes no memory while this one is solved.
  std::optional<Problem> half_of_this_rank(Opened& opened, Group group) {
    std::optional<Problem> half =
        std::move(group.left().contains(comm_.rank()) ? opened.left : opened.right);
    opened.left.reset();
    opened.right.reset();
    return half;
  }

  /// No problem means that there is nothing to do here or below: it was conquered higher up, or
  /// this rank has failed. The levels below are walked all the same, for their headers.
  std::optional<Solution> replicated(std::optional<Problem> problem, Group group, int level) {
    const Place place{level, group.size};
    if (group.size == 1) {
      return problem ? blocks_.solve(*std::move(problem), place) : std::nullopt;
    }
    Opened opened = open(std::move(problem), group, place);
    std::optional<Solution> solution =
        replicated(half_of_this_rank(opened, group), group.half_of(comm_.rank()), level + 1);
    std::optional<Solution> theirs = swap(solution, group, place);
    return opened.conquered
               ? std::move(opened.conquered)
               : combine(std::move(solution), std::move(theirs), opened.sizes, group, place);
  }

  std::optional<Solution> merged(Problem part, Group group, int level) {
    const Place place{level, group.size};
    if (group.size == 1) {
      return blocks_.solve(std::move(part), place);
    }
    std::optional<Solution> solution =
        merged(std::move(part), group.half_of(comm_.rank()), level + 1);
    std::optional<Solution> theirs = swap(solution, group, place);
    return combine(std::move(solution), std::move(theirs), Sizes{}, group, place);
  }

  /// The solution of the other half, from this rank's partner in it.
  std::optional<Solution> swap(const std::optional<Solution>& mine, Group group, Place place) {
    const Sizes sizes = mine ? blocks_.solution_sizes(*mine) : Sizes{};
    const std::optional<int> partner = partner_of(comm_.rank(), group);
    if (!partner) {
      return link_.template get<Solution>(giver_to_last(group), place);
    }
    std::optional<Solution> theirs = link_.swap(*partner, mine, place, sizes);
    const std::optional<int> last = rank_without_partner(group);
    if (last && comm_.rank() == giver_to_last(group)) {
      link_.give(*last, mine, place, sizes);
    }
    return theirs;
  }

  /// Only the first rank of a group has its problem, and gets its solution.
  std::optional<Solution> rooted(std::optional<Problem> problem, Group group, int level)
    requires Transferable<Problem>
  {
    const Place place{level, group.size};
    if (group.size == 1) {
      return problem ? blocks_.solve(*std::move(problem), place) : std::nullopt;
    }
    const int first = group.first;
    const int first_of_right = group.right().first;
    Opened opened = open(std::move(problem), group, place);
    if (comm_.rank() == first) {
      link_.give(first_of_right, opened.right, place,
                 opened.right ? blocks_.problem_sizes(*opened.right) : Sizes{});
      opened.right.reset();
    }
    std::optional<Problem> mine = comm_.rank() == first_of_right
                                      ? link_.template get<Problem>(first, place)
                                      : std::move(opened.left);
    std::optional<Solution> solution =
        rooted(std::move(mine), group.half_of(comm_.rank()), level + 1);
    if (comm_.rank() == first_of_right) {
      link_.give(first, solution, place, solution ? blocks_.solution_sizes(*solution) : Sizes{});
      return std::nullopt;
    }
    if (comm_.rank() != first) {
      return std::nullopt;
    }
    std::optional<Solution> theirs = link_.template get<Solution>(first_of_right, place);
    return opened.conquered
               ? std::move(opened.conquered)
               : combine(std::move(solution), std::move(theirs), opened.sizes, group, place);
  }

  std::optional<Solution> combine(std::optional<Solution> mine, std::optional<Solution> theirs,
                                  const Sizes& sizes, Group group, Place place) {
    if (!mine || !theirs) {
      return std::nullopt;
    }
    if (!group.left().contains(comm_.rank())) {
      std::swap(mine, theirs);
    }
    return blocks_.combine(*std::move(mine), *std::move(theirs), sizes, place);
  }

  /// The agreement at the end.
  Solution agreed(std::optional<Solution> solution) {
    agree_on_failure(comm_, blocks_);
    if (comm_.rank() == 0) {
      add_run_sizes(blocks_.solution_sizes(*solution));
    }
    return std::move(solution).value();
  }

  void add_run_sizes(const Sizes& sizes) {
    if (blocks_.recorder() != nullptr) {
      blocks_.recorder()->add_run_sizes(sizes);
    }
  }

  Comm comm_;
  Blocks<App> blocks_;
  Link<App> link_;
};

template <DivideAndConquer App>
typename App::Solution solve_on_hypercube(const App& app, typename App::Problem problem,
                                          const CallOptions& options) {
  Hypercube<App> hypercube(app, options);
  if (options.placement == Placement::replicated) {
    return hypercube.solve_replicated(std::move(problem));
  }
  if (options.placement == Placement::distributed) {
    if constexpr (MergesParts<App>) {
      return hypercube.solve_merging(std::move(problem));
    } else if constexpr (SplitsParts<App>) {
      return hypercube.solve_splitting(std::move(problem));
    } else {
      throw Error(
          "placement distributed is not for this application: it does not say how parts of a "
          "problem are solved together (application.hpp, Distributable)");
    }
  }
  if constexpr (Transferable<typename App::Problem>) {
    return hypercube.solve_rooted(std::move(problem));
  } else {
    throw Error(
        "placement rooted sends problems to other ranks, and this application's Problem cannot "
        "cross: it holds a pointer, a view or a type without a wire");
  }
}

}  // namespace cleave::detail
