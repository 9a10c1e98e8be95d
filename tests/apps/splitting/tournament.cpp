// SPDX-License-Identifier: Apache-2.0
#include "tests/apps/splitting/tournament.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "apps/splitting/ledger/score.hpp"
#include "apps/splitting/offline/planner.hpp"
#include "apps/splitting/online/simulate.hpp"
#include "tests/apps/splitting/online_bound.hpp"
#include "tests/apps/splitting/outbid.hpp"

namespace cleave::splitting {

namespace {

constexpr double kRounding = 1e-9;

/// Why no policy can beat the one of `row`, which left `ledger`; empty if nothing shows that.
std::string reason_against(const Comparison& row, const Ledger& ledger, const CostModel& cost) {
  const Tree& tree = ledger.growth().tree();
  const Problem problem{.tree = tree, .processors = row.processors, .cost = cost};
  const auto counts = ledger.leaves_of_all();
  const Index maximum = *std::max_element(counts.begin(), counts.end());
  const auto cheapest =
      plan_within(problem, {0, maximum}, cost.depends_on_n ? Planner::automatic : Planner::chain);
  if (cheapest && cheapest->exact && row.cost <= cheapest->cost + kRounding) {
    return "no plan that knows the tree has this maximum for less";
  }
  const bool waited =
      std::all_of(ledger.entries().begin(), ledger.entries().end(),
                  [&](const Entry& entry) { return entry.split.stage == tree.l_max(); });
  const Index min_maximum = (tree.leaves() + row.processors - 1) / row.processors;
  const bool no_spare = (tree.leaves() + maximum - 1) / maximum == row.filled;
  if (waited && maximum == min_maximum && no_spare &&
      early_split_loses_min_maximum(tree, row.processors)) {
    return "least maximum; any earlier split loses it on a tree that looks the same by then";
  }
  return "";
}

struct Contestant {
  std::string name;
  bool peano = false;  ///< one of Peano's own strategies
  std::function<Policy()> make;
};

bool is_peanos(const std::string& policy) {
  constexpr std::array kPeanos = {"spread_out",
                                  "spread_out_once_grid_stagnates",
                                  "spread_out_hierarchically",
                                  "recursive_bipartition",
                                  "split_oversized_tree",
                                  "cascade"};
  return std::ranges::find(kPeanos, policy) != kPeanos.end();
}

/// Opens some parts early and the others when there are `min_leaves` leaves a processor.
Contestant late(Index min_leaves, int early_parts) {
  return {fmt::format("ahead_{}", min_leaves), false, [=] {
            return ahead({.tolerance = 0.2, .min_leaves = min_leaves, .early_parts = early_parts});
          }};
}

/// Every policy of the program, some with other numbers, and one that undercuts each of Peano's.
std::vector<Contestant> contestants(int processors, int children, const CostModel& cost) {
  const int few = std::max(1, processors / 4);
  const int half = std::max(1, processors / 2);
  std::vector<Contestant> all;
  std::vector<Contestant> undercut;
  for (const spacetree::NamedPolicy& policy : spacetree::policies_for(processors, children, cost)) {
    const auto make = [=] { return policy.make(); };
    all.push_back({policy.name, is_peanos(policy.name), make});
    if (all.back().peano) {
      undercut.push_back({"outbid_" + policy.name, false, [=] { return outbid(make(), cost); }});
    }
  }
  const std::vector<Contestant> others = {
      {"reserve_1", false, [] { return reserve(1); }},
      late(1, few),
      late(2, half),
      late(3, few),
      late(4, few),
      late(8, half),
      late(16, few),
      {"paced_6", false, [] { return paced(6); }},
      {"ahead_spare", false,
       [=] { return ahead({.tolerance = 0.2, .kept_idle = (processors + 7) / 8}); }}};
  all.insert(all.end(), others.begin(), others.end());
  all.insert(all.end(), undercut.begin(), undercut.end());
  return all;
}

}  // namespace

std::vector<Comparison> compare(const std::string& name, const Tree& tree, int processors,
                                const CostModel& cost) {
  std::vector<Comparison> rows;
  std::vector<Ledger> ledgers;
  for (const Contestant& policy : contestants(processors, tree.children(), cost)) {
    const Ledger& ledger = ledgers.emplace_back(simulate(tree, processors, cost, policy.make()));
    const Balance even = balance(ledger.leaves_of_all());
    const Problem problem{.tree = tree, .processors = processors, .cost = cost};
    const LoadWindow window{.minimum = static_cast<Index>(even.minimum),
                            .maximum = static_cast<Index>(even.maximum)};
    const auto optimum =
        plan_within(problem, window, cost.depends_on_n ? Planner::two_phase : Planner::automatic);
    rows.push_back({.tree = name,
                    .processors = processors,
                    .policy = policy.name,
                    .peano = policy.peano,
                    .filled = static_cast<int>(ledger.entries().size()) + 1,
                    .cost = ledger.cost(),
                    .sum_n = ledger.sum_n(),
                    .sum_N = ledger.sum_N(),
                    .imbalance = static_cast<Index>(even.imbalance()),
                    .max_over_mean = even.max_over_mean(),
                    .optimum = optimum ? optimum->cost : 0,
                    .optimum_is_exact = optimum && optimum->exact});
  }
  for (std::size_t i = 0; i < rows.size(); ++i) {
    Comparison& row = rows[i];
    if (!row.peano) {
      continue;
    }
    for (const Comparison& ours : rows) {
      if (!ours.peano && row.beaten_by.empty() && ours.cost < row.cost - kRounding &&
          ours.max_over_mean <= row.max_over_mean + kRounding) {
        row.beaten_by = ours.policy;
      }
    }
    if (row.beaten_by.empty()) {
      row.why_not = reason_against(row, ledgers[i], cost);
    }
  }
  return rows;
}

}  // namespace cleave::splitting
