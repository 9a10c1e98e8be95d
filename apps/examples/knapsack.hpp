// SPDX-License-Identifier: Apache-2.0
// The 0-1 knapsack problem by branch-and-bound. Each level of the tree decides on one item, from
// the most to the least value for its weight. The bound cuts the first item that does not fit
// (Dantzig 1957); where it is not above the best value known, no children are searched.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <cleave/tree_search.hpp>

struct Item {
  std::int64_t weight, value;
};

struct Filling {
  std::int64_t decided;  // on that many of the first items
  std::int64_t room, value;
};

struct Best {
  std::int64_t nodes = 0;  // fewer, the sooner the best is found
  std::int64_t value = 0;
  bool operator==(const Best& other) const { return value == other.value; }
};

struct Knapsack {
  using Problem = Filling;
  using Solution = Best;
  using Bound = cleave::Maximise<std::int64_t>;

  std::vector<Item> items;  // from most to least value for the weight

  std::int64_t bound(Filling filling) const {
    for (; filling.decided < std::ssize(items); ++filling.decided) {
      const auto [weight, value] = items[filling.decided];
      if (weight > filling.room) {
        return filling.value + value * filling.room / weight;
      }
      filling.room -= weight;
      filling.value += value;
    }
    return filling.value;
  }
  void visit(Filling filling, cleave::Children<Filling>& children, Best& best,
             cleave::Incumbent<Bound>& incumbent) const {
    ++best.nodes;
    if (incumbent.offer(filling.value)) {
      best.value = filling.value;
    }
    if (bound(filling) > incumbent.value()) {
      const auto [weight, value] = items[filling.decided++];
      children.push(filling);  // without the item; visited last
      if (weight <= filling.room) {
        children.push({filling.decided, filling.room - weight, filling.value + value});
      }
    }
  }
  Best combine(Best left, Best right) const {
    return {left.nodes + right.nodes, std::max(left.value, right.value)};
  }
  cleave::Sizes solution_sizes(Best best) const { return {{"nodes", best.nodes}}; }
};
