// SPDX-License-Identifier: Apache-2.0
#include "apps/spacetree/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include <cleave/error.hpp>

#include "skeleton/splitting/ledger/score.hpp"
#include "skeleton/splitting/offline/planner.hpp"
#include "skeleton/splitting/online/online_bound.hpp"
#include "skeleton/splitting/online/simulate.hpp"

namespace cleave::spacetree {

using namespace splitting;

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

int count_after_colon(const std::string& name, int fallback) {
  const std::size_t colon = name.find(':');
  if (colon == std::string::npos) {
    return fallback;
  }
  int value = 0;
  const char* end = name.data() + name.size();
  const auto [stop, error] = std::from_chars(name.data() + colon + 1, end, value);
  if (error != std::errc() || stop != end || value < 1) {
    throw UsageError(fmt::format("--policy {}: '{}' must be a whole number from 1 on", name,
                                 name.substr(colon + 1)));
  }
  return value;
}

}  // namespace

std::vector<NamedPolicy> policies_for(int processors, int children, const CostModel& cost) {
  const int cores = processors % 4 == 0 ? 4 : 2;
  // What dealing out costs when there are four leaves a processor.
  const Index at = 4 * Index{processors};
  const double budget = cost({.n = 0, .N = at, .giver_leaves = at}) * (processors - 1) +
                        cost({.n = at, .N = 0, .giver_leaves = at});
  const int few = std::max(1, processors / 4);
  const int half = std::max(1, processors / 2);
  // Opens some parts early and the others when there are `min_leaves` leaves a processor.
  const auto late = [](Index min_leaves, int early_parts) {
    return NamedPolicy{
        fmt::format("ahead_{}", min_leaves), false, [=] {
          return ahead({.tolerance = 0.2, .min_leaves = min_leaves, .early_parts = early_parts});
        }};
  };
  std::vector<NamedPolicy> policies = {
      {"spread_out", true, [] { return spread_out(); }},
      {"spread_out_once_grid_stagnates", true, [] { return spread_out_once_grid_stagnates(); }},
      {"spread_out_hierarchically", true, [=] { return spread_out_hierarchically(cores); }},
      {"recursive_bipartition", true, [] { return recursive_bipartition(); }},
      {"split_oversized_tree", true, [=] { return split_oversized_tree(2 * children); }},
      {"cascade", true,
       [] {
         std::vector<Policy> two;
         two.push_back(spread_out(4));
         two.push_back(recursive_bipartition());
         return cascade(std::move(two));
       }},
  };
  const std::size_t peanos = policies.size();
  for (std::size_t i = 0; i < peanos; ++i) {
    policies.push_back({"outbid_" + policies[i].name, false,
                        [=, other = policies[i].make] { return outbid(other(), cost); }});
  }
  const std::vector<NamedPolicy> ours = {
      {"wait", false, [] { return wait(); }},
      {"reserve_1", false, [] { return reserve(1); }},
      {"reserve", false, [=] { return reserve(few); }},
      {"budgeted", false, [=] { return budgeted(budget, cost); }},
      {"ahead", false, [] { return ahead({.tolerance = 0.05}); }},
      late(1, few),
      late(2, half),
      late(3, few),
      late(4, few),
      late(8, half),
      late(16, few),
      {"paced_4", false, [] { return paced(4); }},
      {"paced_6", false, [] { return paced(6); }},
      {"ahead_spare", false,
       [=] { return ahead({.tolerance = 0.2, .kept_idle = (processors + 7) / 8}); }},
      {"weighted", false, [] { return weighted(); }},
  };
  policies.insert(policies.end(), ours.begin(), ours.end());
  return policies;
}

Policy policy_named(const std::string& name, int processors, int children, const CostModel& cost) {
  const std::string base = name.substr(0, name.find(':'));
  if (base != name) {
    const int count = count_after_colon(name, 1);
    if (base == "spread_out") return spread_out(count);
    if (base == "spread_out_once_grid_stagnates") return spread_out_once_grid_stagnates(count);
    if (base == "spread_out_hierarchically") return spread_out_hierarchically(count);
    if (base == "recursive_bipartition") return recursive_bipartition(count);
    if (base == "split_oversized_tree") return split_oversized_tree(count);
    if (base == "paced") return paced(count);
    if (base == "reserve") return reserve(count);
    if (base == "budgeted") return budgeted(count, cost);
    if (base == "weighted") return weighted(count);
  }
  std::string allowed;
  for (const NamedPolicy& policy : policies_for(processors, children, cost)) {
    if (policy.name == name) {
      return policy.make();
    }
    allowed += (allowed.empty() ? "" : ", ") + policy.name;
  }
  throw UsageError(fmt::format("--policy is '{}', allowed are {}", name, allowed));
}

std::vector<Comparison> compare(const std::string& name, const Tree& tree, int processors,
                                const CostModel& cost) {
  std::vector<Comparison> rows;
  std::vector<Ledger> ledgers;
  for (const NamedPolicy& policy : policies_for(processors, tree.children(), cost)) {
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

}  // namespace cleave::spacetree
