// SPDX-License-Identifier: Apache-2.0
// What a planner is asked: which tree, how many processors, at which price, how even.
#pragma once

#include <limits>
#include <vector>

#include "apps/splitting/ledger/cost.hpp"
#include "apps/splitting/ledger/mode.hpp"
#include "apps/splitting/ledger/plan.hpp"
#include "apps/splitting/tree/tree.hpp"

namespace cleave::splitting {

/// What each processor may end with, in load: leaves, or the sum of their weights.
/// With `least` 0 processors may stay empty; otherwise each must get at least one leaf.
struct LoadWindow {
  Index minimum = 0;
  Index maximum = 0;

  bool holds(Index load) const { return minimum <= load && load <= maximum; }
  friend bool operator==(const LoadWindow&, const LoadWindow&) = default;
};

struct Problem {
  const Tree& tree;
  int processors = 1;
  CostModel cost;
  Mode mode = Mode::sfc;
  std::vector<Index> weights;  ///< by final leaf, at least 0; empty: every leaf weighs 1
};

/// \throws Error  if processors < 1, or weights are negative or not one a leaf
void check(const Problem& problem);

/// The sum of all loads.
Index total_load(const Problem& problem);

/// floor((1 - tolerance) mean) to ceil((1 + tolerance) mean). At tolerance 0 and weights of 1 that
/// is the least imbalance that there is. \throws Error  unless 0 <= tolerance and finite
LoadWindow window_around_mean(const Problem& problem, double tolerance);

/// Of what is impossible.
inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// A plan and what the planner reckons it costs; the ledger has the last word.
struct PricedPlan {
  Plan plan;
  double cost = 0;
};

}  // namespace cleave::splitting
