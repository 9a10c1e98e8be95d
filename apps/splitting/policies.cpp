// SPDX-License-Identifier: Apache-2.0
#include "apps/splitting/policies.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>

#include <cleave/error.hpp>

namespace cleave::spacetree {

using namespace splitting;

namespace {

/// Of "reserve:4" 4.
int count_after(std::size_t colon, const std::string& name) {
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
  constexpr int kLeavesOfPart = 4;
  return {
      {"spread_out", 1, [](int min_leaves) { return spread_out(min_leaves); }},
      {"spread_out_once_grid_stagnates", 1,
       [](int min_leaves) { return spread_out_once_grid_stagnates(min_leaves); }},
      {"spread_out_hierarchically", cores,
       [](int of_node) { return spread_out_hierarchically(of_node); }},
      {"recursive_bipartition", 1,
       [](int min_leaves) { return recursive_bipartition(min_leaves); }},
      {"split_oversized_tree", 2 * children,
       [](int max_leaves) { return split_oversized_tree(max_leaves); }},
      {"cascade", std::nullopt,
       [](int) {
         std::vector<Policy> two;
         two.push_back(spread_out(4));
         two.push_back(recursive_bipartition());
         return cascade(std::move(two));
       }},
      {"wait", std::nullopt, [](int) { return wait(); }},
      {"reserve", std::max(1, processors / 4), [](int parts) { return reserve(parts); }},
      // By default the budget above, which need not be whole.
      {"budgeted", 0, [=](int at_most) { return budgeted(at_most > 0 ? at_most : budget, cost); }},
      {"ahead", std::nullopt, [](int) { return ahead({.tolerance = 0.05}); }},
      {"paced", kLeavesOfPart, [](int leaves) { return paced(leaves); }},
      {"weighted", 1, [](int min_leaves) { return weighted(min_leaves); }},
  };
}

Policy policy_named(const std::string& name, int processors, int children, const CostModel& cost) {
  const std::size_t colon = name.find(':');
  const std::string base = name.substr(0, colon);
  std::vector<std::string> allowed;
  for (const NamedPolicy& policy : policies_for(processors, children, cost)) {
    if (policy.name == base && colon == std::string::npos) {
      return policy.make();
    }
    if (policy.name == base && policy.count) {
      return policy.make_with(count_after(colon, name));
    }
    allowed.push_back(policy.name + (policy.count ? "[:NUMBER]" : ""));
  }
  throw UsageError(fmt::format("--policy is '{}', allowed are {}", name, fmt::join(allowed, ", ")));
}

}  // namespace cleave::spacetree
