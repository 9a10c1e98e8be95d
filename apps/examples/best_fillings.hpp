// SPDX-License-Identifier: Apache-2.0
// The K best solutions: of a knapsack (knapsack.hpp), with their items. A worker keeps the K best
// that it has found, and `combine` those of two workers. The incumbent is the worst value of K
// known ones. What can only equal it is still searched, so that the K are the same in every run: of
// equal value those that come first by their items.
#pragma once

#include <compare>
#include <cstdint>
#include <iterator>
#include <set>

#include <cleave/tree_search.hpp>

#include "apps/examples/knapsack.hpp"

struct ItemSet {
  std::int64_t value = 0;
  std::uint64_t items = 0;  // a bit for each
  /// The best comes first.
  std::strong_ordering operator<=>(const ItemSet& other) const {
    return value != other.value ? other.value <=> value : items <=> other.items;
  }
  bool operator==(const ItemSet&) const = default;
};

struct PartFilled {
  Filling filling;
  std::uint64_t items = 0;
};

struct BestSets {
  std::int64_t nodes = 0;  // fewer, the sooner the best are found
  std::set<ItemSet> sets;
  bool operator==(const BestSets& other) const { return sets == other.sets; }
};

struct BestFillings {
  using Problem = PartFilled;
  using Solution = BestSets;
  using Bound = cleave::Maximise<std::int64_t>;

  Knapsack knapsack;  // of at most 64 items
  std::size_t k = 5;

  void visit(PartFilled part, cleave::Children<PartFilled>& children, BestSets& best,
             cleave::Incumbent<Bound>& incumbent) const {
    ++best.nodes;
    if (knapsack.bound(part.filling) < incumbent.value()) {
      return;
    }
    auto& [decided, room, value] = part.filling;
    if (decided == std::ssize(knapsack.items)) {
      best.sets.insert({value, part.items});
      keep_k(best.sets);
      if (best.sets.size() == k) {
        incumbent.offer(best.sets.rbegin()->value);
      }
      return;
    }
    const auto [weight, worth] = knapsack.items[decided];
    const std::uint64_t bit = std::uint64_t{1} << decided++;
    children.push(part);  // without the item; visited last
    if (weight <= room) {
      children.push({{decided, room - weight, value + worth}, part.items | bit});
    }
  }
  BestSets combine(BestSets left, BestSets right) const {
    left.sets.merge(right.sets);
    keep_k(left.sets);
    return {left.nodes + right.nodes, std::move(left.sets)};
  }
  cleave::Sizes solution_sizes(const BestSets& best) const { return {{"nodes", best.nodes}}; }

 private:
  void keep_k(std::set<ItemSet>& sets) const {
    while (sets.size() > k) {
      sets.erase(std::prev(sets.end()));
    }
  }
};
