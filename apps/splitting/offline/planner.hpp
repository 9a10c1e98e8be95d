// SPDX-License-Identifier: Apache-2.0
// Planning: picks a planner for a problem, and draws the whole front of cost against imbalance.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "apps/splitting/offline/problem.hpp"

namespace cleave::splitting {

/// docs/explanation/splitting.md has the table of what each costs and guarantees.
enum class Planner : std::uint8_t {
  automatic,  ///< an exact one where it is affordable, else two_phase
  interval,   ///< interval_dp: mode sfc, exact for any F
  chain,      ///< chain_cuts: mode sfc, exact where F depends on N only
  banded,     ///< chain_cuts within a band of even shares
  greedy,     ///< greedy_cuts: for millions of leaves in a millisecond
  two_phase,  ///< chain_cuts for the sum of F(0, N), then the order with least n
  search,     ///< exact_search: every mode, small trees, exact for any F
  subtrees,   ///< plan_by_subtrees: every mode but sfc, trees of any size
};

inline constexpr std::array<std::string_view, 8> kPlannerNames = {
    "automatic", "interval", "chain", "banded", "greedy", "two_phase", "search", "subtrees"};

constexpr std::string_view name_of(Planner planner) {
  return kPlannerNames[static_cast<std::size_t>(planner)];
}

std::optional<Planner> planner_named(std::string_view name);

struct Planned {
  Plan plan;
  double cost = 0;
  LoadWindow window;
  Planner planner = Planner::automatic;  ///< the one that was used
  bool exact = false;                    ///< no cheaper plan has its loads in `window`
};

/// The cheapest plan that `planner` finds with loads in `window`; nothing if it finds none.
/// A tree too large for the search is planned as in `sfc` in modes `any` and `run`. Its splits are
/// legal there; the plan is then not exact. \throws Error  if the planner does not take the mode,
/// or the tree or window is too large for it
std::optional<Planned> plan_within(const Problem& problem, LoadWindow window, Planner planner);

/// The cheapest plan of least imbalance. In modes sfc, any and run with weights of 1 that is the
/// window around the mean; else windows are tried by rising imbalance, smallest first. By subtrees
/// it is the plan of least maximum instead. \throws Error  as above, or if there is no plan at all
Planned plan_min_imbalance(const Problem& problem, Planner planner);

/// The cheapest plan with max - min of loads at most `imbalance`, over all windows that wide.
std::optional<Planned> plan_with_imbalance(const Problem& problem, Index imbalance,
                                           Planner planner);

/// One plan of a front.
struct FrontPoint {
  Index imbalance = 0;  ///< that the plan may reach: width of its window
  Planned planned;
};

/// The front of cost against imbalance, from the least imbalance to no split at all: each point
/// costs less than the one before. Every imbalance is tried on trees of at most 64 leaves, windows
/// around the mean with tolerances from 0 to 1 on larger ones.
std::vector<FrontPoint> plan_front(const Problem& problem, Planner planner);

}  // namespace cleave::splitting
