// SPDX-License-Identifier: Apache-2.0
// Offline planning, where the whole tree is known: the cheapest splits for a number of processors,
// a price and how even the parts must be. docs/explanation/splitting.md has the table of what each
// planner costs and guarantees.
//
// In mode sfc every part is an interval of the curve, and a plan is a set of cuts, each made at
// some stage. In the other modes parts are sets of leaves or subtrees.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include <cleave/error.hpp>

#include "apps/splitting/ledger.hpp"

namespace cleave::splitting {

struct Problem {
  const Tree& tree;
  int processors = 1;
  CostModel cost;
  Mode mode = Mode::sfc;
};

/// How many leaves each processor may end with. With `minimum` 0 processors may stay empty.
struct LoadWindow {
  Index minimum = 0;
  Index maximum = 0;

  bool holds(Index leaves) const { return minimum <= leaves && leaves <= maximum; }
};

/// floor((1 - tolerance) mean) to ceil((1 + tolerance) mean). At tolerance 0 that is the least
/// imbalance that there is. \throws Error  unless 0 <= tolerance and finite
LoadWindow window_around_mean(const Problem& problem, double tolerance);

enum class Planner : std::uint8_t {
  automatic,  ///< an exact one where it is affordable, else chain
  interval,   ///< interval_dp: modes sfc, any and run; in sfc exact for any F
  chain,      ///< chain_cuts: the same modes, in sfc exact where F depends on N only
  search,     ///< exact_search: every mode, small trees, exact for any F
};

inline constexpr std::array<std::string_view, 4> kPlannerNames = {"automatic", "interval", "chain",
                                                                  "search"};

constexpr std::string_view name_of(Planner planner) {
  return kPlannerNames[static_cast<std::size_t>(planner)];
}

/// A plan and what the planner reckons it costs; the ledger has the last word.
struct Planned {
  Plan plan;
  double cost = 0;
  Planner planner = Planner::automatic;  ///< the one that was used
  bool exact = false;                    ///< no cheaper plan has its loads in the window
};

/// The cheapest plan that `planner` finds with loads in `window`; nothing if it finds none.
/// A tree too large for the search is planned as in `sfc`, in modes `any` and `run`. These splits
/// are legal there, too. The plan is then not exact. \throws Error  if the planner does not take
/// the mode, or the tree or window is too large for it
std::optional<Planned> plan_within(const Problem& problem, LoadWindow window, Planner planner);

/// The cheapest plan of least imbalance. \throws Error  as above, or if there is no plan at all
Planned plan_min_imbalance(const Problem& problem, Planner planner);

/// One plan of a front.
struct FrontPoint {
  Index imbalance = 0;  ///< that the plan may reach: width of its window
  Planned planned;
};

/// The front of cost against imbalance, from the least imbalance to no split at all: each point
/// costs less than the one before. Every imbalance is tried on trees of at most 64 leaves, windows
/// around the mean with tolerances from 0 to 1 on larger ones.
std::vector<FrontPoint> plan_front(const Problem& problem, Planner planner);

// The planners, for problems that `plan_within` and the others have checked.

/// The cost of the impossible.
inline constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// The splits that make `cuts` (final leaf positions) as early as the tree allows and, at each
/// stage, at least n. An interval that is cut into several keeps its largest one, and every other
/// one moves once: with the cuts given, no order at these stages moves fewer leaves. Cost: O(leaves
/// + cuts * stages).
///
/// \pre  cuts rise strictly within 1 .. leaves - 1 and are fewer than the processors
Planned plan_of_cuts(const Problem& problem, const std::vector<Index>& cuts);

/// Cuts between parts within `window` at the least sum of F(0, N) over the cuts' earliest stages:
/// the chain DP, with a sliding-window minimum. Time O(P * W) and memory 2 or 4 bytes times P * W,
/// with W the positions that a cut may take: up to P/2 * (most - least + 1).
///
/// \return  the cuts, rising; nothing if no cuts fit the window
/// \throws Error  if that takes more than 2^28 steps: the window is too wide for this many leaves
std::optional<std::vector<Index>> chain_cuts(const Problem& problem, LoadWindow window);

/// Positions that cuts may take under `window`, counted once for each number of parts before them.
/// What the interval DP costs: time O(C^3 * l_max), memory about 16 C^2 bytes and 4 C^2 a stage.
Index interval_dp_candidates(const Problem& problem, LoadWindow window);

/// The most candidates that `interval_dp` takes: a few seconds, 200 MB.
inline constexpr Index kMaxIntervalCandidates = 2000;

/// The cheapest plan with parts in `window`, for any F; nothing if there is none.
/// \throws Error  if there are more than `kMaxIntervalCandidates`
std::optional<Planned> interval_dp(const Problem& problem, LoadWindow window);

/// The most final leaves that a tree may have for `exact_search`.
inline constexpr Index kMaxSearchLeaves = 64;
/// The most splits that `exact_search` looks at: a few seconds, at most some hundred MB.
inline constexpr Index kMaxSearchSteps = 50'000'000;

/// The tree is too large for `exact_search`.
class SearchTooLarge : public Error {
  using Error::Error;
};

/// The cheapest plan with parts in `window` in any mode; nothing if there is none. Time exponential
/// in the leaves; in mode `any` in their kinds, since leaves with equal subtrees below them are
/// exchangeable there. \throws SearchTooLarge  beyond `kMaxSearchLeaves` or `kMaxSearchSteps`
std::optional<Planned> exact_search(const Problem& problem, LoadWindow window);

}  // namespace cleave::splitting
