// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <utility>

#include <cleave/schedule/schedule.hpp>

namespace cleave::detail {

namespace {

using Kind = Step::Kind;
using Ranks = Step::Ranks;
using What = Step::What;
using Flow = Step::Flow;

/// All groups, or those of `rank` and their halves.
std::vector<ScheduledGroup> groups_of(int ranks, std::optional<int> rank) {
  std::vector<ScheduledGroup> groups;
  groups.push_back({.ranks = {.first = 0, .size = ranks}});
  for (std::size_t i = 0; i < groups.size(); ++i) {
    const ScheduledGroup group = groups[i];
    if (group.ranks.size > 1 && (!rank || group.ranks.contains(*rank))) {
      groups[i].left = static_cast<int>(groups.size());
      for (const Group half : {group.ranks.left(), group.ranks.right()}) {
        groups.push_back({.ranks = half, .level = group.level + 1, .parent = static_cast<int>(i)});
      }
    }
  }
  return groups;
}

class Scheduler {
 public:
  /// \param rank  whose steps are wanted; all ranks' without it
  Scheduler(Way way, int ranks, std::optional<int> rank)
      : way_(way), rank_(rank), schedule_{.groups = groups_of(ranks, rank), .steps = {}} {}

  Schedule schedule() && {
    if (ranks_of(0).size > 1) {
      add({Kind::agree, Block::wait, 0, Ranks::all, What::call});
    }
    if (way_ == Way::splitting) {
      tell_all(0, What::length, kPartBytes);
    }
    solve(0);
    add({Kind::agree, Block::wait, 0, Ranks::all, What::failure});
    return std::move(schedule_);
  }

 private:
  void solve(int group) {
    if (ranks_of(group).size == 1) {
      work(Block::sequential, group);
      return;
    }
    switch (way_) {
      case Way::rooted:
        work(Block::divide, group, Ranks::first);
        move(group, Ranks::first, What::problem, Flow::to_right);
        solve_halves(group);
        move(group, Ranks::first, What::solution, Flow::to_left);
        work(Block::combine, group, Ranks::first);
        break;
      case Way::replicated:
        work(Block::divide, group);
        [[fallthrough]];
      case Way::merging:
        solve_halves(group);
        swap_solutions(group);
        work(Block::combine, group);
        break;
      case Way::splitting:
        work(Block::sample, group);
        tell_all(group, What::status, kStatusBytes);
        add({Kind::choose, Block::pivot, group});
        work(Block::partition, group);
        tell_all(group, What::cut, kReportBytes);
        move(group, Ranks::all, What::part, Flow::both);
        solve_halves(group);
        break;
    }
  }

  void solve_halves(int group) {
    const int left = schedule_.groups[static_cast<std::size_t>(group)].left;
    for (const int half : {left, left + 1}) {
      if (!rank_ || ranks_of(half).contains(*rank_)) {
        solve(half);
      }
    }
  }

  /// Afterwards every rank of the group has the solutions of both halves.
  void swap_solutions(int group) {
    move(group, Ranks::all, What::solution, Flow::both);
    if (ranks_of(group).size % 2 == 1) {
      move(group, Ranks::last, What::solution, Flow::to_right);
    }
  }

  void work(Block block, int group, Ranks ranks = Ranks::all) {
    add({Kind::work, block, group, ranks});
  }

  void move(int group, Ranks ranks, What what, Flow flow) {
    add({Kind::move, Block::exchange, group, ranks, what, flow});
  }

  void tell_all(int group, What what, std::size_t bytes) {
    add({Kind::tell_all, Block::wait, group, Ranks::all, what, Flow::both, bytes});
  }

  void add(const Step& step) {
    const Group group = ranks_of(step.group);
    const bool is_of_pairs = step.kind == Kind::move && step.what != What::part;
    if (!rank_ || (is_of_pairs ? other_of(*rank_, step.ranks, group).has_value()
                               : step.ranks == Ranks::all || *rank_ == group.first)) {
      schedule_.steps.push_back(step);
    }
  }

  Group ranks_of(int group) const {
    return schedule_.groups[static_cast<std::size_t>(group)].ranks;
  }

  Way way_;
  std::optional<int> rank_;
  Schedule schedule_;
};

}  // namespace

Way way_of(Placement placement, bool splits) {
  constexpr std::array kWays = {Way::replicated, Way::rooted, Way::merging};
  return placement == Placement::distributed && splits ? Way::splitting
                                                       : kWays[static_cast<std::size_t>(placement)];
}

std::optional<Way> way_of(std::string_view placement, bool splits) {
  const auto found = std::ranges::find(kPlacementNames, placement);
  return found == std::end(kPlacementNames)
             ? std::nullopt
             : std::optional(way_of(Placement(found - kPlacementNames), splits));
}

Schedule schedule_of(Way way, int ranks, std::optional<int> rank) {
  return Scheduler(way, ranks, rank).schedule();
}

}  // namespace cleave::detail
