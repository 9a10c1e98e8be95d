// SPDX-License-Identifier: Apache-2.0
#include <cleave/schedule/messages.hpp>
#include <cleave/schedule/schedule.hpp>

namespace cleave::detail {

namespace {

class Scheduler {
 public:
  explicit Scheduler(Way way) : way_(way) {}

  Schedule schedule(int ranks) && {
    schedule_.groups.push_back({.ranks = {.first = 0, .size = ranks}});
    agree();
    if (way_ == Way::splitting) {
      tell_all(0, kPartBytes);
    }
    solve(0);
    agree();
    return std::move(schedule_);
  }

 private:
  void solve(int group) {
    const Group ranks = ranks_of(group);
    if (ranks.size == 1) {
      work(Block::sequential, group, ranks);
      return;
    }
    open(group);
    const int left = add_half(group, ranks.left());
    schedule_.groups[static_cast<std::size_t>(group)].left = left;
    const int right = add_half(group, ranks.right());
    solve(left);
    solve(right);
    close(group);
  }

  /// What a group does before its halves are solved.
  void open(int group) {
    const Group ranks = ranks_of(group);
    switch (way_) {
      case Way::replicated:
        work(Block::divide, group, ranks);
        break;
      case Way::rooted:
        work(Block::divide, group, {.first = ranks.first, .size = 1});
        move(Step::Kind::send, group, ranks.first, ranks.right().first, false);
        break;
      case Way::merging:
        break;
      case Way::splitting:
        work(Block::sample, group, ranks);
        tell_all(group, kStatusBytes);
        schedule_.steps.push_back(
            {.kind = Step::Kind::choose, .block = Block::pivot, .group = group});
        work(Block::partition, group, ranks);
        tell_all(group, kReportBytes);
        schedule_.steps.push_back(
            {.kind = Step::Kind::exchange, .block = Block::exchange, .group = group});
        break;
    }
  }

  /// What a group does once its halves are solved.
  void close(int group) {
    const Group ranks = ranks_of(group);
    switch (way_) {
      case Way::replicated:
      case Way::merging:
        swap_solutions(group);
        work(Block::combine, group, ranks, true);
        break;
      case Way::rooted:
        move(Step::Kind::send, group, ranks.right().first, ranks.first, true);
        work(Block::combine, group, {.first = ranks.first, .size = 1}, true);
        break;
      case Way::splitting:
        break;
    }
  }

  void swap_solutions(int group) {
    const Group ranks = ranks_of(group);
    for (int rank = ranks.first; rank < ranks.first + ranks.left().size; ++rank) {
      move(Step::Kind::swap, group, rank, *partner_of(rank, ranks), true);
    }
    if (const std::optional<int> last = rank_without_partner(ranks)) {
      move(Step::Kind::send, group, giver_to_last(ranks), *last, true);
    }
  }

  void work(Block block, int group, Group ranks, bool is_solution = false) {
    schedule_.steps.push_back({.kind = Step::Kind::work,
                               .block = block,
                               .group = group,
                               .first = ranks.first,
                               .count = ranks.size,
                               .is_solution = is_solution});
  }

  void move(Step::Kind kind, int group, int first, int second, bool is_solution) {
    schedule_.steps.push_back({.kind = kind,
                               .block = Block::exchange,
                               .group = group,
                               .first = first,
                               .second = second,
                               .is_solution = is_solution});
  }

  void tell_all(int group, std::size_t bytes) {
    schedule_.steps.push_back(
        {.kind = Step::Kind::tell_all, .block = Block::wait, .group = group, .bytes = bytes});
  }

  void agree() {
    if (ranks_of(0).size > 1) {
      schedule_.steps.push_back({.kind = Step::Kind::agree, .block = Block::wait});
    }
  }

  int add_half(int parent, Group ranks) {
    const int level = schedule_.groups[static_cast<std::size_t>(parent)].level + 1;
    schedule_.groups.push_back({.ranks = ranks, .level = level, .parent = parent});
    return static_cast<int>(schedule_.groups.size()) - 1;
  }

  Group ranks_of(int group) const {
    return schedule_.groups[static_cast<std::size_t>(group)].ranks;
  }

  Way way_;
  Schedule schedule_;
};

}  // namespace

std::optional<Way> way_of(std::string_view placement, bool splits) {
  if (placement == "replicated") {
    return Way::replicated;
  }
  if (placement == "rooted") {
    return Way::rooted;
  }
  if (placement == "distributed") {
    return splits ? Way::splitting : Way::merging;
  }
  return std::nullopt;
}

Schedule schedule_of(Way way, int ranks) { return Scheduler(way).schedule(ranks); }

}  // namespace cleave::detail
