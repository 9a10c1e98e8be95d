// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/planner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cleave::splitting {

namespace {

/// Trees up to this size get every imbalance on their front.
constexpr Index kSmallTree = 64;

bool sfc_is_legal(Mode mode) { return mode == Mode::sfc || mode == Mode::any || mode == Mode::run; }

/// `plan_within` once it is decided whether the search is affordable: it is not where `planner` is
/// automatic.
std::optional<Planned> plan_by(const Problem& problem, LoadWindow window, Planner planner) {
  if (planner != Planner::search && !sfc_is_legal(problem.mode)) {
    throw Error(fmt::format("planner {} does not plan mode {}, automatic and search do",
                            name_of(planner), name_of(problem.mode)));
  }
  if (planner == Planner::automatic) {
    const bool intervals = problem.cost.depends_on_n &&
                           interval_dp_candidates(problem, window) <= kMaxIntervalCandidates;
    planner = intervals ? Planner::interval : Planner::chain;
  }
  std::optional<Planned> planned;
  if (planner == Planner::search) {
    planned = exact_search(problem, window);
  } else if (planner == Planner::interval) {
    planned = interval_dp(problem, window);
  } else if (const auto cuts = chain_cuts(problem, window)) {
    planned = plan_of_cuts(problem, *cuts);
  }
  if (planned) {
    planned->plan.mode = problem.mode;
    planned->planner = planner;
    const bool least =
        planner == Planner::interval || (planner == Planner::chain && !problem.cost.depends_on_n);
    planned->exact = planner == Planner::search || (problem.mode == Mode::sfc && least);
  }
  return planned;
}

/// The cheapest plan over all windows as wide as `imbalance` that hold the mean.
std::optional<Planned> plan_as_wide(const Problem& problem, Index imbalance, Planner planner) {
  const LoadWindow even = window_around_mean(problem, 0);
  std::optional<Planned> best;
  for (Index minimum = std::max<Index>(0, even.maximum - imbalance); minimum <= even.minimum;
       ++minimum) {
    const LoadWindow window{.minimum = minimum, .maximum = minimum + imbalance};
    auto planned = plan_by(problem, window, planner);
    if (planned && (!best || planned->cost < best->cost)) {
      best = std::move(planned);
    }
  }
  return best;
}

/// The planner that `plan` takes: the search where the automatic one can afford it in a mode
/// other than sfc.
template <class Plan>
auto by_search_if_affordable(const Problem& problem, Planner planner, Plan plan) {
  if (problem.processors < 1) {
    throw Error(fmt::format("{} processors, at least 1 is needed", problem.processors));
  }
  if (planner == Planner::automatic && problem.mode != Mode::sfc) {
    try {
      return plan(Planner::search);
    } catch (const SearchTooLarge&) {
      if (!sfc_is_legal(problem.mode)) {
        throw;
      }
    }
  }
  return plan(planner);
}

Planned min_imbalance_by(const Problem& problem, Planner planner) {
  for (Index imbalance = 0; imbalance <= problem.tree.leaves(); ++imbalance) {
    if (auto planned = plan_as_wide(problem, imbalance, planner)) {
      return std::move(*planned);
    }
  }
  throw Error(fmt::format("planner {} finds no plan for {} processors", name_of(planner),
                          problem.processors));
}

std::vector<FrontPoint> front_by(const Problem& problem, Planner planner) {
  const Index whole = problem.tree.leaves();
  std::vector<FrontPoint> front;
  const auto add = [&](Index imbalance, std::optional<Planned> planned) {
    if (planned && (front.empty() || planned->cost < front.back().planned.cost)) {
      front.push_back({imbalance, std::move(*planned)});
    }
  };
  if (problem.tree.leaves() <= kSmallTree) {
    for (Index i = 0; i <= whole && (front.empty() || front.back().planned.cost > 0); ++i) {
      add(i, plan_as_wide(problem, i, planner));
    }
  } else {
    for (const double tolerance :
         {0.0, 0.01, 0.02, 0.05, 0.1, 0.15, 0.2, 0.3, 0.4, 0.5, 0.7, 0.9}) {
      const LoadWindow window = window_around_mean(problem, tolerance);
      add(window.maximum - window.minimum, plan_by(problem, window, planner));
    }
  }
  add(whole,
      Planned{.plan = {.processors = problem.processors, .mode = problem.mode}, .exact = true});
  return front;
}

}  // namespace

LoadWindow window_around_mean(const Problem& problem, double tolerance) {
  if (!std::isfinite(tolerance) || tolerance < 0) {
    throw Error(fmt::format("window {}, it must be at least 0 and finite", tolerance));
  }
  const double total = static_cast<double>(problem.tree.leaves());
  const double mean = total / problem.processors;
  return {.minimum = static_cast<Index>(std::max(0.0, std::floor(mean * (1 - tolerance)))),
          .maximum = static_cast<Index>(std::min(total, std::ceil(mean * (1 + tolerance))))};
}

std::optional<Planned> plan_within(const Problem& problem, LoadWindow window, Planner planner) {
  return by_search_if_affordable(problem, planner,
                                 [&](Planner chosen) { return plan_by(problem, window, chosen); });
}

Planned plan_min_imbalance(const Problem& problem, Planner planner) {
  return by_search_if_affordable(problem, planner,
                                 [&](Planner chosen) { return min_imbalance_by(problem, chosen); });
}

std::vector<FrontPoint> plan_front(const Problem& problem, Planner planner) {
  return by_search_if_affordable(problem, planner,
                                 [&](Planner chosen) { return front_by(problem, chosen); });
}

}  // namespace cleave::splitting
