// SPDX-License-Identifier: Apache-2.0
#include "apps/spacetree/policies.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include <cleave/error.hpp>

namespace cleave::spacetree {

using namespace splitting;

namespace {

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

}  // namespace cleave::spacetree
