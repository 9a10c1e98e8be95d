// The 0-1 knapsack problem by branch-and-bound: items are decided on in turn, those worth most for
// their weight first. No filling is worth more than the one that may cut the first item that does
// not fit (Dantzig 1957); a subtree whose bound is no more than the incumbent is left out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include <cleave/program.hpp>
#include <cleave/random.hpp>

struct Item {
  std::int64_t weight, value;
};

struct Filling {         // of which the first items are decided on
  std::int64_t decided;  // how many
  std::int64_t room, value;
};

struct Best {
  std::int64_t nodes = 0;
  std::int64_t value = 0;
};

struct Knapsack {
  using Problem = Filling;
  using Solution = Best;

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
             cleave::Incumbent& incumbent) const {
    ++best.nodes;
    if (incumbent.offer(-filling.value)) {  // the incumbent is the least value
      best.value = filling.value;
    }
    if (bound(filling) > -incumbent.value()) {
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

  static constexpr std::string_view kSummary = "Finds the best value of N items in a knapsack.";
  static constexpr cleave::SizeOption kSizes[] = {{"N", 26}};
  // All weights are even and the room is odd, so that no filling reaches its bound (Chvatal 1980).
  void check_options(cleave::RunOptions& options) {
    const cleave::CounterRandom random(options.seed);
    for (std::int64_t i = 0; i < options.sizes.at("N"); ++i) {
      const auto weight = static_cast<std::int64_t>(2 + 2 * (random(i) % 1000));
      items.push_back({weight, weight});
    }
  }
  Filling make_problem(const cleave::NamedSizes& /*sizes*/, std::uint64_t /*seed*/) const {
    std::int64_t weight = 0;
    for (const Item& item : items) {
      weight += item.weight;
    }
    return {.decided = 0, .room = weight / 2 | 1, .value = 0};
  }
  cleave::Figures figures(Best best) const { return {{"value", best.value}}; }
};
