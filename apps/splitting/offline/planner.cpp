// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/offline/planner.hpp"

#include <fmt/format.h>

#include <algorithm>

#include <cleave/error.hpp>

#include "apps/splitting/ledger/ledger.hpp"
#include "apps/splitting/offline/chain_dp.hpp"
#include "apps/splitting/offline/cuts.hpp"
#include "apps/splitting/offline/exact_search.hpp"
#include "apps/splitting/offline/interval_dp.hpp"
#include "apps/splitting/offline/subtree_plan.hpp"

namespace cleave::splitting {

namespace {

/// Trees up to this size get every imbalance on their front.
constexpr Index kSmallTree = 64;

/// How far the banded planner looks to either side of an even share, in widths of the window. Eight
/// cost a few per cent more than the exact chain on millions of leaves
/// (docs/explanation/splitting.md).
constexpr Index kBandWidths = 8;

std::optional<Planned> planned_from(std::optional<PricedPlan> priced, LoadWindow window,
                                    Planner planner, bool exact) {
  if (!priced) {
    return std::nullopt;
  }
  return Planned{std::move(priced->plan), priced->cost, window, planner, exact};
}

std::optional<Planned> planned_from(const Problem& problem,
                                    const std::optional<std::vector<Index>>& cuts,
                                    LoadWindow window, Planner planner, bool exact) {
  if (!cuts) {
    return std::nullopt;
  }
  return planned_from(plan_of_cuts(problem, *cuts), window, planner, exact);
}

std::optional<Planned> plan_sfc(const Problem& problem, LoadWindow window, Planner planner) {
  const bool by_N = !problem.cost.depends_on_n;
  switch (planner) {
    case Planner::interval:
      return planned_from(interval_dp(problem, window), window, planner, true);
    case Planner::chain:
    case Planner::two_phase:
      return planned_from(problem, chain_cuts(problem, window), window, planner, by_N);
    case Planner::banded:
      return planned_from(
          problem, chain_cuts(problem, window, kBandWidths * (window.maximum - window.minimum + 1)),
          window, planner, false);
    case Planner::greedy:
      return planned_from(problem, greedy_cuts(problem, window), window, planner, false);
    case Planner::search:
      return planned_from(exact_search(problem, window), window, planner, true);
    case Planner::subtrees:
      throw Error("planner subtrees plans every mode but sfc");
    case Planner::automatic:
      break;
  }
  if (by_N) {
    return plan_sfc(problem, window, Planner::chain);
  }
  return plan_sfc(problem, window,
                  interval_dp_candidates(problem, window) <= kMaxIntervalCandidates
                      ? Planner::interval
                      : Planner::two_phase);
}

/// A plan of mode sfc where its splits are legal too.
std::optional<Planned> plan_as_sfc(const Problem& problem, LoadWindow window) {
  Problem as_sfc = problem;
  as_sfc.mode = Mode::sfc;
  auto planned = plan_sfc(as_sfc, window, Planner::automatic);
  if (planned) {
    planned->plan.mode = problem.mode;
    planned->exact = false;
  }
  return planned;
}

std::vector<Index> loads_of(const Problem& problem, const Plan& plan) {
  const Ledger ledger = replay(problem.tree, plan, problem.cost);
  std::vector<Index> loads = ledger.leaves_of_all();
  for (std::size_t p = 0; p < loads.size() && !problem.weights.empty(); ++p) {
    loads[p] = 0;
    for (const LeafRun& run : ledger.part(static_cast<int>(p)).runs()) {
      for (Index leaf = run.begin; leaf < run.end; ++leaf) {
        loads[p] += problem.weights[static_cast<std::size_t>(leaf)];
      }
    }
  }
  return loads;
}

std::optional<Planned> plan_subtrees_within(const Problem& problem, LoadWindow window) {
  auto planned =
      planned_from(plan_by_subtrees(problem, window.maximum), window, Planner::subtrees, false);
  if (planned) {
    const std::vector<Index> loads = loads_of(problem, planned->plan);
    if (*std::min_element(loads.begin(), loads.end()) < window.minimum) {
      return std::nullopt;
    }
  }
  return planned;
}

Planned plan_subtrees(const Problem& problem) {
  PricedPlan priced = plan_by_subtrees(problem);
  const std::vector<Index> loads = loads_of(problem, priced.plan);
  const auto [minimum, maximum] = std::minmax_element(loads.begin(), loads.end());
  return {.plan = std::move(priced.plan),
          .cost = priced.cost,
          .window = {*minimum, *maximum},
          .planner = Planner::subtrees};
}

bool sfc_is_legal(Mode mode) { return mode == Mode::any || mode == Mode::run; }

bool min_is_even(const Problem& problem) {
  return problem.weights.empty() &&
         (problem.mode == Mode::sfc || problem.mode == Mode::any || problem.mode == Mode::run);
}

/// A front of mode sfc where its splits are legal too.
std::vector<FrontPoint> front_as_sfc(const Problem& problem) {
  Problem as_sfc = problem;
  as_sfc.mode = Mode::sfc;
  std::vector<FrontPoint> front = plan_front(as_sfc, Planner::automatic);
  for (FrontPoint& point : front) {
    point.planned.plan.mode = problem.mode;
    point.planned.exact = false;
  }
  return front;
}

/// Windows around the mean from tolerance 0 to one that allows anything.
std::vector<LoadWindow> windows_of_front(const Problem& problem) {
  std::vector<LoadWindow> windows;
  for (const double tolerance : {0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9}) {
    windows.push_back(window_around_mean(problem, tolerance));
  }
  return windows;
}

}  // namespace

std::optional<Planner> planner_named(std::string_view name) {
  const auto found = std::find(kPlannerNames.begin(), kPlannerNames.end(), name);
  if (found == kPlannerNames.end()) {
    return std::nullopt;
  }
  return static_cast<Planner>(found - kPlannerNames.begin());
}

std::optional<Planned> plan_within(const Problem& problem, LoadWindow window, Planner planner) {
  check(problem);
  if (problem.mode == Mode::sfc) {
    return plan_sfc(problem, window, planner);
  }
  switch (planner) {
    case Planner::subtrees:
      return plan_subtrees_within(problem, window);
    case Planner::search:
      return planned_from(exact_search(problem, window), window, planner, true);
    case Planner::automatic:
      try {
        return plan_within(problem, window, Planner::search);
      } catch (const SearchTooLarge&) {
        return sfc_is_legal(problem.mode) ? plan_as_sfc(problem, window)
                                          : plan_subtrees_within(problem, window);
      }
    default:
      throw Error(
          fmt::format("planner {} plans mode sfc only, mode {} takes automatic, search or "
                      "subtrees",
                      name_of(planner), name_of(problem.mode)));
  }
}

std::optional<Planned> plan_with_imbalance(const Problem& problem, Index imbalance,
                                           Planner planner) {
  const LoadWindow even = window_around_mean(problem, 0);
  std::optional<Planned> best;
  for (Index minimum = std::max<Index>(0, even.maximum - imbalance); minimum <= even.minimum;
       ++minimum) {
    auto planned =
        plan_within(problem, {.minimum = minimum, .maximum = minimum + imbalance}, planner);
    if (planned && (!best || planned->cost < best->cost)) {
      best = std::move(planned);
    }
  }
  return best;
}

Planned plan_min_imbalance(const Problem& problem, Planner planner) {
  check(problem);
  if (planner == Planner::subtrees && problem.mode != Mode::sfc) {
    return plan_subtrees(problem);
  }
  const bool search_or_subtrees =
      planner == Planner::automatic && problem.mode != Mode::sfc && !sfc_is_legal(problem.mode);
  if (search_or_subtrees) {
    try {
      return plan_min_imbalance(problem, Planner::search);
    } catch (const SearchTooLarge&) {
      return plan_subtrees(problem);
    }
  }
  if (min_is_even(problem)) {
    if (auto planned = plan_within(problem, window_around_mean(problem, 0), planner)) {
      return std::move(*planned);
    }
  }
  for (Index imbalance = 0; imbalance <= total_load(problem); ++imbalance) {
    if (auto planned = plan_with_imbalance(problem, imbalance, planner)) {
      return std::move(*planned);
    }
  }
  throw Error(fmt::format("planner {} finds no plan for {} processors", name_of(planner),
                          problem.processors));
}

std::vector<FrontPoint> plan_front(const Problem& problem, Planner planner) {
  check(problem);
  if (planner == Planner::automatic && problem.mode != Mode::sfc) {
    try {
      return plan_front(problem, Planner::search);
    } catch (const SearchTooLarge&) {
      return sfc_is_legal(problem.mode) ? front_as_sfc(problem)
                                        : plan_front(problem, Planner::subtrees);
    }
  }
  std::vector<FrontPoint> front;
  const auto add = [&](Index imbalance, std::optional<Planned> planned) {
    if (planned && (front.empty() || planned->cost < front.back().planned.cost)) {
      front.push_back({imbalance, std::move(*planned)});
    }
  };
  if (problem.tree.leaves() > kSmallTree) {
    for (const LoadWindow& window : windows_of_front(problem)) {
      add(window.maximum - window.minimum, plan_within(problem, window, planner));
    }
  } else {
    for (Index imbalance = 0;
         imbalance <= total_load(problem) && (front.empty() || front.back().planned.cost > 0);
         ++imbalance) {
      add(imbalance, plan_with_imbalance(problem, imbalance, planner));
    }
  }
  const Index whole = total_load(problem);
  add(whole, Planned{.plan = {.processors = problem.processors, .mode = problem.mode},
                     .window = {0, whole},
                     .exact = true});
  return front;
}

}  // namespace cleave::splitting
