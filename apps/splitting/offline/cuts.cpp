// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/offline/cuts.hpp"

#include <algorithm>
#include <map>

#include "apps/splitting/tree/growth.hpp"

namespace cleave::splitting {

namespace {

/// Splits [bounds.front(), bounds.back()) at all bounds between, in one stage. It goes from either
/// end up to the interval with the most leaves at that stage, so that each of the others moves
/// once.
void split_at_once(const Growth& growth, const std::vector<Index>& bounds,
                   std::vector<IntervalSplit>& splits) {
  std::size_t largest = 0;
  Index maximum = 0;
  for (std::size_t i = 0; i + 1 < bounds.size(); ++i) {
    const Index leaves = growth.leaf_at(bounds[i + 1]) - growth.leaf_at(bounds[i]);
    if (leaves > maximum) {
      maximum = leaves;
      largest = i;
    }
  }
  for (std::size_t i = 0; i < largest; ++i) {
    splits.push_back({growth.stage(), bounds[i], bounds[i + 1], bounds.back()});
  }
  for (std::size_t i = bounds.size() - 2; i > largest; --i) {
    splits.push_back({growth.stage(), bounds[largest], bounds[i], bounds[i + 1]});
  }
}

}  // namespace

PricedPlan plan_of_cuts(const Problem& problem, const std::vector<Index>& cuts) {
  const auto& cut_stage = problem.tree.cut_stage();
  std::vector<IntervalSplit> splits;
  std::vector<Index> made = {0, problem.tree.leaves()};
  Growth growth(problem.tree);
  while (splits.size() < cuts.size()) {
    growth.advance();
    std::vector<Index> after = {0};
    auto cut = cuts.begin();
    for (std::size_t i = 0; i + 1 < made.size(); ++i) {
      std::vector<Index> bounds = {made[i]};
      for (; cut != cuts.end() && *cut < made[i + 1]; ++cut) {
        if (*cut > made[i] && cut_stage[*cut] <= growth.stage()) {
          bounds.push_back(*cut);
        }
      }
      bounds.push_back(made[i + 1]);
      split_at_once(growth, bounds, splits);
      after.insert(after.end(), bounds.begin() + 1, bounds.end());
    }
    made = std::move(after);
  }
  return plan_of_interval_splits(problem, std::move(splits));
}

PricedPlan plan_of_interval_splits(const Problem& problem, std::vector<IntervalSplit> splits) {
  std::stable_sort(
      splits.begin(), splits.end(),
      [](const IntervalSplit& a, const IntervalSplit& b) { return a.stage < b.stage; });
  PricedPlan priced{.plan = {.processors = problem.processors, .mode = Mode::sfc}};
  std::map<Index, int> owner_from = {{0, 0}};  // by the beginning of each interval
  Growth growth(problem.tree);
  int receiver = 0;
  for (const IntervalSplit& split : splits) {
    while (growth.stage() < split.stage) {
      growth.advance();
    }
    const LeafRun left{growth.leaf_at(split.begin), growth.leaf_at(split.cut)};
    const LeafRun right{left.end, growth.leaf_at(split.end)};
    const int giver = owner_from.at(split.begin);
    const bool left_moves = left.size() < right.size();
    const LeafRun moved = left_moves ? left : right;
    ++receiver;
    owner_from[split.begin] = left_moves ? receiver : giver;
    owner_from[split.cut] = left_moves ? giver : receiver;
    priced.plan.splits.push_back({split.stage, giver, receiver, LeafSet(moved)});
    priced.cost += problem.cost(
        {.n = moved.size(), .N = growth.leaves(), .giver_leaves = left.size() + right.size()});
  }
  return priced;
}

}  // namespace cleave::splitting
