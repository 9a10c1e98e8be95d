// SPDX-License-Identifier: Apache-2.0
#include "apps/flowshop/branching.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <limits>
#include <span>

namespace cleave::flowshop {

namespace {

std::span<const Job> free_jobs(const Node& node) {
  return {node.permutation.data() + node.prefix, static_cast<std::size_t>(node.free_jobs())};
}

/// Whether the rule decides by the bounds of both sets of children.
bool compares_sides(Branching branching) {
  return branching == Branching::min_branch || branching == Branching::min_min ||
         branching == Branching::max_sum;
}

bool any_below(const ByJob& bounds, const Node& node, int incumbent) {
  const auto jobs = free_jobs(node);
  return std::any_of(jobs.begin(), jobs.end(), [&](Job job) { return bounds[job] < incumbent; });
}

/// Positive if the front is to be preferred, negative if the back is.
int more_at_front(const Node& node, const ByJob& front_bounds, const ByJob& back_bounds) {
  int difference = 0;
  for (const Job job : free_jobs(node)) {
    difference += front_bounds[job] - back_bounds[job];
  }
  return difference;
}

int more_pruned_at_front(const Node& node, int incumbent, const ByJob& front_bounds,
                         const ByJob& back_bounds) {
  int difference = 0;
  for (const Job job : free_jobs(node)) {
    difference +=
        (front_bounds[job] >= incumbent ? 1 : 0) - (back_bounds[job] >= incumbent ? 1 : 0);
  }
  return difference;
}

int min_is_rarer_at_front(const Node& node, const ByJob& front_bounds, const ByJob& back_bounds) {
  Time minimum = std::numeric_limits<Time>::max();
  for (const Job job : free_jobs(node)) {
    minimum = std::min({minimum, front_bounds[job], back_bounds[job]});
  }
  int difference = 0;
  for (const Job job : free_jobs(node)) {
    difference += (back_bounds[job] == minimum ? 1 : 0) - (front_bounds[job] == minimum ? 1 : 0);
  }
  return difference;
}

}  // namespace

Side preferred_side(Branching branching, const Node& node, int incumbent, const ByJob& front_bounds,
                    const ByJob& back_bounds) {
  int front_is_better = 0;
  if (branching == Branching::min_min) {
    front_is_better = min_is_rarer_at_front(node, front_bounds, back_bounds);
  }
  if (front_is_better == 0 && branching != Branching::max_sum) {
    front_is_better = more_pruned_at_front(node, incumbent, front_bounds, back_bounds);
  }
  if (front_is_better == 0) {
    front_is_better = more_at_front(node, front_bounds, back_bounds);
  }
  return front_is_better >= 0 ? Side::front : Side::back;
}

Brancher::Children Brancher::choose_children(const Node& node, int incumbent) const {
  Children children;
  if (!compares_sides(branching_)) {
    const bool even = (jobs_ - node.free_jobs()) % 2 == 0;
    const bool at_front =
        branching_ == Branching::alternate ? even : branching_ == Branching::forward;
    children.side = at_front ? Side::front : Side::back;
    bounds_.one_machine(node, children.side, children.bounds);
    return children;
  }
  ByJob back_bounds;
  bounds_.one_machine(node, Side::front, children.bounds);
  bounds_.one_machine(node, Side::back, back_bounds);
  if (bound_ == Bound::lb2) {
    bounds_.two_machines(node, Side::front, children.bounds);
    bounds_.two_machines(node, Side::back, back_bounds);
  }
  children.side = preferred_side(branching_, node, incumbent, children.bounds, back_bounds);
  if (children.side == Side::back) {
    children.bounds = back_bounds;
  }
  return children;
}

Brancher::KeptChildren Brancher::kept_children(const Node& node, int incumbent) const {
  assert(!node.is_leaf());
  Children chosen = choose_children(node, incumbent);
  // LB2 is never less than LB1: where that keeps no child, LB2 is not needed.
  const bool has_lb2 = bound_ == Bound::lb2 && compares_sides(branching_);
  if (bound_ != Bound::lb1 && !has_lb2 && any_below(chosen.bounds, node, incumbent)) {
    bounds_.two_machines(node, chosen.side, chosen.bounds);
  }

  struct Kept {
    Time bound;
    std::uint8_t position;
  };
  std::array<Kept, kMaxJobs> kept;
  std::size_t count = 0;
  for (int position = node.prefix; position < node.free_end; ++position) {
    const Time bound = chosen.bounds[node.permutation[position]];
    kept[count] = {bound, static_cast<std::uint8_t>(position)};
    count += bound < incumbent ? 1 : 0;
  }
  std::sort(kept.begin(), kept.begin() + count,
            [](const Kept& one, const Kept& other) { return one.bound > other.bound; });
  KeptChildren children;
  children.side = chosen.side;
  children.count = count;
  std::transform(kept.begin(), kept.begin() + count, children.positions.begin(),
                 [](const Kept& child) { return child.position; });
  return children;
}

SearchResult search_depth_first(const Brancher& brancher, int incumbent) {
  SearchResult result{.makespan = incumbent};
  std::vector<Node> stack = {brancher.root()};
  while (!stack.empty()) {
    const Node node = stack.back();
    stack.pop_back();
    if (!node.is_leaf()) {
      result.explored +=
          static_cast<std::int64_t>(brancher.append_children(node, result.makespan, stack));
      continue;
    }
    ++result.leaves;
    const int makespan = brancher.leaf_makespan(node);
    if (makespan < result.makespan) {
      result.makespan = makespan;
      result.permutation = brancher.leaf_permutation(node);
    }
  }
  return result;
}

}  // namespace cleave::flowshop
