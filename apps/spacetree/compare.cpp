#include "apps/spacetree/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>

#include "skeleton/splitting/planner.hpp"
#include "skeleton/splitting/score.hpp"
#include "skeleton/splitting/simulate.hpp"
#include "skeleton/trace/error.hpp"

namespace cleave::spacetree {

using namespace splitting;

namespace {

/// The least sum of F(0, N) over all sequences that fill `processors`: at each stage as many splits
/// as there are leaves for. Nothing that fills as many costs less.
double floor_of_filling(const Tree& tree, int processors, const CostModel& cost) {
  double floor = 0;
  Index filled = 1;
  for (int s = 0; s <= tree.l_max(); ++s) {
    const Index N = tree.leaves_at_stage(s);
    for (; filled < std::min<Index>(N, processors); ++filled) {
      floor += cost({.n = 0, .N = N, .giver_leaves = N});
    }
  }
  return floor;
}

constexpr double kRounding = 1e-9;

/// Why no policy can be expected to beat `row`: it is at one end of what is possible.
std::string reason_against(const Comparison& row, const Tree& tree, const CostModel& cost) {
  const double mean = static_cast<double>(tree.leaves()) / row.processors;
  if (row.max_over_mean <= std::ceil(mean) / mean + kRounding) {
    return "least possible max/mean: a split before the last stage may spoil it";
  }
  if (row.cost <= floor_of_filling(tree, row.filled, cost) + kRounding) {
    return fmt::format("nothing that fills {} processors costs less", row.filled);
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
  return {
      {"spread_out", true, [] { return spread_out(); }},
      {"spread_out_once_grid_stagnates", true, [] { return spread_out_once_grid_stagnates(); }},
      {"spread_out_hierarchically", true, [=] { return spread_out_hierarchically(cores); }},
      {"recursive_bipartition", true, [] { return recursive_bipartition(); }},
      {"split_oversized_tree", true, [=] { return split_oversized_tree(2 * children); }},
      {"cascade", true,
       [] {
         std::vector<Policy> policies;
         policies.push_back(spread_out(4));
         policies.push_back(recursive_bipartition());
         return cascade(std::move(policies));
       }},
      {"wait", false, [] { return wait(); }},
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
  for (const NamedPolicy& policy : policies_for(processors, tree.children(), cost)) {
    const Ledger ledger = simulate(tree, processors, cost, policy.make());
    const Balance even = balance(ledger.leaves_of_all());
    const Problem problem{.tree = tree, .processors = processors, .cost = cost};
    const LoadWindow window{.least = static_cast<Index>(even.least),
                            .most = static_cast<Index>(even.most)};
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
  for (Comparison& row : rows) {
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
      row.why_not = reason_against(row, tree, cost);
    }
  }
  return rows;
}

}  // namespace cleave::spacetree
