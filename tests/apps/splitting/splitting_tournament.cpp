// SPDX-License-Identifier: Apache-2.0
// The table of online policies of docs/results/index.md, as one JSON object. Every policy plays on
// three trees at six numbers of processors, priced by N alone. Beside it is the offline optimum
// with loads between the policy's own least and most: `run_splitting_tournament`.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "apps/splitting/generators.hpp"
#include "apps/splitting/online.hpp"
#include "apps/splitting/planner.hpp"

namespace cleave::splitting {
namespace {

std::vector<NamedPolicy> contestants(int processors, int children) {
  std::vector<NamedPolicy> all = policies_for(processors, children);
  all.push_back({"reserve_1", 1, reserve});
  const int few = std::max(1, processors / 4);
  const int half = std::max(1, processors / 2);
  for (const auto& [min_leaves, parts] : {std::pair{1, few}, {2, half}, {4, few}, {16, few}}) {
    all.push_back({fmt::format("ahead_{}", min_leaves), min_leaves, [parts = parts](int leaves) {
                     return ahead({.tolerance = 0.2, .min_leaves = leaves, .early_parts = parts});
                   }});
  }
  return all;
}

nlohmann::json row_of(const char* source, const Tree& tree, int processors,
                      const NamedPolicy& policy) {
  const CostModel cost = linear_cost(0, 1);
  const Ledger ledger = simulate(tree, processors, cost, policy.make());
  const Balance even = balance(ledger.leaves_of_all());
  const auto optimum = plan_within(
      {.tree = tree, .processors = processors, .cost = cost},
      {static_cast<Index>(even.minimum), static_cast<Index>(even.maximum)}, Planner::automatic);
  return {{"tree", source},
          {"processors", processors},
          {"policy", policy.name},
          {"cost", ledger.cost()},
          {"imbalance", even.imbalance()},
          {"max_over_mean", even.max_over_mean()},
          {"optimum", optimum ? optimum->cost : 0},
          {"optimum_is_exact", optimum && optimum->exact}};
}

}  // namespace
}  // namespace cleave::splitting

int main() {
  using namespace cleave::splitting;
  auto rows = nlohmann::json::array();
  for (const char* source : {"random:max=8,p=0.65", "sphere:max=10", "point:max=12,min=3"}) {
    const Tree tree = tree_named(source);
    for (const int processors : {2, 4, 8, 16, 32, 64}) {
      for (const NamedPolicy& policy : contestants(processors, tree.children())) {
        rows.push_back(row_of(source, tree, processors, policy));
      }
    }
  }
  fmt::print("{}\n", nlohmann::json{{"rows", std::move(rows)}}.dump());
}
